// The signals of a terminal as a descriptor: its size has changed, Ctrl-Z, the job goes on, it has
// hung up. Blocked in this thread and in those that it starts, as long as this lives; to be made
// before they are started.
#pragma once

#include <csignal>
#include <vector>

#include "ui/file_descriptor.h"

namespace drover::ui {

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

  // As SIGTSTP would have done. Returns when the job goes on, or at once if nobody could make it.
  static void stop_this_job();

 private:
  FileDescriptor fd_;
  sigset_t before_;
};

}  // namespace drover::ui
