// TerminalOutput: writes to a terminal without ever waiting for it.
//
// A terminal may take nothing for as long as it likes: Ctrl-S, a stopped ssh. What it does not take
// stays here, and the caller brings nothing more until that has gone: so at most one picture waits.
//
// The descriptor is one of our own on the same terminal (its file is opened anew), so that "do not
// wait" is not put upon the shell and others that share ours. For one thread.
#pragma once

#include <string>
#include <string_view>

#include "coro/clock.h"
#include "file/file_descriptor.h"

namespace drover::ui {

// Opens the terminal of `fd` anew, to read and write, without waiting. Throws std::runtime_error.
file::FileDescriptor open_terminal_of(int fd);

class TerminalOutput {
 public:
  explicit TerminalOutput(int fd) noexcept : fd_(fd) {}

  int fd() const noexcept { return fd_; }

  // Some of it, all of it, or nothing is written now.
  void write(std::string_view bytes);
  // Goes on with what waits. Whether nothing does any more.
  bool flush() noexcept;
  bool pending() const noexcept { return begin_ < waiting_.size(); }
  // Waits for the terminal, at most so long. Whether nothing waits any more.
  bool flush_within(coro::Duration patience) noexcept;

  // The terminal is no more: nothing is written, and nothing waits.
  bool gone() const noexcept { return gone_; }
  void give_up() noexcept;

 private:
  int fd_;
  std::string waiting_;
  std::size_t begin_ = 0;  // of what waits
  bool gone_ = false;
};

}  // namespace drover::ui
