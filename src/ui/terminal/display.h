// What a person sees of a run while it goes on: the screen, plain lines, or nothing.
//
// Used on the main thread only. A display reads snapshots and nothing else; what it writes goes to
// the error stream, so that the standard output stays for results.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "coro/task.h"
#include "load/plan.h"
#include "load/snapshot.h"
#include "ui/terminal/screen_place.h"

namespace drover::ui {

// As it stands it shows nothing: errors and the summary are all that is printed then.
class RunDisplay : public load::Observer {
 public:
  // Beside the run, on its worker, until it is cancelled: keys, the size of the terminal.
  virtual coro::Task<void> attend() { co_return; }
};

// What a display says of the run besides its snapshots.
struct RunTitle {
  std::string database;    // "the private server, PostgreSQL 15.18", "no database: simulated"
  std::string statements;  // "batched, read committed"; empty if there is no database
};

// `on_quit` is called, on the main thread, when the person asks for the orderly end of the run.
// The display is closed, and the terminal as it was, when it is destroyed. To be made before
// threads are started. `plan` must outlive it.
std::unique_ptr<RunDisplay> make_run_display(Choice choice, const load::Plan& plan, RunTitle title,
                                             std::function<void()> on_quit);

// What it makes where there is no screen: lines on `out`, one each time that `every` has passed.
std::unique_ptr<RunDisplay> make_plain_lines(const load::Plan& plan, std::FILE* out,
                                             coro::Duration every);

}  // namespace drover::ui
