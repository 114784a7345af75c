// ImportScreen: the live screen of an import. Lives on the worker of the import.
#pragma once

#include <functional>

#include "ui/import_display.h"
#include "ui/import_model.h"
#include "ui/screen.h"

namespace drover::ui {

class ImportScreen final : public ImportDisplay {
 public:
  // Throws std::runtime_error if there can be no screen.
  ImportScreen(ImportTitle title, std::function<void()> on_quit);

  coro::Duration interval() const override { return std::chrono::seconds(1); }
  coro::Task<void> attend() override { return screen_.attend(); }
  void on_wait() override;
  void on_work(const ImportWork& work) override;
  void on_load(const ImportLoad& load) override;
  void on_step(std::string_view name, std::size_t number, std::size_t total) override;
  void on_step_done(std::string_view name, coro::Duration took) override;

 private:
  void draw(Canvas& canvas);
  void on_key(Key key);
  void enter_stage(ImportStage stage);

  std::function<void()> on_quit_;
  ImportModel model_;
  coro::Instant stage_begin_;
  Screen screen_;
};

}  // namespace drover::ui
