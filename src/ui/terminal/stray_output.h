// StrayOutput: what is written to the error stream while a screen is on it, by libraries or by
// ourselves in distress. It would tear the screen; so it goes into a pipe, and from there into the
// log. Nobody ever waits for the pipe: what does not fit is lost.
//
// One thread; the error stream itself may be written to by any.
#pragma once

#include <string>
#include <vector>

#include "file/file_descriptor.h"

namespace drover::ui {

class StrayOutput {
 public:
  static constexpr std::size_t lines_most = 200;  // kept for the end; the rest is counted
  static constexpr std::size_t line_bytes_most = 4096;

  // Makes the pipe, and nothing else yet. Throws std::system_error.
  StrayOutput();
  StrayOutput(const StrayOutput&) = delete;
  StrayOutput& operator=(const StrayOutput&) = delete;
  // Gives the error stream back, and writes to it what came meanwhile.
  ~StrayOutput();

  // Puts the pipe in the place of the error stream.
  void capture();

  int fd() const noexcept { return read_.get(); }

  // The lines that came since, whole ones only.
  std::vector<std::string> take();

 private:
  void read_all();

  file::FileDescriptor read_;
  file::FileDescriptor write_;
  file::FileDescriptor before_;  // the error stream as it was; none: not captured
  std::string rest_;             // a line that has not ended
  std::vector<std::string> fresh_;
  std::vector<std::string> kept_;
  std::size_t dropped_ = 0;
};

}  // namespace drover::ui
