// TerminalGuard: a small process that puts the terminal in order if this one cannot: after a crash,
// _exit() or kill -9.
//
// It sleeps on a pipe of which this process alone holds the other end, so that it wakes when this
// process has ended, however it did. It holds nothing else open but the terminal and what was
// written to the error stream meanwhile (stray_output.h); it is in a session of its own, so that no
// key or signal of the terminal reaches it; and it never outlives this process, save for as long as
// the terminal takes nothing.
//
// One thread; to be made before others are started. The child does what is safe after a fork.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <atomic>
#include <string>

#include "file/file_descriptor.h"

namespace drover::ui {

class TerminalGuard {
 public:
  // `leave`: the bytes by which the terminal leaves the screen. The descriptors stay the caller's;
  // the guard has copies. Throws std::system_error.
  TerminalGuard(int input, int output, int stray, std::string leave);
  TerminalGuard(const TerminalGuard&) = delete;
  TerminalGuard& operator=(const TerminalGuard&) = delete;
  // Ends it. If the terminal is guarded still, the guard puts it in order first.
  ~TerminalGuard();

  // From now on the terminal is to be put in order: to `before`, if it is then as `screen` says. A
  // shell that has taken it over meanwhile is left alone.
  void begin(const termios& before, const termios& screen) noexcept;
  // It has been put in order.
  void end() noexcept;

 private:
  // Shared by both processes. Written by this one, read by the other when this one has ended: the
  // end of a process orders them.
  struct Note {
    std::atomic<bool> guarded;
    termios before;
    termios screen;
  };

  Note* note_;
  file::FileDescriptor life_;  // the end of the pipe that says "I live"
  pid_t pid_ = -1;
};

}  // namespace drover::ui
