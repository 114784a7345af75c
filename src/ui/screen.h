// Screen: a picture on the terminal, made anew when its owner says so, after keys, when the size
// has changed, and once a second; with the life of a terminal around it: Ctrl-Z and fg, the
// background, a terminal that takes nothing, one that hangs up.
//
// Lives on one worker. Nothing here waits for the terminal.
#pragma once

#include <functional>
#include <string>

#include "coro/clock.h"
#include "coro/notification.h"
#include "coro/task.h"
#include "ui/terminal.h"
#include "ui/terminal_signals.h"

namespace drover::ui {

class Screen {
 public:
  struct Owner {
    std::function<void(Canvas&)> draw;
    std::function<void(Key)> on_key;
    // A line for the log: written to the error stream by somebody, or about the terminal.
    std::function<void(const std::string&)> on_line;
  };

  // The terminal shows the screen from here until it is destroyed. Throws std::runtime_error.
  explicit Screen(Owner owner) : owner_(std::move(owner)) {}

  void paint();
  TerminalSize size() const noexcept { return terminal_.size(); }

  // Until it is cancelled.
  coro::Task<void> attend();

 private:
  coro::Task<void> attend_keys();
  coro::Task<void> attend_signals();
  coro::Task<void> attend_output();
  coro::Task<void> attend_stray();
  coro::Task<void> attend_time();
  void on_signal(int number);
  // Runs `task`; an error of it is a line of the log, and the run goes on without it.
  coro::Task<void> carefully(coro::Task<void> task);

  Owner owner_;
  TerminalSignals signals_;
  Terminal terminal_;
  coro::Notification shown_again_;
  coro::Notification waiting_;  // the terminal has not taken a picture
  coro::Instant painted_at_{};
  bool stale_ = false;  // the newest picture was left out
};

}  // namespace drover::ui
