#include "report/compare/comparability.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "report/compare/compare.h"
#include "report/document/changed_settings_test.h"
#include "report/document/example_result_test.h"
#include "support/compared_run.h"

namespace drover::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The obstacles between an ordinary run and one that was changed.
std::vector<Obstacle> obstacles_of(const std::function<void(Result&)>& change) {
  const std::vector<Result> base = compared_results({3000});
  std::vector<Result> other = compared_results({3000}, 30);
  change(other[0]);
  return find_obstacles({{base, {}}, {other, {}}});
}

void expect_obstacle(const char* key, const char* text,
                     const std::function<void(Result&)>& change) {
  const std::vector<Obstacle> obstacles = obstacles_of(change);
  ASSERT_EQ(obstacles.size(), 1u) << key;
  EXPECT_EQ(obstacles[0].key, key);
  EXPECT_THAT(obstacles[0].text, HasSubstr(text));
  EXPECT_NE(std::ranges::find(obstacle_keys(), key), obstacle_keys().end());
}

TEST(ComparabilityTest, WhatChangesTheMeaningIsAnObstacle) {
  EXPECT_THAT(obstacles_of([](Result&) {}), IsEmpty());
  expect_obstacle("benchmark", "base has tpcc, new has ycsb",
                  [](Result& r) { r.plan.benchmark = "ycsb"; });
  expect_obstacle("backend", "new has simulated, 5 ms", [](Result& r) { r.plan.simulate_ms = 5; });
  expect_obstacle("backend", "base has PostgreSQL, new has YDB",
                  [](Result& r) { r.environment.server->kind = "YDB"; });
  expect_obstacle("warehouses", "base has 10, new has 11",
                  [](Result& r) { r.plan.warehouses = 11; });
  expect_obstacle("inflight", "base has 16, new has 8", [](Result& r) { r.plan.connections = 8; });
  expect_obstacle("isolation", "new has serializable",
                  [](Result& r) { r.plan.isolation = "serializable"; });
  expect_obstacle("statements", "new has single", [](Result& r) { r.plan.statements = "single"; });
  expect_obstacle("delivery", "new has deferred",
                  [](Result& r) { r.plan.deferred_delivery = true; });
  expect_obstacle("fsync", "base has off, new has on",
                  [](Result& r) { r.environment.server->settings["fsync"] = "on"; });
  expect_obstacle("synchronous_commit", "new has unknown",
                  [](Result& r) { r.environment.server->settings.erase("synchronous_commit"); });
  expect_obstacle("full_page_writes", "new has on",
                  [](Result& r) { r.environment.server->settings["full_page_writes"] = "on"; });
  expect_obstacle("duration", "base has 60 s, new has 91 s",
                  [](Result& r) { r.summary.time_seconds = 91; });
  EXPECT_THAT(obstacles_of([](Result& r) { r.summary.time_seconds = 89; }), IsEmpty());
}

// Settings of a run in which every setting has an effect.
settings::RunSettings all_settings(const char* benchmark) {
  settings::RunSettings run = compared_results({3000})[0].plan;
  run.benchmark = benchmark;
  run.no_delays = false;
  run.connections = 32;
  run.max_inflight_chosen = true;
  run.terminals = 100;
  run.balance = true;
  run.clients = 100;
  return run;
}

