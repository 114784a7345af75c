// RunScreen: the live screen of a run. Lives on the main worker.
#pragma once

#include <functional>

#include "ui/display.h"
#include "ui/run_model.h"
#include "ui/screen.h"

namespace drover::ui {

class RunScreen final : public RunDisplay {
 public:
  // Throws std::runtime_error if there can be no screen.
  RunScreen(const load::Plan& plan, RunTitle title, std::function<void()> on_quit);

  void on_started(coro::Duration ramp_up) override;
  void on_snapshot(const load::Snapshot& snapshot) override;
  void on_ended(bool database_away) override;
  void on_note(std::string_view text) override;
  coro::Task<void> attend() override { return screen_.attend(); }

 private:
  void draw(Canvas& canvas);
  void on_key(Key key);
  void enter_stage(RunStage stage);

  std::function<void()> on_quit_;
  RunModel model_;
  RunEvents events_;
  RunFiguresMaker figures_;
  coro::Instant stage_begin_;
  Screen screen_;
};

}  // namespace drover::ui
