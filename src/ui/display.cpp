#include "ui/display.h"

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <utility>

#include "text/plain_text.h"
#include "ui/number_text.h"
#include "ui/run_events.h"
#include "ui/run_model.h"
#include "ui/terminal/screen.h"

namespace drover::ui {
namespace {

using Clock = std::chrono::steady_clock;

constexpr coro::Duration plain_interval = std::chrono::seconds(5);

class WarningsOnly final : public RunDisplay {
 public:
  void on_note(std::string_view text) override {
    if (!text.starts_with("warning: ")) return;
    std::fputs(fmt::format("{}\n", printable_line(text)).c_str(), stderr);
  }
};

class RunScreen final : public RunDisplay {
 public:
  // Throws std::runtime_error if there can be no screen.
  RunScreen(const load::Plan& plan, RunTitle title, std::function<void()> on_quit)
      : events_(plan),
        screen_({.viewer = model_,
                 .draw = [this](Canvas& canvas) { return draw(canvas); },
                 .first_quit = "q: ending the run",
                 .next_quit = "the run is ending already; Ctrl-C ends it at once",
                 .on_quit = std::move(on_quit)}) {
    model_.title = std::move(title);
    model_.plan = plan;
    on_note(plan.connections == 0
                ? fmt::format("starting the {}s", plan.workload.terminal)
                : "opening " + text::counted_grouped(plan.connections, "connection"));
  }

  void on_started(coro::Duration ramp_up) override {
    enter_stage(RunStage::running);
    on_note(terminals_up_text(model_.plan, ramp_up));
  }

  void on_snapshot(const load::Snapshot& snapshot) override {
    model_.take(snapshot, Clock::now());
    for (const RunEvent& event : events_.observe(snapshot)) model_.log.add(event.level, event.text);
    screen_.paint();
  }

  void on_ended(bool database_away) override {
    enter_stage(RunStage::asking);
    model_.database_away = database_away;
    screen_.add_line(
        database_away ? Level::warning : Level::note,
        database_away ? "the load has ended; waiting for the database, to look up unknown commits"
                      : "the load has ended; reading the data");
  }

  void on_note(std::string_view text) override { screen_.add_line(Level::note, text); }
  coro::Task<void> attend() override { return screen_.attend(); }

 private:
  void enter_stage(RunStage stage) {
    model_.stage = stage;
    stage_begin_ = Clock::now();
  }

  int draw(Canvas& canvas) {
    model_.in_stage = Clock::now() - stage_begin_;
    return draw_run(model_, canvas);
  }

  RunModel model_;
  RunEvents events_;
  coro::Instant stage_begin_ = Clock::now();
  Screen screen_;
};

}  // namespace

std::unique_ptr<RunDisplay> make_run_display(DisplayMode mode, const load::Plan& plan,
                                             RunTitle title, std::function<void()> on_quit) {
  if (mode == DisplayMode::quiet) return std::make_unique<WarningsOnly>();
  auto screen = screen_if_wanted<RunScreen>(mode, plan, title, on_quit);
  if (screen != nullptr) return screen;
  return make_plain_lines(plan, stderr, plain_interval);
}

}  // namespace drover::ui