TEST(ComparabilityTest, EverySettingThatDiffersIsNamedOrHasAReason) {
  // The obstacles and notes of the comparison, first for tpcc and then for ycsb.
  struct Said {
    const char* of_tpcc;
    const char* of_others;
  };
  constexpr const char* without_effect = "";
  static const std::map<std::string, Said> settings = {
      {"affinity", {"--balance: ", "--balance: "}},
      {"arrivals", {without_effect, "arrivals: "}},
      {"balance", {"--balance: ", "--balance: "}},
      {"benchmark", {"benchmark: ", "benchmark: "}},
      {"clients", {without_effect, "clients: "}},
      {"connection_max_age_s", {"--connection-max-age: ", "--connection-max-age: "}},
      {"connections", {"connections: ", "connections: "}},
      {"deferred_delivery", {"Delivery: ", without_effect}},
      {"duration_s", {without_effect, without_effect}},  // the measured time counts
      {"isolation", {"isolation: ", "isolation: "}},
      {"max_attempts", {"attempts per transaction: ", "attempts per transaction: "}},
      {"max_inflight", {"transactions in flight (terminals): ", "transactions in flight: "}},
      {"max_inflight_chosen", {"transactions in flight (terminals): ", "--max-inflight: "}},
      {"no_delays", {"pacing", without_effect}},
      {"of_all_hosts", {without_effect, without_effect}},  // the share is an obstacle of its own
      {"on_db_loss", {"when the database is lost: ", "when the database is lost: "}},
      {"operations", {without_effect, "number of transactions: "}},
      {"pace", {"pacing", without_effect}},
      {"protocol", {without_effect, "protocol: "}},
      {"rate", {without_effect, "rate: "}},
      {"schema", {"schema: ", "schema: "}},
      {"seed", {"seed: ", "seed: "}},
      {"server_stats", {"--server-stats: ", "--server-stats: "}},
      {"think_time_s", {without_effect, "think time: "}},
      {"simulate_ms", {"transactions run on: ", "transactions run on: "}},
      {"statement_timeout_s", {"statement timeout: ", "statement timeout: "}},
      {"statements", {"statements: ", without_effect}},
      {"terminals", {"terminals: ", without_effect}},
      {"threads", {"worker threads: ", "worker threads: "}},
      {"warehouses", {"warehouses: ", without_effect}},
      {"warmup_s", {"warm-up: ", "warm-up: "}},
      {"workload", {without_effect, "another: "}},
  };
  for (const bool is_tpcc : {true, false}) {
    const settings::RunSettings run = all_settings(is_tpcc ? "tpcc" : "ycsb");
    const nlohmann::json described = described_json(run);
    for (const auto& [name, value] : described.items()) {
      const auto said = settings.find(name);
      ASSERT_NE(said, settings.end())
          << name << " is a new setting: say here, and in shown_settings.cpp, whether it is named";
      std::vector<Result> base = compared_results({3000});
      std::vector<Result> other = compared_results({3000}, 30);
      base[0].plan = run;
      if (name == "of_all_hosts") {
        other[0].plan = run;
        other[0].plan.of_all_hosts.emplace();
      } else {
        other[0].plan = with_other_value(run, name);
      }
      std::string text;
      for (const Obstacle& one : find_obstacles({{base, {}}, {other, {}}})) text += one.text + "\n";
      for (const std::string& one : find_other_differences({{base, {}}, {other, {}}}))
        text += one + "\n";
      const char* expected = is_tpcc ? said->second.of_tpcc : said->second.of_others;
      EXPECT_THAT(text, HasSubstr(expected)) << name;
      if (*expected == '\0') EXPECT_EQ(text, "") << name;
    }
  }
}

TEST(ComparabilityTest, TransactionsAtATimeAreTheSmallestLimit) {
  const auto said = [](const std::function<void(settings::RunSettings&)>& change) {
    const auto obstacles = obstacles_of([&change](Result& r) { change(r.plan); });
    return obstacles.empty() ? "" : obstacles[0].text;
  };
  // 16 connections and 16 permits, but fewer terminals.
  EXPECT_EQ(said([](settings::RunSettings& run) { run.terminals = 4; }),
            "transactions in flight (terminals): base has 16, new has 4");
  // Simulated runs have no connections.
  const auto simulated = [](std::uint64_t at_a_time, std::int64_t minutes) {
    std::vector<Result> runs = compared_results({3000}, minutes);
    runs[0].plan.simulate_ms = 5;
    runs[0].plan.connections = 0;
    runs[0].plan.max_inflight = at_a_time;
    return runs;
  };
  const auto obstacles = find_obstacles({{simulated(1, 0), {}}, {simulated(50, 30), {}}});
  ASSERT_EQ(obstacles.size(), 1U);
  EXPECT_EQ(obstacles[0].text, "transactions in flight (terminals): base has 1, new has 50");
}

