// Screen: a picture on the terminal, made anew when its owner says so, after keys, when the size
// has changed, and once a second; with the life of a terminal around it: Ctrl-Z and fg, the
// background, a terminal that takes nothing, one that hangs up.
//
// Lives on one worker. Nothing here waits for the terminal.
#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "coro/event.h"
#include "coro/task.h"
#include "file/file_descriptor.h"
#include "ui/terminal/terminal.h"

namespace drover::ui {

// The signals of a terminal as a descriptor: its size has changed, Ctrl-Z, the job goes on, it has
// hung up. Blocked in this thread and in those that it starts, as long as this lives; to be made
// before they are started.
class TerminalSignals {
 public:
  // Throws std::system_error.
  TerminalSignals();
  TerminalSignals(const TerminalSignals&) = delete;
  TerminalSignals& operator=(const TerminalSignals&) = delete;
  // Those that came and were not taken are forgotten.
  ~TerminalSignals();

  int fd() const noexcept { return fd_.get(); }
  std::vector<int> take();

 private:
  file::FileDescriptor fd_;
  sigset_t before_;
};

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
