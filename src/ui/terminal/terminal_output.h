// The output of a live screen to its terminal, and the capture of the error stream. For one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "file/file_descriptor.h"

namespace drover::ui {

// Opens the terminal of `fd` again, for reading and writing without waiting. A descriptor of its
// own is necessary because O_NONBLOCK would also apply to the shell. Throws std::runtime_error.
file::FileDescriptor open_terminal_of(int fd);

// Writes to a terminal without waiting for it. A terminal may accept no output for any time
// (Ctrl-S, a stopped ssh). The rest of a picture stays in a buffer, and the caller writes no other
// picture until the buffer is empty.
class TerminalOutput {
 public:
  explicit TerminalOutput(int fd) noexcept : fd_(fd) {}

  int fd() const noexcept { return fd_; }

  // Adds bytes to the buffer and flushes.
  void write(std::string_view bytes);
  // Writes as much as the terminal accepts. Returns true if the buffer is empty.
  bool flush() noexcept;
  // Like flush(), but waits for the terminal until `timeout` has passed.
  bool flush_within(coro::Duration timeout) noexcept;
  bool pending() const noexcept { return begin_ < waiting_.size(); }

  // True if the terminal no longer exists. Output is then discarded.
  bool gone() const noexcept { return gone_; }
  void give_up() noexcept;

 private:
  int fd_;
  std::string waiting_;
  std::size_t begin_ = 0;  // of the bytes that wait
  bool gone_ = false;
};

// Captures the error stream while the screen is on it, because output of libraries would damage the
// screen. The stream is a pipe that never blocks a writer: lines that do not fit are lost. Any
// thread may write to the error stream.
class StrayOutput {
 public:
  static constexpr std::size_t lines_most = 200;  // that the destructor writes
  static constexpr std::size_t line_bytes_most = 4096;

  // Makes the pipe. Throws std::system_error.
  StrayOutput();
  StrayOutput(const StrayOutput&) = delete;
  StrayOutput& operator=(const StrayOutput&) = delete;
  // Restores the error stream, and writes the captured lines to it.
  ~StrayOutput();

  // Replaces the error stream by the pipe.
  void capture();

  int fd() const noexcept { return read_.get(); }

  // Returns the complete lines since the last call.
  std::vector<std::string> take();

 private:
  void read_all();

  file::FileDescriptor read_;
  file::FileDescriptor write_;
  file::FileDescriptor before_;  // the original error stream; empty: not captured
  std::string rest_;             // a line that has not ended
  std::vector<std::string> fresh_;
  std::vector<std::string> kept_;
  std::size_t dropped_ = 0;
};

}  // namespace drover::ui