TEST(ComparabilityTest, AResultThatLacksASectionIsNamed) {
  const auto without_server = obstacles_of([](Result& r) { r.environment.server.reset(); });
  ASSERT_FALSE(without_server.empty());
  EXPECT_EQ(without_server.front().text,
            "transactions run on: base has PostgreSQL, new has a database");
  EXPECT_EQ(without_server.back().text, "new run 1 does not name its database");
  std::vector<Result> base = compared_results({3000});
  std::vector<Result> other = compared_results({3000}, 30);
  base[0].environment.server.reset();
  other[0].environment.server.reset();
  const auto obstacles = find_obstacles({{base, {}}, {other, {}}});
  ASSERT_EQ(obstacles.size(), 2U);
  EXPECT_EQ(obstacles[0].key, "backend");
  EXPECT_EQ(obstacles[0].text, "base run 1 does not name its database");

  base = compared_results({3000});
  other = compared_results({3000}, 30);
  base[0].audit = {{"mix", "5.2.3", Judgement::held, "Payment 43.5%"}};
  base[0].ledger_in_data.emplace();
  EXPECT_THAT(find_other_differences({{base, {}}, {other, {}}}),
              ElementsAre("audit: base has made, new has none",
                          "ledger compared with the data: base has yes, new has no"));
}

TEST(ComparabilityTest, ScriptsOfOneNameMayHaveOtherStatements) {
  std::vector<Result> base = compared_results({3000});
  std::vector<Result> other = compared_results({3000}, 30);
  for (Result* run : {&base[0], &other[0]}) {
    run->plan.benchmark = "sql";
    run->transactions = {};
    run->transactions.emplace_back().name = "pay.sql";
    run->transactions[0].statements.emplace_back().name = "line 1: SELECT a FROM t";
  }
  EXPECT_THAT(find_other_differences({{base, {}}, {other, {}}}), IsEmpty());
  other[0].transactions[0].statements[0].name = "line 1: SELECT b FROM t";
  other[0].transactions[0].statements.emplace_back().name = "line 2: COMMIT";
  EXPECT_THAT(
      find_other_differences({{base, {}}, {other, {}}}),
      ElementsAre(
          "statement 1 of pay.sql: base has line 1: SELECT a FROM t, new has line 1: SELECT "
          "b FROM t",
          "statement 2 of pay.sql: base has none, new has line 2: COMMIT"));
}

TEST(ComparabilityTest, APartIsComparedWithTheSamePartOnly) {
  const auto part = [](std::uint64_t rank, std::uint64_t ranks, std::uint64_t last) {
    return [=](Result& r) {
      r.ranks.resize(1);
      r.ranks[0].rank = rank;
      r.ranks[0].ranks = ranks;
      r.ranks[0].warehouse_first = 1;
      r.ranks[0].warehouse_last = last;
    };
  };
  expect_obstacle("part", "base has all, new has rank 0 of 2 (counted from 0), warehouses 1 to 5",
                  part(0, 2, 5));
  expect_obstacle("part", "base has all, new has warehouses 1 to 5", part(0, 1, 5));
  expect_obstacle("part", "new has rank 1 of 4", [](Result& r) {
    r.ranks.resize(1);
    r.ranks[0].rank = 1;
    r.ranks[0].ranks = 4;
  });
  // Several hosts, or one, that made all of it.
  EXPECT_THAT(obstacles_of(part(0, 1, 10)), IsEmpty());
  EXPECT_THAT(obstacles_of([](Result& r) { r.ranks.resize(4); }), IsEmpty());
  std::vector<Result> base = compared_results({3000});
  std::vector<Result> other = compared_results({3000}, 30);
  part(0, 2, 5)(base[0]);
  part(0, 2, 5)(other[0]);
  EXPECT_THAT(find_obstacles({{base, {}}, {other, {}}}), IsEmpty());
  EXPECT_NE(circumstances_of(base[0], {}), circumstances_of(compared_results({3000})[0], {}));
}

