#include "ui/terminal/stray_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace drover::ui {

StrayOutput::StrayOutput() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe2");
  }
  read_.reset(ends[0]);
  write_.reset(ends[1]);
}

void StrayOutput::capture() {
  std::fflush(stderr);
  before_.reset(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!before_) throw std::system_error(errno, std::generic_category(), "dup");
  dup2(write_.get(), STDERR_FILENO);
  write_.reset();
}

StrayOutput::~StrayOutput() {
  if (!before_) return;
  std::fflush(stderr);
  dup2(before_.get(), STDERR_FILENO);
  read_all();
  if (!rest_.empty()) kept_.push_back(std::move(rest_));
  for (const std::string& line : kept_) std::fputs((line + '\n').c_str(), stderr);
  if (dropped_ > 0) {
    std::fputs(fmt::format("({} more lines were dropped)\n", dropped_).c_str(), stderr);
  }
}

std::vector<std::string> StrayOutput::take() {
  read_all();
  return std::exchange(fresh_, {});
}

void StrayOutput::read_all() {
  std::array<char, 4096> text;
  for (;;) {
    const ssize_t count = read(read_.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    for (ssize_t i = 0; i < count; ++i) {
      const char byte = text[static_cast<std::size_t>(i)];
      if (byte != '\n') {
        if (rest_.size() < line_bytes_most) rest_ += byte;
        continue;
      }
      if (kept_.size() < lines_most) {
        kept_.push_back(rest_);
        fresh_.push_back(std::move(rest_));
      } else {
        ++dropped_;
      }
      rest_.clear();
    }
  }
}

}  // namespace drover::ui
