#include "ui/import_screen.h"

#include <fmt/format.h>

#include <utility>

#include "ui/import_layout.h"
#include "ui/log_keys.h"
#include "ui/number_text.h"

namespace drover::ui {
namespace {

coro::Instant now() {
  return coro::SteadyClock::instance().now();
}

}  // namespace

ImportScreen::ImportScreen(ImportTitle title, std::function<void()> on_quit)
    : on_quit_(std::move(on_quit)),
      stage_begin_(now()),
      screen_({.draw = [this](Canvas& canvas) { draw(canvas); },
               .on_key = [this](Key key) { on_key(key); },
               .on_line = [this](const std::string& line) { model_.log.add(Level::note, line); }}) {
  model_.title = std::move(title);
  screen_.paint();
}

void ImportScreen::enter_stage(ImportStage stage) {
  if (std::exchange(model_.stage, stage) != stage) stage_begin_ = now();
}

void ImportScreen::on_wait() {
  enter_stage(ImportStage::waiting);
  model_.log.add(Level::warning,
                 "waiting for another import of this schema, or for its sessions, to end");
  screen_.paint();
}

void ImportScreen::on_work(const ImportWork& work) {
  enter_stage(ImportStage::loading);
  model_.work = work;
  if (work.skipped > 0) {
    model_.log.add(Level::note,
                   fmt::format("skipping {} of {} warehouses, which are loaded already",
                               work.skipped, work.warehouses));
  }
  if (!work.nothing_to_load) {
    if (work.has_keys) {
      model_.log.add(Level::warning,
                     "the tables have their keys already: loading is slower than without");
    }
    model_.load.warehouses_total = work.missing;
    model_.log.add(
        Level::note,
        fmt::format("loading {} from seed {}",
                    counted(static_cast<std::uint64_t>(work.missing), "warehouse"), work.seed));
  }
  screen_.paint();
}

void ImportScreen::on_load(const ImportLoad& load) {
  model_.take_load(load);
  screen_.paint();
}

void ImportScreen::on_step(std::string_view name, std::size_t number, std::size_t total) {
  if (model_.stage != ImportStage::finishing && model_.load.rows > 0) {
    model_.log.add(
        Level::good,
        fmt::format("loaded {} in {}", counted(static_cast<std::uint64_t>(model_.load.rows), "row"),
                    clock_text(now() - stage_begin_)));
  }
  enter_stage(ImportStage::finishing);
  model_.begin_step(name, number, total, now());
  screen_.paint();
}

void ImportScreen::on_step_done(std::string_view name, coro::Duration took) {
  model_.end_step(name, took);
  model_.log.add(Level::note, fmt::format("{}: {:.1f} s", name, seconds_of(took)));
  screen_.paint();
}

void ImportScreen::draw(Canvas& canvas) {
  model_.now = now();
  model_.in_stage = model_.now - stage_begin_;
  draw_import(model_, canvas);
}

void ImportScreen::on_key(Key key) {
  if (model_.help && key != Key::quit) {
    model_.help = false;
    return;
  }
  const TerminalSize size = screen_.size();
  if (look_at_log(model_.log, key,
                  static_cast<std::size_t>(log_rows_of_import(size.rows, size.columns)))) {
    return;
  }
  switch (key) {
    case Key::quit:
      if (std::exchange(model_.quitting, true)) return;
      model_.log.add(Level::note, "q: ending the import");
      on_quit_();
      break;
    case Key::charts:
      model_.chart = model_.chart == ImportChart::rows ? ImportChart::bytes : ImportChart::rows;
      break;
    case Key::help:
      model_.help = true;
      break;
    default:
      break;
  }
}

}  // namespace drover::ui
