// TerminalGuard: a child process that restores the terminal if this process cannot, after a crash,
// _exit() or kill -9.
//
// The child waits for the end of this process on a pipe whose other end only this process holds. It
// keeps no other descriptors than the terminal and the captured error stream (StrayOutput). It has
// a session of its own, so that no key or signal of the terminal reaches it. It ends with this
// process, or later if the terminal accepts no output.
//
// For one thread. Must be made before threads are started, because it forks.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <atomic>
#include <string>

#include "file/file_descriptor.h"

namespace drover::ui {

class TerminalGuard {
 public:
  // `leave`: bytes that restore the normal screen. The child has copies of the descriptors. Throws
  // std::system_error.
  TerminalGuard(int input, int output, int stray, std::string leave);
  TerminalGuard(const TerminalGuard&) = delete;
  TerminalGuard& operator=(const TerminalGuard&) = delete;
  // Ends the child, which restores the terminal first if it is guarded.
  ~TerminalGuard();

  // Guards the terminal: the child will set its mode to `before`, unless the mode then differs from
  // `screen` because a shell has changed it.
  void begin(const termios& before, const termios& screen) noexcept;
  // Ends the guarding after this process has restored the terminal.
  void end() noexcept;

 private:
  // Memory that both processes share. The child reads it after this process has ended.
  struct Shared {
    std::atomic<bool> guarded;
    termios before;
    termios screen;
  };

  Shared* shared_;
  file::FileDescriptor life_;  // the end of the pipe whose closing wakes the child
  pid_t pid_ = -1;
};

}  // namespace drover::ui
