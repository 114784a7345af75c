#include "ui/terminal/terminal_guard.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace drover::ui {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// The following functions run in the child. They call only what is safe after a fork.

void write_all(int fd, const char* bytes, std::size_t count) noexcept {
  while (count > 0) {
    const ssize_t written = write(fd, bytes, count);
    if (written > 0) {
      bytes += written;
      count -= static_cast<std::size_t>(written);
    } else if (written < 0 && errno == EAGAIN) {
      pollfd writable{.fd = fd, .events = POLLOUT, .revents = 0};
      poll(&writable, 1, -1);
      if ((writable.revents & (POLLERR | POLLHUP)) != 0) return;
    } else if (written == 0 || errno != EINTR) {
      return;
    }
  }
}

// Prints the last output of the error stream, which may tell why the process ended.
void show_stray(int terminal, int stray) noexcept {
  std::array<char, 4096> text;
  for (;;) {
    const ssize_t count = read(stray, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    for (char& byte : text) {
      const bool control = static_cast<unsigned char>(byte) < 0x20 && byte != '\n' && byte != '\t';
      if (control || byte == 0x7f) byte = ' ';
    }
    write_all(terminal, text.data(), static_cast<std::size_t>(count));
  }
}

bool same(const termios& a, const termios& b) noexcept {
  return a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_cflag == b.c_cflag &&
         a.c_lflag == b.c_lflag && std::memcmp(a.c_cc, b.c_cc, sizeof a.c_cc) == 0;
}

void wait_for_the_end(int life) noexcept {
  char byte = 0;
  while (read(life, &byte, 1) < 0 && errno == EINTR) {
  }
}

// Closes all other descriptors, so that pipes and locks of this process end with it.
void close_all_but(std::array<int, 4> kept) noexcept {
  std::sort(kept.begin(), kept.end());
  unsigned first = 0;
  for (const int fd : kept) {
    if (fd < 0) continue;
    const auto number = static_cast<unsigned>(fd);
    if (number > first) syscall(SYS_close_range, first, number - 1, 0u);
    first = number + 1;
  }
  syscall(SYS_close_range, first, ~0u, 0u);
}

}  // namespace

TerminalGuard::TerminalGuard(int input, int output, int stray, std::string leave) {
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("mmap");
  shared_ = new (memory) Shared{};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe2");
  file::FileDescriptor life(ends[0]);
  life_.reset(ends[1]);
  // The child inherits the mask, and so gets no signals.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  pid_ = fork();
  if (pid_ == 0) {
    close_all_but({input, output, stray, life.get()});
    setsid();
    (void)chdir("/");
    prctl(PR_SET_NAME, "drover-guard");
    wait_for_the_end(life.get());
    if (shared_->guarded.load()) {
      termios now{};
      if (tcgetattr(input, &now) == 0 && same(now, shared_->screen)) {
        tcsetattr(input, TCSANOW, &shared_->before);
      }
      write_all(output, leave.data(), leave.size());
      show_stray(output, stray);
    }
    _exit(0);
  }
  const int error = errno;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  if (pid_ < 0) fail("fork");
}

TerminalGuard::~TerminalGuard() {
  const bool guarded = shared_->guarded.load();
  life_.reset();
  // A child that restores the terminal may have to wait for it, and is then left alone.
  constexpr int timeout_ms = 1'000;
  const file::FileDescriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  pollfd ended{.fd = process.get(), .events = POLLIN, .revents = 0};
  const bool in_time = process && poll(&ended, 1, timeout_ms) > 0;
  if (!in_time && !guarded) kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, in_time || !guarded ? 0 : WNOHANG);
  munmap(shared_, sizeof(Shared));
}

void TerminalGuard::begin(const termios& before, const termios& screen) noexcept {
  shared_->before = before;
  shared_->screen = screen;
  shared_->guarded.store(true);
}

void TerminalGuard::end() noexcept {
  shared_->guarded.store(false);
}

}  // namespace drover::ui
