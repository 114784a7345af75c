#include "ui/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "text/plain_text.h"
#include "ui/number_text.h"
#include "ui/terminal/screen.h"

namespace drover::ui {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* waiting_line =
    "waiting until another import into this schema and its sessions have ended";

std::string ended_line(std::int32_t sessions) {
  return fmt::format("terminated {} of an earlier import that no longer responded",
                     text::counted(static_cast<std::uint64_t>(sessions), "session"));
}

std::vector<std::pair<Level, std::string>> lines_before_loading(const tpcc::ImportPlan& plan) {
  std::vector<std::pair<Level, std::string>> lines;
  if (plan.skipped > 0) {
    lines.emplace_back(Level::note,
                       fmt::format("skipping {} of {} warehouses, which are loaded already",
                                   plan.skipped, plan.warehouses));
  }
  if (!plan.missing.empty() && plan.has_keys) {
    lines.emplace_back(Level::warning, "the tables already have keys, so loading is slower");
  }
  return lines;
}

std::string loading_line(const tpcc::ImportPlan& plan) {
  return fmt::format(
      "loading {} with seed {}",
      text::counted_grouped(static_cast<std::uint64_t>(plan.warehouses_missing()), "warehouse"),
      plan.population.seed);
}

// Errors are ignored: a line that cannot be written must not end an import.
void print(const std::string& line) {
  std::fputs((line + '\n').c_str(), stderr);
}

class ImportLines final : public ImportDisplay {
 public:
  explicit ImportLines(ImportTitle title) : title_(std::move(title)) {}

  void on_wait() override { print(waiting_line); }
  void on_sessions_ended(std::int32_t count) override { print(ended_line(count)); }

  void on_plan(const tpcc::ImportPlan& plan) override {
    for (const auto& [level, line] : lines_before_loading(plan)) print(line);
    if (plan.missing.empty()) return;
    print(fmt::format("{} over {}, {}", loading_line(plan),
                      text::counted_grouped(title_.connections, "connection"),
                      text::counted_grouped(title_.threads, "thread")));
  }

  void on_loading(const tpcc::ImportProgress& load) override {
    const double elapsed = std::max(seconds_of(load.elapsed), 1e-3);
    const auto rows = static_cast<double>(load.rows);
    std::string left;
    if (load.rows > 0 && load.warehouses < load.warehouses_total) {
      const double share = rows / static_cast<double>(std::max<std::int64_t>(load.rows_total, 1));
      left = fmt::format(", about {:.0f} s left", std::max(elapsed / share - elapsed, 0.0));
    }
    print(fmt::format("{:5.1f} s  {}/{} warehouses, {:.2f} M rows, {:.0f} k rows/s, {}/s{}",
                      elapsed, load.warehouses, load.warehouses_total, rows / 1e6,
                      rows / elapsed / 1e3, bytes_text(static_cast<double>(load.bytes) / elapsed),
                      left));
  }

  void on_step(std::string_view name, std::size_t number, std::size_t total) override {
    print(fmt::format("{}/{} {}", number, total, name));
  }

 private:
  ImportTitle title_;
};

class ImportScreen final : public ImportDisplay {
 public:
  // Throws std::runtime_error if there can be no screen.
  ImportScreen(ImportTitle title, std::function<void()> on_quit)
      : screen_({.viewer = model_,
                 .draw = [this](Canvas& canvas) { return draw(canvas); },
                 .first_quit = "q: ending the import",
                 .next_quit = "",
                 .on_quit = std::move(on_quit)}) {
    model_.title = std::move(title);
    screen_.paint();
  }

  coro::Duration interval() const override { return std::chrono::seconds(1); }
  coro::Task<void> attend() override { return screen_.attend(); }

  void on_wait() override {
    enter_stage(ImportStage::waiting);
    screen_.add_line(Level::warning, waiting_line);
  }

  void on_note(std::string_view line) override { screen_.add_line(Level::warning, line); }

  void on_sessions_ended(std::int32_t count) override {
    screen_.add_line(Level::warning, ended_line(count));
  }

  void on_plan(const tpcc::ImportPlan& plan) override {
    enter_stage(ImportStage::loading);
    model_.plan = plan;
    for (const auto& [level, line] : lines_before_loading(plan)) model_.log.add(level, line);
    if (!plan.missing.empty()) {
      model_.load.warehouses_total = plan.warehouses_missing();
      model_.log.add(Level::note, loading_line(plan));
    }
    screen_.paint();
  }

  void on_loading(const tpcc::ImportProgress& load) override {
    model_.take_load(load);
    screen_.paint();
  }

  void on_step(std::string_view name, std::size_t number, std::size_t total) override {
    if (model_.stage != ImportStage::finishing && model_.load.rows > 0) {
      const auto rows = static_cast<std::uint64_t>(model_.load.rows);
      model_.log.add(Level::good, fmt::format("loaded {} in {}", text::counted_grouped(rows, "row"),
                                              clock_text(Clock::now() - stage_begin_)));
    }
    enter_stage(ImportStage::finishing);
    model_.begin_step(name, number, total, Clock::now());
    screen_.paint();
  }

  void on_step_done(std::string_view name, coro::Duration took) override {
    model_.end_step(name, took);
    screen_.add_line(Level::note, fmt::format("{}: {:.1f} s", name, seconds_of(took)));
  }

 private:
  void enter_stage(ImportStage stage) {
    if (std::exchange(model_.stage, stage) != stage) stage_begin_ = Clock::now();
  }

  int draw(Canvas& canvas) {
    model_.now = Clock::now();
    model_.in_stage = model_.now - stage_begin_;
    return draw_import(model_, canvas);
  }

  ImportModel model_;
  coro::Instant stage_begin_ = Clock::now();
  Screen screen_;
};

}  // namespace

void ImportDisplay::on_note(std::string_view line) {
  print(std::string(line));
}

std::unique_ptr<ImportDisplay> make_import_display(DisplayMode mode, ImportTitle title,
                                                   std::function<void()> on_quit) {
  if (mode == DisplayMode::quiet) return std::make_unique<ImportDisplay>();
  auto screen = screen_if_wanted<ImportScreen>(mode, title, on_quit);
  if (screen != nullptr) return screen;
  return std::make_unique<ImportLines>(std::move(title));
}

}  // namespace drover::ui
