// What holds of the screens at sizes from 20 x 5 to 200 x 60: words and numbers are whole, the
// keys are there where there is room, and the help fits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <set>
#include <sstream>

#include "ui/example_snapshot_test.h"
#include "ui/import.h"
#include "ui/run_model.h"

namespace drover::ui {
namespace {

using namespace std::chrono_literals;

using Lines = std::vector<std::string>;
using Draw = std::function<void(Canvas&)>;
using Words = std::set<std::string>;

// Those around which a layout changes its mind, and some of the others.
constexpr std::array heights = {5, 6, 8, 10, 15, 16, 19, 20, 24, 30, 34, 40, 60};

std::vector<int> widths() {
  std::vector<int> widths;
  for (int width = 20; width <= 200; width += width < 90 ? 1 : 5) widths.push_back(width);
  return widths;
}

Lines lines_of(const Draw& draw, int rows, int columns) {
  Canvas canvas(rows, columns, false);
  draw(canvas);
  Lines lines;
  std::istringstream stream(canvas.text());
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Lines words_of(const std::string& line) {
  Lines words;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) {
    if (word.ends_with(',')) word.pop_back();
    words.push_back(word);
  }
  return words;
}

bool says_something(const std::string& word) {
  return std::ranges::any_of(word, [](unsigned char c) { return std::isalnum(c) != 0; });
}

// Charts have words of their own for each size: their scales.
bool begins_chart(const std::string& line) {
  return line.starts_with("  tpmC") || line.starts_with("  p90 of") ||
         line.starts_with("  rows/s") || line.starts_with("  MiB/s");
}
bool ends_chart(const std::string& line) {
  return line.starts_with(" transaction ") || line.starts_with(" table ");
}

// The lines that are no part of a chart.
void for_each_word(const Lines& lines, const std::function<void(const std::string&)>& take) {
  bool chart = false;
  for (const std::string& line : lines) {
    chart = (chart || begins_chart(line)) && !ends_chart(line);
    if (chart) continue;
    for (const std::string& word : words_of(line)) {
      if (says_something(word)) take(word);
      if (word == "and" && line.find("less busy") != std::string::npos)
        break;  // their number varies
    }
  }
}

// All words there are: of a screen with room for everything, and of the widest small one.
Words all_words(const Draw& draw) {
  Words words;
  for (const auto& [rows, columns] : {std::pair(100, 400), {100, 139}, {24, 80}, {19, 400}}) {
    for_each_word(lines_of(draw, rows, columns),
                  [&](const std::string& word) { words.insert(word); });
  }
  return words;
}

// `lines_at_most`: that matter more than the keys.
void expect_whole_words_and_keys(const Draw& draw, int lines_at_most) {
  const Words words = all_words(draw);
  for (const int rows : heights) {
    for (const int columns : widths()) {
      const Lines lines = lines_of(draw, rows, columns);
      const std::string where = fmt::format("{} x {}: ", columns, rows);
      for_each_word(lines, [&](const std::string& word) {
        ASSERT_TRUE(words.contains(word)) << where << word;
      });
      if (rows > lines_at_most) {
        ASSERT_TRUE(lines.back().starts_with(" q end")) << where << lines.back();
        ASSERT_TRUE(columns < 24 || lines.back().ends_with("? help")) << where << lines.back();
      }
      if (testing::Test::HasFailure()) return;
    }
  }
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) {
    for (const std::string& word : words_of(line)) {
      if (word != "|") text += word + " ";
    }
  }
  return text;
}

bool has_all(const std::string& text, const std::vector<KeyHelp>& keys, bool brief) {
  return std::ranges::all_of(keys, [&](const KeyHelp& key) {
    const std::string& meaning = brief ? key.short_meaning : key.meaning;
    if (meaning.empty()) return true;
    std::string words = key.key + " " + meaning + " ";
    return std::ranges::all_of(words_of(words), [&](const std::string& word) {
      return (" " + text).find(" " + word + " ") != std::string::npos;
    });
  });
}

// A box is drawn whole, and has every key with its meaning; the smallest screens have the short
// ones.
void expect_help(const Draw& draw, const std::vector<KeyHelp>& keys) {
  const auto brief_keys =
      std::ranges::count_if(keys, [](const KeyHelp& key) { return !key.short_meaning.empty(); });
  for (const int rows : heights) {
    for (const int columns : widths()) {
      const Lines lines = lines_of(draw, rows, columns);
      std::string all;
      for (const std::string& line : lines) all += line;
      const auto corners = std::ranges::count(all, '+');
      ASSERT_TRUE(corners == 0 || corners == 4) << columns << " x " << rows;
      const std::string text = joined(lines);
      const bool whole = has_all(text, keys, false);
      if (rows >= 13 && columns >= 67) {
        ASSERT_TRUE(whole && corners == 4) << columns << " x " << rows;
      } else if (rows >= brief_keys && columns >= 24) {
        ASSERT_TRUE(whole || has_all(text, keys, true)) << columns << " x " << rows << text;
      }
    }
  }
}

RunModel run_model(double new_order_ms) {
  RunModel model;
  model.plan = example_plan();
  model.title = {"the private server, PostgreSQL 15.18", "batched, read committed"};
  model.log = LogBook(100, [] { return std::string("12:00:00"); });
  for (int second = 1; second <= 70; ++second) {
    const load::Snapshot snapshot = example_snapshot(second, new_order_ms);
    model.take(snapshot, coro::Instant{});
  }
  model.stage = RunStage::running;
  model.log.add(Level::note, "100 terminals up after 0.00 s");
  model.log.add(Level::warning, "the database is away: connection refused by the server");
  return model;
}

std::vector<RunModel> run_models() {
  RunModel starting;
  starting.plan = example_plan();
  starting.in_stage = 3s;
  RunModel waiting = run_model(20);
  waiting.stage = RunStage::asking;
  waiting.database_away = true;
  RunModel away = run_model(7'000);
  away.snapshot->connections_open = 3;
  away.snapshot->second.away = 4s;
  load::Outage outage;
  outage.start = away.taken_at - 4s;
  outage.first_error = "connection refused";
  away.snapshot->availability.outages = {outage};
  away.snapshot->availability.outages_dropped = 1;
  RunModel after = run_model(20);
  after.snapshot->workers.resize(100);
  outage.end = outage.start + 4s;
  after.taken_at += 65s;
  after.snapshot->availability.outages = {outage};
  after.snapshot->availability.outages_dropped = 11;
  RunModel large = run_model(20);
  load::Snapshot busy = *large.snapshot;
  busy.second.ok = {20'576, 20'576, 20'576, 20'576, 20'576};
  busy.second.p90_ms = 12'345;
  busy.second.in_flight = 9'999;
  busy.second.waiting = 149'999;
  for (std::size_t i = 0; i < 5; ++i) busy.measured[i].ok_count = 1'234'567'890;
  busy.measured[0].ok_count = 7'654'321;
  for (int second = 1; second <= 10; ++second) large.take(busy, large.taken_at);
  return {starting, waiting, run_model(20), away, after, large};
}

TEST(EverySize, OfARun) {
  for (const RunModel& model : run_models()) {
    const bool warns = model.snapshot && model.snapshot->second.away > coro::Duration::zero();
    expect_whole_words_and_keys([&](Canvas& canvas) { draw_run(model, canvas); }, warns ? 15 : 8);
  }
}

TEST(EverySize, OfTheHelpOfARun) {
  RunModel model = run_model(20);
  model.help = true;
  // Nothing of its own has a plus.
  expect_help([&](Canvas& canvas) { draw_run(model, canvas); }, run_keys());
}

TEST(EverySize, TheVerdictOfATransactionIsThere) {
  for (const RunModel& model : run_models()) {
    if (!model.snapshot) continue;
    for (int columns = 72; columns <= 200; ++columns) {
      for (const std::string& line :
           lines_of([&](Canvas& canvas) { draw_run(model, canvas); }, 24, columns)) {
        if (!line.starts_with(" NewOrder ")) continue;
        const Lines words = words_of(line.substr(0, 84));
        ASSERT_TRUE(std::ranges::count(words, "ok") + std::ranges::count(words, "OVER") == 1)
            << columns << ": " << line;
      }
    }
  }
}

ImportModel import_model(ImportStage stage) {
  ImportModel model;
  model.title = {"the private server", 2, 1};
  model.log = LogBook(100, [] { return std::string("12:00:00"); });
  model.log.add(Level::note, "loading 4 warehouses with seed 42");
  model.stage = stage;
  model.plan.warehouses = 5;
  model.plan.population.seed = 42;
  for (int second = 1; second <= 300; ++second) {
    tpcc::ImportProgress load{.elapsed = std::chrono::seconds(second),
                              .warehouses = second / 10,
                              .warehouses_total = 400,
                              .rows = std::int64_t{5'000'000} * second,
                              .rows_total = 2'500'000'000,
                              .bytes = std::int64_t{500'000'000} * second};
    load.tables[static_cast<std::size_t>(tpcc::Table::Warehouse)] = {2, 4};
    load.tables[static_cast<std::size_t>(tpcc::Table::OrderLine)] = {std::int64_t{40'000} * second,
                                                                     1'200'000'000};
    model.take_load(load);
  }
  if (stage == ImportStage::finishing) {
    for (const char* step : {"primary key order_line_pkey", "index customer_name"}) {
      model.begin_step(step, 1, 19, coro::Instant(1s));
      model.end_step(step, 1500ms);
    }
    model.begin_step("primary key stock_pkey", 3, 19, coro::Instant(10s));
    model.now = coro::Instant(13s);
  }
  return model;
}

TEST(EverySize, OfAnImport) {
  for (const ImportStage stage : {ImportStage::starting, ImportStage::waiting, ImportStage::loading,
                                  ImportStage::finishing}) {
    const ImportModel model = import_model(stage);
    expect_whole_words_and_keys([&](Canvas& canvas) { draw_import(model, canvas); }, 8);
  }
}

TEST(EverySize, OfTheHelpOfAnImport) {
  ImportModel model = import_model(ImportStage::loading);
  model.help = true;
  expect_help([&](Canvas& canvas) { draw_import(model, canvas); }, import_keys());
}

}  // namespace
}  // namespace drover::ui
