// The display of a run: the live screen, plain lines, or nothing. For the main thread. A display
// writes to the error stream only, so that the standard output contains only results.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "coro/task.h"
#include "load/plan.h"
#include "load/snapshot.h"

namespace drover::ui {

// The values of --ui.
enum class DisplayMode { automatic, screen, plain, quiet };

class RunDisplay : public load::Observer {
 public:
  // Serves the keys and the signals of the terminal until it is cancelled.
  virtual coro::Task<void> attend() { co_return; }
};

struct RunTitle {
  std::string database;    // "the private server, PostgreSQL 15.18"
  std::string statements;  // "batched, read committed"; empty without a database
};

// Calls `on_quit` on the main thread when the user asks for the end of the run. The destructor of
// the display restores the terminal. Must be called before threads are started. `plan` must outlive
// the display.
std::unique_ptr<RunDisplay> make_run_display(DisplayMode mode, const load::Plan& plan,
                                             RunTitle title, std::function<void()> on_quit);

// Returns the display that writes a line to `out` each time that `every` has passed.
std::unique_ptr<RunDisplay> make_plain_lines(const load::Plan& plan, std::FILE* out,
                                             coro::Duration every);

}  // namespace drover::ui
