#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <utility>

#include "text/plain_text.h"
#include "ui/number_text.h"
#include "ui/run/run_events.h"
#include "ui/run/run_model.h"
#include "ui/terminal/display.h"
#include "ui/terminal/screen.h"

namespace drover::ui {
namespace {

using Clock = std::chrono::steady_clock;

constexpr coro::Duration plain_interval = std::chrono::seconds(5);

// Shows warnings only, such as those about columns that a run may fill.
class Quiet final : public RunDisplay {
 public:
  void on_note(std::string_view text) override {
    if (!text.starts_with("warning: ")) return;
    std::fputs(fmt::format("{}\n", printable_line(text)).c_str(), stderr);
  }
};

// The live screen of a run. Lives on the main worker.
class RunScreen final : public RunDisplay {
 public:
  // Throws std::runtime_error if there can be no screen.
  RunScreen(const load::Plan& plan, RunTitle title, std::function<void()> on_quit)
      : on_quit_(std::move(on_quit)), events_(plan) {
    model_.title = std::move(title);
    model_.plan = plan;
    note(plan.connections == 0
             ? fmt::format("starting the {}s", plan.workload.terminal)
             : "opening " + text::counted_grouped(plan.connections, "connection"));
    screen_.paint();
  }

  void on_started(coro::Duration ramp_up) override {
    enter_stage(RunStage::running);
    note(fmt::format(
        "{} up after {:.2f} s",
        text::counted_grouped(model_.plan.terminal_count, model_.plan.workload.terminal),
        seconds_of(ramp_up)));
    screen_.paint();
  }

  void on_snapshot(const load::Snapshot& snapshot) override {
    model_.take(snapshot, Clock::now());
    for (const RunEvent& event : events_.observe(snapshot)) model_.log.add(event.level, event.text);
    screen_.paint();
  }

  void on_ended(bool database_away) override {
    enter_stage(RunStage::asking);
    model_.database_away = database_away;
    if (database_away) {
      model_.log.add(Level::warning,
                     "the load has ended; waiting for the database, to look up unknown commits");
    } else {
      note("the load has ended; reading the data");
    }
    screen_.paint();
  }

  void on_note(std::string_view text) override {
    note(text);
    screen_.paint();
  }

  coro::Task<void> attend() override { return screen_.attend(); }

 private:
  void note(std::string_view text) { model_.log.add(Level::note, text); }

  void enter_stage(RunStage stage) {
    model_.stage = stage;
    stage_begin_ = Clock::now();
  }

  void draw(Canvas& canvas) {
    model_.in_stage = Clock::now() - stage_begin_;
    draw_run(model_, canvas);
  }

  void on_key(Key key) {
    const TerminalSize size = screen_.size();
    const auto page = static_cast<std::size_t>(log_rows_of_run(model_, size.rows, size.columns));
    if (model_.take_key(key, page)) return;
    if (key == Key::charts) model_.charts = next_charts(model_.charts, size.columns);
    if (key != Key::quit) return;
    if (std::exchange(model_.quitting, true)) {
      return note("the run is ending already; Ctrl-C ends it at once");
    }
    note("q: ending the run");
    on_quit_();
  }

  std::function<void()> on_quit_;
  RunModel model_;
  RunEvents events_;
  coro::Instant stage_begin_ = Clock::now();
  Screen screen_{{.draw = [this](Canvas& canvas) { draw(canvas); },
                  .on_key = [this](Key key) { on_key(key); },
                  .on_line = [this](const std::string& line) { note(line); }}};
};

}  // namespace

std::unique_ptr<RunDisplay> make_run_display(Choice choice, const load::Plan& plan, RunTitle title,
                                             std::function<void()> on_quit) {
  if (choice == Choice::quiet) return std::make_unique<Quiet>();
  auto screen =
      screen_or_nothing(choice, [&] { return std::make_unique<RunScreen>(plan, title, on_quit); });
  if (screen != nullptr) return screen;
  return make_plain_lines(plan, stderr, plain_interval);
}

}  // namespace drover::ui
