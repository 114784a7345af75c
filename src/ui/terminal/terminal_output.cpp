#include "ui/terminal/terminal_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace drover::ui {

// The link in /proc works in containers whose /dev does not have the terminal. A terminal that
// belongs to another user (after su) can only be opened as /dev/tty.
file::FileDescriptor open_terminal_of(int fd) {
  constexpr int flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC;
  file::FileDescriptor own(open(fmt::format("/proc/self/fd/{}", fd).c_str(), flags));
  if (own) return own;
  own.reset(open("/dev/tty", flags));
  // TIOCGDEV tells the device number of the terminal behind /dev/tty.
  unsigned wanted = 0;
  unsigned found = 0;
  const bool same = own && ioctl(fd, TIOCGDEV, &wanted) == 0 &&
                    ioctl(own.get(), TIOCGDEV, &found) == 0 && wanted == found;
  if (!same) throw std::runtime_error("cannot open the terminal a second time");
  return own;
}

void TerminalOutput::write(std::string_view bytes) {
  if (gone_) return;
  waiting_.erase(0, begin_);
  begin_ = 0;
  waiting_.append(bytes);
  flush();
}

bool TerminalOutput::flush() noexcept {
  while (pending()) {
    const ssize_t written = ::write(fd_, waiting_.data() + begin_, waiting_.size() - begin_);
    if (written > 0) {
      begin_ += static_cast<std::size_t>(written);
    } else if (written < 0 && errno == EINTR) {
      continue;
    } else if (written == 0 || errno == EAGAIN) {
      return false;
    } else {
      give_up();
    }
  }
  waiting_.clear();
  begin_ = 0;
  return true;
}

bool TerminalOutput::flush_within(coro::Duration timeout) noexcept {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (!flush()) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd writable{.fd = fd_, .events = POLLOUT, .revents = 0};
    poll(&writable, 1, static_cast<int>(left.count()));
  }
  return true;
}

void TerminalOutput::give_up() noexcept {
  gone_ = true;
  waiting_.clear();
  begin_ = 0;
}

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