TEST(ComparabilityTest, PacingIsDelaysAndTheirDivision) {
  const auto obstacles = obstacles_of([](Result& r) { r.plan.no_delays = false; });
  ASSERT_FALSE(obstacles.empty());
  EXPECT_EQ(obstacles[0].key, "pacing");
  EXPECT_THAT(obstacles[0].text, HasSubstr("base has no delays, new has as specified"));
  std::vector<Result> base = compared_results({3000});
  std::vector<Result> other = compared_results({3000}, 30);
  base[0].plan.no_delays = other[0].plan.no_delays = false;
  // With delays the terminals are the load, and connections may differ.
  other[0].plan.connections = 99;
  EXPECT_THAT(find_obstacles({{base, {}}, {other, {}}}), IsEmpty());
  other[0].plan.pace = 10;
  EXPECT_EQ(find_obstacles({{base, {}}, {other, {}}}).at(0).text,
            "pacing (keying and think times): base has as specified, new has 10 times");
}

TEST(ComparabilityTest, AWorthlessRunIsAnObstacle) {
  expect_obstacle("interrupted", "new run 1 was interrupted",
                  [](Result& r) { r.interrupted = true; });
  expect_obstacle("failed", "new run 1 was aborted: gone\\x0aaway",
                  [](Result& r) { r.failure = "gone\naway"; });
  expect_obstacle("invalid", "the audit of new run 1 is INVALID", [](Result& r) {
    r.audit = {{"client.load", "", Judgement::invalid, "a worker needed 96% of a processor"}};
  });
  // The remedy at the end of a long sentence is there.
  std::string figures = "figures";
  while (figures.size() < 400) figures += " and figures";
  const std::vector<Obstacle> invalid = obstacles_of([&](Result& r) {
    r.audit = {{"rate", "", Judgement::invalid, figures + ". See the rules client.*"}};
  });
  ASSERT_EQ(invalid.size(), 1U);
  EXPECT_THAT(invalid[0].text, testing::EndsWith("See the rules client.*"));
  // Not compliant is not invalid: runs without delays never are.
  EXPECT_THAT(obstacles_of([](Result& r) {
                r.audit = {{"keying", "5.2.5.2", Judgement::broken, "no keying times"}};
              }),
              IsEmpty());
}

TEST(ComparabilityTest, TheSameRunTwiceIsAnObstacle) {
  const std::vector<Result> base = compared_results({3000, 3010});
  const std::vector<Result> copies{base[0], base[1]};
  const std::vector<std::string> base_names{"a.json", "b.json"};
  const std::vector<std::string> new_names{"c.json", "evil\x1b.json"};
  const auto obstacles = find_obstacles({{base, base_names}, {copies, new_names}});
  ASSERT_EQ(obstacles.size(), 2u);
  EXPECT_EQ(obstacles[0].text, "a.json and c.json are the same run");
  EXPECT_EQ(obstacles[1].text, "b.json and evil\\x1b.json are the same run");
}

TEST(ComparabilityTest, WhatMayBeComparedIsToldApart) {
  const std::vector<Result> base = compared_results({3000});
  std::vector<Result> other = compared_results({3000}, 30);
  other[0].environment.server->version = "16.4";
  other[0].environment.server->settings["shared_buffers"] = "2GB";
  other[0].tool.commit = "def5678";
  other[0].environment.client.hostname = "flock";
  other[0].ranks.resize(4);
  EXPECT_THAT(
      find_other_differences({{base, {}}, {other, {}}}),
      ElementsAre("server version: base has 15.8, new has 16.4",
                  "drover: base has 0.1.0 (abc1234), new has 0.1.0 (def5678)",
                  "hosts: base has 1, new has 4",
                  "client machine: base has herd (2 CPUs, Xeon), new has flock (2 CPUs, Xeon)",
                  "server setting shared_buffers: base has 1GB, new has 2GB"));
  for (int i = 0; i < 1000; ++i) {
    other[0].environment.server->settings["s" + std::to_string(i)] = "x";
  }
  const auto many = find_other_differences({{base, {}}, {other, {}}});
  EXPECT_EQ(many.size(), 25u);
  EXPECT_THAT(many.back(), HasSubstr("and 981 more"));
}

