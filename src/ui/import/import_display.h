// What a person sees of an import while it goes on: the screen, plain lines, or nothing. It is told
// on the main thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "coro/clock.h"
#include "coro/task.h"
#include "ui/terminal/screen_place.h"
#include "workload/tpcc/database.h"

namespace drover::ui {

struct ImportTitle {
  std::string database;  // "the private server"
  std::size_t connections = 0;
  std::size_t threads = 0;
};

// This base class shows notes only. Errors and the summary are printed by other code.
class ImportDisplay : public tpcc::ImportObserver {
 public:
  void on_note(std::string_view line) override;
  // How often it wants to be told how far the load is.
  virtual coro::Duration interval() const { return std::chrono::seconds(2); }
  // Beside the import, on its worker, until it is cancelled.
  virtual coro::Task<void> attend() { co_return; }
};

// As make_run_display() in display.h.
std::unique_ptr<ImportDisplay> make_import_display(Choice choice, ImportTitle title,
                                                   std::function<void()> on_quit);

}  // namespace drover::ui
