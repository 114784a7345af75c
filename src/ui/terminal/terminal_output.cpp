#include "ui/terminal/terminal_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <stdexcept>

namespace drover::ui {

// By its link in /proc: that works in containers whose /dev has another view of terminals. A
// terminal that belongs to another user (after su) can be opened as /dev/tty only.
file::FileDescriptor open_terminal_of(int fd) {
  constexpr int flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC;
  file::FileDescriptor own(open(fmt::format("/proc/self/fd/{}", fd).c_str(), flags));
  if (own) return own;
  own.reset(open("/dev/tty", flags));
  // The number of the terminal behind /dev/tty.
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

bool TerminalOutput::flush_within(coro::Duration patience) noexcept {
  const auto end = std::chrono::steady_clock::now() + patience;
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

}  // namespace drover::ui