TEST(ComparabilityTest, CircumstancesSortResultsIntoGroups) {
  Result one = compared_results({3000})[0];
  Result other = compared_results({2000}, 30)[0];
  EXPECT_EQ(circumstances_of(one, {}), circumstances_of(other, {}));
  other.plan.isolation = "serializable";
  EXPECT_NE(circumstances_of(one, {}), circumstances_of(other, {}));
  const std::vector<std::string> allowed{"isolation"};
  EXPECT_EQ(circumstances_of(one, allowed), circumstances_of(other, allowed));
  EXPECT_TRUE(is_same_run(one, one));
  EXPECT_FALSE(is_same_run(one, other));
}

using testing::HasSubstr;

std::vector<Result> began_at(const std::vector<std::int64_t>& starts) {
  std::vector<Result> runs;
  for (const std::int64_t start : starts) {
    ComparedRun run;
    run.start_ts += start;
    runs.push_back(compared_result(run));
  }
  return runs;
}

using Starts = std::vector<std::pair<std::int64_t, std::int64_t>>;

// The starts of the runs of each pair.
Starts starts_of_pairs(const std::vector<std::int64_t>& base_starts,
                       const std::vector<std::int64_t>& new_starts) {
  const std::vector<Result> base = began_at(base_starts);
  const std::vector<Result> new_runs = began_at(new_starts);
  EXPECT_TRUE(are_in_turns({{base, {}}, {new_runs, {}}}));
  Starts starts;
  for (const RunPair& pair : pair_runs({{base, {}}, {new_runs, {}}})) {
    starts.emplace_back(base_starts.at(pair.base), new_starts.at(pair.new_run));
  }
  return starts;
}

std::string refusal(const std::vector<std::int64_t>& base_starts,
                    const std::vector<std::int64_t>& new_starts,
                    const std::vector<std::string>& base_names = {}) {
  const std::vector<Result> base = began_at(base_starts);
  const std::vector<Result> new_runs = began_at(new_starts);
  EXPECT_FALSE(are_in_turns({{base, {}}, {new_runs, {}}}));
  try {
    pair_runs({{base, base_names}, {new_runs, {}}});
  } catch (const NoPairs& error) {
    return error.what();
  }
  return "";
}

TEST(RunPairsTest, EachWithItsNeighbourWhicheverCameFirst) {
  EXPECT_EQ(starts_of_pairs({0, 20, 40}, {10, 30, 50}), (Starts{{0, 10}, {20, 30}, {40, 50}}));
  EXPECT_EQ(starts_of_pairs({0, 30, 40}, {10, 20, 50}), (Starts{{0, 10}, {30, 20}, {40, 50}}));
}

TEST(RunPairsTest, ARunThatDoesNotSayWhenItBeganHasNoPair) {
  const std::int64_t never = -ComparedRun().start_ts;
  EXPECT_EQ(refusal({0, never}, {10, 30}, {"a.json", "b.json"}),
            "b.json has no start time (summary.measure_start_ts is 0), so --paired cannot pair it. "
            "Leave out this result, or leave out --paired");
}

TEST(RunPairsTest, TheOrderOfTheCommandLineDoesNotMatter) {
  EXPECT_EQ(starts_of_pairs({40, 0, 20}, {30, 50, 10}), (Starts{{0, 10}, {20, 30}, {40, 50}}));
}

TEST(RunPairsTest, OneSecondDecidesNothing) {
  EXPECT_EQ(starts_of_pairs({0, 10}, {10, 20}), (Starts{{0, 10}, {10, 20}}));
  EXPECT_EQ(starts_of_pairs({0, 10}, {0, 10}), (Starts{{0, 0}, {10, 10}}));
}

TEST(RunPairsTest, OtherCountsAreRefused) {
  EXPECT_EQ(refusal({0, 20, 40}, {10, 30}),
            "both sides need equally many results of alternating runs, but base has 3 and new has "
            "2. Add the missing results, or leave out --paired");
  EXPECT_EQ(refusal({0}, {10}),
            "at least 2 pairs are needed, better 12, because one pair does not show how much pairs "
            "vary. Make more alternating runs, or leave out --paired");
}

