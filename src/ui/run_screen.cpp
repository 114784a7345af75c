#include "ui/run_screen.h"

#include <fmt/format.h>

#include <utility>

#include "ui/log_keys.h"
#include "ui/number_text.h"
#include "ui/run_layout.h"

namespace drover::ui {
namespace {

coro::Instant now() {
  return coro::SteadyClock::instance().now();
}

}  // namespace

RunScreen::RunScreen(const load::Plan& plan, RunTitle title, std::function<void()> on_quit)
    : on_quit_(std::move(on_quit)),
      events_(plan),
      figures_(plan),
      stage_begin_(now()),
      screen_({.draw = [this](Canvas& canvas) { draw(canvas); },
               .on_key = [this](Key key) { on_key(key); },
               .on_line = [this](const std::string& line) { model_.log.add(Level::note, line); }}) {
  model_.title = std::move(title);
  model_.plan = plan;
  model_.log.add(Level::note,
                 plan.connections == 0
                     ? "starting the terminals"
                     : fmt::format("opening {}", counted(plan.connections, "connection")));
  screen_.paint();
}

void RunScreen::enter_stage(RunStage stage) {
  model_.stage = stage;
  stage_begin_ = now();
}

void RunScreen::on_started(coro::Duration ramp_up) {
  enter_stage(RunStage::running);
  model_.log.add(Level::note,
                 fmt::format("{} up after {:.2f} s", counted(model_.plan.terminals(), "terminal"),
                             seconds_of(ramp_up)));
  screen_.paint();
}

void RunScreen::on_snapshot(const load::Snapshot& snapshot) {
  model_.history.add(snapshot.second);
  model_.figures = figures_.make(snapshot, model_.history, now());
  for (const RunEvent& event : events_.observe(snapshot)) model_.log.add(event.level, event.text);
  screen_.paint();
}

void RunScreen::on_ended(bool database_away) {
  enter_stage(RunStage::asking);
  model_.database_away = database_away;
  model_.log.add(database_away ? Level::warning : Level::note,
                 database_away ? "the terminals have ended, and the database is away: waiting for "
                                 "it, to look up what was not answered"
                               : "the terminals have ended; asking the database what it holds");
  screen_.paint();
}

void RunScreen::on_note(std::string_view text) {
  model_.log.add(Level::note, text);
  screen_.paint();
}

void RunScreen::draw(Canvas& canvas) {
  model_.in_stage = now() - stage_begin_;
  draw_run(model_, canvas);
}

void RunScreen::on_key(Key key) {
  if (model_.help && key != Key::quit) {
    model_.help = false;
    return;
  }
  const TerminalSize size = screen_.size();
  const auto page = static_cast<std::size_t>(log_rows_of_run(model_, size.rows, size.columns));
  if (look_at_log(model_.log, key, page)) return;
  switch (key) {
    case Key::quit:
      if (std::exchange(model_.quitting, true)) {
        model_.log.add(Level::note, "the run is ending already; Ctrl-C ends it at once");
        return;
      }
      model_.log.add(Level::note, "q: ending the run");
      on_quit_();
      break;
    case Key::charts:
      model_.charts = next_charts(model_.charts, size.columns);
      break;
    case Key::help:
      model_.help = true;
      break;
    default:
      break;
  }
}

}  // namespace drover::ui
