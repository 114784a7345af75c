// The live screen on a terminal. Handles keys, changes of the size, Ctrl-Z and fg, the background,
// and a terminal that takes no output or hangs up. For one worker; never waits for the terminal.
#pragma once

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "coro/event.h"
#include "coro/task.h"
#include "file/file_descriptor.h"
#include "ui/dashboard.h"
#include "ui/display.h"
#include "ui/terminal/terminal.h"

namespace drover::ui {

// A descriptor for the signals SIGWINCH, SIGTSTP, SIGCONT and SIGHUP. While it lives, these signals
// are blocked in this thread and in threads that this thread starts.
class TerminalSignals {
 public:
  // Throws std::system_error.
  TerminalSignals();
  TerminalSignals(const TerminalSignals&) = delete;
  TerminalSignals& operator=(const TerminalSignals&) = delete;
  // Discards pending signals.
  ~TerminalSignals();

  int fd() const noexcept { return fd_.get(); }
  std::vector<int> take();

 private:
  file::FileDescriptor fd_;
  sigset_t before_;
};

// The content of a screen.
struct ScreenContent {
  Viewer& viewer;
  std::function<int(Canvas&)> draw;  // returns the number of visible lines of the log
  std::string first_quit;            // line of the log for the first q
  std::string next_quit;             // for each later q; empty: none
  std::function<void()> on_quit;     // called at the first q
};

class Screen {
 public:
  // Shows the screen until the destructor, which restores the terminal. Must be called before
  // threads are started. Throws std::runtime_error.
  explicit Screen(ScreenContent content) : content_(std::move(content)) {}

  void paint();
  // Adds a line to the log and paints.
  void add_line(Level level, std::string_view text);

  // Serves keys and signals, and repaints once a second, until it is cancelled.
  coro::Task<void> attend();

 private:
  coro::Task<void> attend_keys();
  coro::Task<void> attend_signals();
  coro::Task<void> attend_output();
  coro::Task<void> attend_stray();
  coro::Task<void> attend_time();
  void on_key(Key key);
  void on_signal(int number);
  // Runs `task`, and adds its error to the log.
  coro::Task<void> log_error_of(coro::Task<void> task);

  ScreenContent content_;
  TerminalSignals signals_;
  Terminal terminal_;
  int page_ = 1;  // visible lines of the log
  coro::Notification shown_again_;
  coro::Notification waiting_;  // output waits for the terminal
  coro::Instant painted_at_{};
  bool stale_ = false;  // the terminal did not take the newest picture
};

// Returns the screen `Display(arguments...)`, or nullptr if `mode` and the terminal ask for plain
// lines. Throws if the mode is `screen` and no screen is possible.
template <class Display, class... Arguments>
std::unique_ptr<Display> screen_if_wanted(DisplayMode mode, const Arguments&... arguments) {
  const bool required = mode == DisplayMode::screen;
  if (!required && !(mode == DisplayMode::automatic && screen_suits())) return nullptr;
  try {
    return std::make_unique<Display>(arguments...);
  } catch (const std::exception& error) {
    if (required) throw;
    fmt::print(stderr, "note: the live screen is not available ({}). Drover prints plain lines\n",
               error.what());
  }
  return nullptr;
}

}  // namespace drover::ui