TEST(RunPairsTest, RunsThatAreNoNeighboursAreNamed) {
  // base, base, new, new
  const std::string text = refusal({0, 10, 40}, {20, 30, 50}, {"a.json", "b\x1b.json", "c.json"});
  EXPECT_THAT(text, HasSubstr("a.json (base, began 2025-11-20 20:20:00 UTC)"));
  EXPECT_THAT(text, HasSubstr("new run 1 (new, began 2025-11-20 20:20:20 UTC) would be pair 1"));
  EXPECT_THAT(text, HasSubstr("but b\\x1b.json (base, began 2025-11-20 20:20:10 UTC), of pair 2"));
  EXPECT_THAT(text, HasSubstr("leave out --paired"));
  // One side in a block, either way.
  EXPECT_THAT(refusal({0, 10, 20}, {30, 40, 50}), HasSubstr("base run 2"));
  EXPECT_THAT(refusal({30, 40, 50}, {0, 10, 20}), HasSubstr("new run 2"));
  // Late in the row.
  EXPECT_THAT(refusal({0, 20, 40, 50}, {10, 30, 60, 70}), HasSubstr("would be pair 3"));
}

Result with_events(std::vector<WaitEvent> events) {
  Result result = example_ycsb_result();
  result.server_stats.emplace();
  result.server_stats->samples_measured = 60;
  result.server_stats->wait_events = std::move(events);
  return result;
}

std::string note_of(const std::vector<Result>& base, const std::vector<Result>& new_runs) {
  return wait_events_note(base, new_runs);
}

TEST(WaitEventsNote, ComparesShares) {
  const Result base = with_events({{"CPU", 3}, {"IO:WALSync", 1}});
  const Result other = with_events({{"IO:WALSync", 6}, {"CPU", 3}, {"Lock:tuple", 1}});
  EXPECT_EQ(note_of({base}, {other}),
            "Shares of the time in the server by wait event, from base to new: CPU 75% to 30%, "
            "IO:WALSync 25% to 60%, Lock:tuple 0% to 10%.");
}

TEST(WaitEventsNote, ASideIsAllOfItsRuns) {
  const Result base = with_events({{"CPU", 3}, {"IO:WALSync", 1}});
  const Result more = with_events({{"CPU", 1}, {"IO:WALSync", 3}});
  EXPECT_EQ(note_of({base, more, example_ycsb_result()}, {base}),
            "Shares of the time in the server by wait event, from base to new: CPU 50% to 75%, "
            "IO:WALSync 50% to 25%.");
}

TEST(WaitEventsNote, TheRestIsOne) {
  const Result many =
      with_events({{"a", 40}, {"b", 20}, {"c", 15}, {"d", 10}, {"e", 8}, {"f", 5}, {"g", 2}});
  EXPECT_THAT(note_of({many}, {many}), testing::EndsWith("e 8% to 8%, other events 7% to 7%."));
}

TEST(WaitEventsNote, IsEmptyWhereASideWasNotWatched) {
  const Result base = with_events({{"CPU", 3}});
  EXPECT_EQ(note_of({base}, {example_ycsb_result()}), "");
  EXPECT_EQ(note_of({example_ycsb_result()}, {base}), "");
  EXPECT_EQ(note_of({base}, {with_events({})}), "");
}

TEST(WaitEventsNote, IsPrintableWhateverTheNamesAre) {
  const Result hostile = with_events({{"\x1b[2J\n", 1}});
  EXPECT_EQ(note_of({hostile}, {hostile}).find('\x1b'), std::string::npos);
  EXPECT_EQ(note_of({hostile}, {hostile}).find('\n'), std::string::npos);
}

TEST(WaitEventsNote, StandsInAComparison) {
  const std::vector<Result> base = {with_events({{"CPU", 3}, {"IO:WALSync", 1}})};
  std::vector<Result> other = base;
  other[0].summary.measure_start_ts += 100;
  const std::string text = compare_text(compare(base, other));
  EXPECT_THAT(
      text,
      testing::HasSubstr(
          "- Shares of the time in the server by wait event, from base to new: CPU 75% to 75%"));
  EXPECT_THAT(text, testing::HasSubstr("server.cpu_ms"));
}

}  // namespace
}  // namespace drover::report
