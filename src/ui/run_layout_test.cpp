#include "ui/run_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "ui/example_snapshot_test.h"

namespace drover::ui {
namespace {

using testing::HasSubstr;
using testing::Not;

RunModel model_at(int seconds, double new_order_ms = 20) {
  RunModel model;
  model.plan = example_plan();
  model.title = {"the private server, PostgreSQL 15.18", "batched, read committed"};
  model.log = LogBook(100, [] { return std::string("12:00:00"); });
  for (int second = 1; second <= seconds; ++second) {
    const load::Snapshot snapshot = example_snapshot(second, new_order_ms);
    model.take(snapshot, coro::Instant{});
  }
  if (seconds > 0) model.stage = RunStage::running;
  return model;
}

std::string drawn(const RunModel& model, int rows, int columns, bool unicode = true) {
  Canvas canvas(rows, columns, unicode);
  draw_run(model, canvas);
  return canvas.text();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(RunLayout, ShowsAllAt80x24) {
  RunModel model = model_at(70);
  model.log.add(Level::note, "measuring for 5:00");
  const std::string text = drawn(model, 24, 80, false);
  const auto lines = lines_of(text);
  ASSERT_EQ(lines.size(), 24u);
  EXPECT_EQ(lines[0], " Drover: TPC-C on the private server, PostgreSQL 15.18");
  EXPECT_EQ(lines[1],
            " measuring  ########..................................  1:00 of 5:00, 4:00 left");
  EXPECT_EQ(lines[2],
            " tpmC 6,000 now   6,000 measured   efficiency 23.8%   222.0 tx/s   p90 20.0 ms");
  EXPECT_THAT(lines[3], HasSubstr("tpmC"));
  EXPECT_THAT(text,
              HasSubstr(" transaction     ok/s         ok   p50 ms   p90 ms   p99 ms retries "
                        "failed limit\n"
                        " NewOrder       100.0      6,000     20.0     20.0     20.0       0      0"
                        "  ok\n"));
  EXPECT_THAT(text, HasSubstr(" StockLevel       9.0        540"));
  EXPECT_THAT(text, HasSubstr(" 2 workers, the busiest at 34%   5 in flight, 2 waiting   timer "
                              "lag p99 2.00 ms\n"));
  EXPECT_THAT(text, HasSubstr(" connections 16 of 16 open   no outages\n"));
  EXPECT_THAT(text, HasSubstr(" this process 0.25 cores, 34.0 MiB\n"));
  EXPECT_THAT(text, HasSubstr("12:00:00   measuring for 5:00"));
  EXPECT_THAT(lines[23], HasSubstr(" q end the run"));
  EXPECT_THAT(lines[23], HasSubstr("? help"));
}

TEST(RunLayout, HasBothChartsAndAllWorkersAt200x50) {
  const std::string text = drawn(model_at(70), 50, 200);
  const auto lines = lines_of(text);
  EXPECT_THAT(lines[0], testing::EndsWith("20 warehouses, 200 terminals, batched, read committed"));
  EXPECT_THAT(lines[4], HasSubstr("tpmC"));
  EXPECT_THAT(lines[4], HasSubstr("p90 of all transactions, ms"));
  EXPECT_THAT(text, HasSubstr("⣿"));
  EXPECT_THAT(text, HasSubstr("worker"));
  // The busiest worker comes first.
  EXPECT_LT(text.find(" 2           34%"), text.find(" 1           12%"));
  EXPECT_THAT(text, HasSubstr(" all            222.0     13,320"));
  EXPECT_THAT(text, HasSubstr("ok 5 s"));
  EXPECT_THAT(text, HasSubstr("ok 20 s"));
}

TEST(RunLayout, SaysThatNobodyIsAnswered) {
  RunModel model = model_at(70, 7000);
  model.snapshot->second.silent = std::chrono::milliseconds(3200);
  EXPECT_THAT(drawn(model, 10, 40), HasSubstr("STALL  for 3.2 s\n"));
  EXPECT_THAT(drawn(model, 40, 120), HasSubstr("16 of 16 open   STALL for 3.2 s\n"));
  model.snapshot->second.silent = {};
  model.snapshot->availability.stalls.resize(2);
  EXPECT_THAT(drawn(model, 40, 120), HasSubstr("16 of 16 open   2 stalls   no outages\n"));
}

TEST(RunLayout, SaysWhatMattersMostInASmallTerminal) {
  RunModel model = model_at(70, 7000);
  model.snapshot->second.away = std::chrono::milliseconds(3200);
  const std::string text = drawn(model, 10, 40);
  EXPECT_THAT(text, HasSubstr("measuring  1:00 of 5:00  4:00 left\n"));
  EXPECT_THAT(text, HasSubstr("OUTAGE  for 3.2 s\n"));
  EXPECT_THAT(text, HasSubstr("tpmC 6,000 now  6,000 measured\n"));
  EXPECT_THAT(text, HasSubstr("NewOrder: p90 OVER 5 s\n"));
}

// Nothing is written where there is nothing: an assertion of the standard library would tell.
TEST(RunLayout, FitsAnySize) {
  RunModel running = model_at(70);
  running.snapshot->workers.resize(100);
  for (RunModel model : {model_at(0), model_at(1), running}) {
    for (const bool help : {false, true}) {
      model.help = help;
      for (int rows = 1; rows <= 60; rows += 3) {
        for (const int columns : {1, 2, 7, 39, 71, 72, 80, 139, 140, 200, 400}) {
          EXPECT_EQ(lines_of(drawn(model, rows, columns)).size(), static_cast<std::size_t>(rows));
        }
      }
    }
  }
}

TEST(RunLayout, SaysWhatItWaitsFor) {
  RunModel model = model_at(0);
  model.in_stage = std::chrono::seconds(3);
  EXPECT_THAT(drawn(model, 24, 80), HasSubstr(" opening connections"));
  EXPECT_THAT(drawn(model, 24, 80), HasSubstr("0:03, 16 connections"));
  model = model_at(70);
  model.stage = RunStage::asking;
  EXPECT_THAT(drawn(model, 24, 80), HasSubstr("reading the data"));
  model.database_away = true;
  EXPECT_THAT(drawn(model, 24, 80), HasSubstr("waiting for the database"));
  model = model_at(5);
  EXPECT_THAT(drawn(model, 24, 80), HasSubstr(" warm-up"));
  EXPECT_THAT(drawn(model, 24, 80), HasSubstr("0:05 of 0:10, 5:05 left"));
  EXPECT_THAT(drawn(model, 24, 80), Not(HasSubstr("measured")));
}

TEST(RunLayout, SaysALimitIsBrokenByAWord) {
  Canvas canvas(24, 80, true);
  draw_run(model_at(70, 7000), canvas);
  EXPECT_THAT(canvas.text(), HasSubstr("    7,000"));
  const std::string text = canvas.text();
  EXPECT_THAT(text, HasSubstr("  OVER\n"));
  const auto lines = lines_of(text);
  for (int row = 0; row < 24; ++row) {
    const std::size_t column = lines[static_cast<std::size_t>(row)].find("OVER");
    if (column != std::string::npos) {
      EXPECT_EQ(canvas.at(row, static_cast<int>(column)).style, Style::warning);
    }
  }
}

TEST(RunLayout, ShowsOutages) {
  RunModel model = model_at(70);
  model.snapshot->connections_open = 3;
  model.snapshot->second.away = std::chrono::seconds(4);
  load::Outage outage;
  outage.start = model.taken_at - std::chrono::seconds(4);
  outage.first_error = "refused";
  model.snapshot->availability.outages = {outage};
  model.snapshot->availability.outages_dropped = 1;
  EXPECT_THAT(drawn(model, 24, 80),
              HasSubstr(" connections 3 of 16 open   OUTAGE for 4.0 s  refused\n"));
  model.snapshot->second.away = {};
  model.snapshot->connections_open = 16;
  model.snapshot->availability.outages[0].end = model.taken_at;
  model.taken_at += std::chrono::seconds(65);
  EXPECT_THAT(
      drawn(model, 24, 80),
      HasSubstr(" connections 16 of 16 open   2 outages, the last of 4.0 s ended 1:05 ago\n"));
}

RunModel model_with_hosts() {
  RunModel model = model_at(70);
  model.plan.hosts = {"127.0.0.1:6001", "127.0.0.1:6002"};
  for (int i = 1; i <= 2; ++i) {
    load::HostNow& host = model.snapshot->hosts.emplace_back();
    host.per_second = 111;
    host.phase.ok_count = 6'660;
    host.phase.failed_count = 3;
    host.phase.service.record(static_cast<std::uint64_t>(i) * 4'000'000);
  }
  return model;
}

TEST(RunLayout, TellsSeveralHostsApart) {
  const RunModel model = model_with_hosts();
  for (const auto& [rows, columns] : {std::pair(24, 80), {50, 200}, {30, 100}}) {
    const std::string text = drawn(model, rows, columns, false);
    EXPECT_THAT(text, HasSubstr(" 127.0.0.1:6001    111.0      6,660     4.00     4.00     4.00"));
    EXPECT_THAT(text, HasSubstr(" 127.0.0.1:6002    111.0      6,660     8.00     8.00     8.00"));
    EXPECT_THAT(text, HasSubstr("StockLevel"));
    EXPECT_THAT(text, HasSubstr("connections 16 of 16 open"));
  }
  EXPECT_THAT(drawn(model_at(70), 50, 200), Not(HasSubstr("127.0.0.1")));
}

TEST(RunLayout, HostsThatThereIsNoRoomForAreLeftOut) {
  RunModel model = model_with_hosts();
  while (model.plan.hosts.size() < 64) model.plan.hosts.push_back("h:5432");
  const std::string text = drawn(model, 24, 80, false);
  EXPECT_THAT(text, HasSubstr("127.0.0.1:6002"));
  EXPECT_THAT(text, HasSubstr("q end the run"));
  EXPECT_THAT(text, HasSubstr("log"));
}

TEST(RunLayout, ShowsTheBacklogOfAnOpenLoop) {
  RunModel model = model_at(70);
  model.snapshot->second.backlog = 512'485;
  for (const auto& [rows, columns] : {std::pair(24, 80), {50, 200}, {34, 100}, {10, 60}}) {
    EXPECT_THAT(drawn(model, rows, columns, false), HasSubstr("backlog 512,485")) << rows;
  }
}

TEST(RunLayout, SumsUpManyWorkers) {
  RunModel model = model_at(70);
  model.snapshot->workers.assign(40, {.load = 0.5, .timer_lag = {}});
  EXPECT_THAT(drawn(model, 50, 200), HasSubstr("less busy; all: 5 in flight, 2 waiting"));
}

RunModel model_of_ranks(std::size_t count) {
  RunModel model = model_at(70);
  for (std::size_t i = 0; i < count; ++i) {
    model.snapshot->ranks.push_back({.name = "node" + std::to_string(i),
                                     .per_second = 100 + static_cast<double>(i),
                                     .worker_load = 0.25,
                                     .timer_lag_p99_ms = 1.5,
                                     .in_flight = 7,
                                     .connections_open = 16});
  }
  return model;
}

TEST(RunLayout, HasALineForEachHostThatMakesLoad) {
  const RunModel model = model_of_ranks(3);
  for (const auto& [rows, columns] : {std::pair(24, 80), {50, 200}, {34, 100}}) {
    const std::string text = drawn(model, rows, columns, false);
    EXPECT_THAT(text, HasSubstr(" host          ok/s   load     lag p99 in flight    conns"));
    EXPECT_THAT(text, HasSubstr(" node2        102.0    25%     1.50 ms         7       16"));
    EXPECT_THAT(text, HasSubstr("StockLevel"));
    EXPECT_THAT(text, HasSubstr("connections 16 of 16 open"));
    EXPECT_THAT(text, Not(HasSubstr("worker")));
  }
}

TEST(RunLayout, OfManyHostsThoseThatAreLostAndTheBusiestAreShown) {
  RunModel model = model_of_ranks(40);
  model.snapshot->ranks[30].is_lost = true;
  model.snapshot->ranks[20].worker_load = 0.95;
  const std::string text = drawn(model, 24, 80, false);
  EXPECT_THAT(text, HasSubstr(" node30       130.0   LOST "));
  EXPECT_THAT(text, HasSubstr(" node20       120.0    95% "));
  EXPECT_THAT(text, HasSubstr(" and 38 more; all: 5 in flight, 2 waiting"));
  EXPECT_THAT(text, HasSubstr("log"));
  EXPECT_THAT(drawn(model, 10, 40, false), HasSubstr("node30 LOST"));
  model.snapshot->ranks[31].is_lost = true;
  EXPECT_THAT(drawn(model, 10, 40, false), HasSubstr("2 hosts LOST"));
}

TEST(RunLayout, HostsFitAnySize) {
  RunModel model = model_of_ranks(12);
  model.snapshot->ranks[3].name = "evil\x1b[31m" + std::string(300, 'h');
  model.snapshot->ranks[3].is_lost = true;
  for (int rows = 1; rows <= 60; ++rows) {
    for (const int columns : {1, 20, 79, 80, 100, 139, 140, 200}) {
      const std::string text = drawn(model, rows, columns, false);
      EXPECT_THAT(text, Not(HasSubstr("\x1b")));
      for (const std::string& line : lines_of(text))
        EXPECT_LE(line.size(), static_cast<std::size_t>(columns));
    }
  }
}

TEST(RunLayout, TextFromOutsideDoesNoHarm) {
  RunModel model = model_at(70);
  model.title.database = "evil\x1b[2J\x07\n日本";
  model.snapshot->second.away = std::chrono::seconds(4);
  model.snapshot->availability.outages.resize(1);
  model.snapshot->availability.outages[0].first_error = "\x1b]0;x\x07";
  const std::string text = drawn(model, 24, 80);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\x07")));
  EXPECT_EQ(lines_of(text).size(), 24u);
}

RunModel scripts_at(int seconds, std::size_t types) {
  RunModel model;
  model.plan = example_scripts(types);
  model.title = {"host=db", "read committed"};
  model.log = LogBook(100, [] { return std::string("12:00:00"); });
  for (int second = 1; second <= seconds; ++second) {
    model.take(example_snapshot_of(second, types), coro::Instant{});
  }
  model.stage = RunStage::running;
  return model;
}

TEST(RunLayout, OneTypeWithALongNameAndNoLimits) {
  const RunModel model = scripts_at(70, 1);
  const std::string text = drawn(model, 24, 80);
  const auto lines = lines_of(text);
  EXPECT_EQ(lines[0],
            " Drover: scripts on host=db                       200 terminals, read committed");
  EXPECT_EQ(lines[2], " tx/s 10.0 now   10.0 measured   p90 5.00 ms");
  EXPECT_THAT(lines[3], HasSubstr(" tx/s"));
  EXPECT_THAT(text,
              HasSubstr("\n transaction                   ok/s         ok   p50 ms   p90 ms   "
                        "p99 ms failed\n"
                        " move_money_between_accou…     10.0        600     5.00     5.00     "
                        "5.00      0\n"));
  // It is the sum, and there is nothing to hold it to.
  const std::string large = drawn(model, 50, 200);
  EXPECT_THAT(large, HasSubstr("\n move_money_between_accounts_10     10.0        600     5.00     "
                               "5.00     5.00       0      0"));
  EXPECT_THAT(large, Not(HasSubstr("\n all ")));
  for (const char* word : {"OVER", "limit", "efficiency", "tpmC", "NewOrder", "arehouse"}) {
    EXPECT_THAT(text + large, Not(HasSubstr(word)));
  }
}

TEST(RunLayout, EightTypesAreAllThere) {
  RunModel model = scripts_at(70, 8);
  for (std::size_t i = 0; i < 8; ++i) model.plan.workload.types[i].name[0] = "abcdefgh"[i];
  model.plan.workload.types[7].latency_limit_s = 0.004;
  model.plan.workload.headline = {.name = "moves/min", .type = 0, .seconds = 60};
  for (const auto& [rows, columns] : {std::pair(24, 80), {30, 100}, {24, 140}, {50, 200}}) {
    const std::string text = drawn(model, rows, columns, false);
    for (const char first : std::string("abcdefgh")) {
      EXPECT_THAT(text, HasSubstr(std::string("\n ") + first + "ove_money_")) << text;
    }
    EXPECT_THAT(text, HasSubstr(" moves/min 600 now   600 measured   80.0 tx/s   p90 5.00 ms"));
    EXPECT_EQ(text.find("\n all ") != std::string::npos, rows >= 30) << text;
    EXPECT_THAT(text, HasSubstr("OVER"));
  }
  // One limit is a column for all.
  EXPECT_THAT(drawn(model, 50, 200), HasSubstr("OVER 0.004 s"));
  EXPECT_THAT(drawn(model, 50, 90), HasSubstr("OVER 0.004 s\n"));
  EXPECT_THAT(drawn(model, 24, 80), HasSubstr("\n aove_money_between… "));
}

TEST(RunLayout, TypesThatThereIsNoRoomForAreSummedUp) {
  RunModel model = scripts_at(70, 10);
  EXPECT_THAT(drawn(model, 24, 80), Not(HasSubstr("others")));
  EXPECT_THAT(drawn(model, 20, 80), HasSubstr("\n 5 others                      50.0      3,000"));
  // A limit that does not hold is not hidden.
  model.plan.workload.types[8].latency_limit_s = 1;
  EXPECT_THAT(drawn(model, 20, 80), Not(HasSubstr("OVER")));
  model.plan.workload.types[9].latency_limit_s = 0.001;
  EXPECT_THAT(drawn(model, 20, 80), HasSubstr("OVER\n"));
  model = scripts_at(70, 100);
  EXPECT_THAT(drawn(model, 50, 200), HasSubstr(" others "));
}

TEST(RunLayout, AnyWorkloadFitsAnySize) {
  for (const std::size_t types : {1, 2, 8, 10, 100}) {
    for (const RunModel& model : {scripts_at(0, types), scripts_at(12, types)}) {
      for (int rows = 1; rows <= 60; rows += 3) {
        for (const int columns : {1, 7, 39, 71, 72, 80, 139, 140, 400}) {
          const auto lines = lines_of(drawn(model, rows, columns));
          ASSERT_EQ(lines.size(), static_cast<std::size_t>(rows));
          if (rows >= 20 && columns >= 72) {
            ASSERT_THAT(lines.back(), HasSubstr(" q end the run"));
          }
        }
      }
    }
  }
}

TEST(RunLayout, SwitchesTheChartsThatThereIsRoomFor) {
  EXPECT_EQ(next_charts(ChartChoice::both, 80), ChartChoice::second);
  EXPECT_EQ(next_charts(ChartChoice::second, 80), ChartChoice::first);
  EXPECT_EQ(next_charts(ChartChoice::first, 80), ChartChoice::second);
  EXPECT_EQ(next_charts(ChartChoice::both, 200), ChartChoice::first);
  EXPECT_EQ(next_charts(ChartChoice::first, 200), ChartChoice::second);
  EXPECT_EQ(next_charts(ChartChoice::second, 200), ChartChoice::both);
  RunModel model = model_at(70);
  model.charts = ChartChoice::second;
  EXPECT_THAT(lines_of(drawn(model, 24, 80))[3], HasSubstr("p90 of all transactions"));
}

TEST(RunLayout, HelpNamesEachKey) {
  RunModel model = model_at(70);
  model.help = true;
  const std::string text = drawn(model, 24, 80);
  for (const KeyHelp& key : run_keys()) EXPECT_THAT(text, HasSubstr(key.meaning));
}

}  // namespace
}  // namespace drover::ui
