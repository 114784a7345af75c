// Common code of the examples with sockets: a descriptor that closes itself, and a stream whose
// waits suspend only the task.
//
// Each operation tries first and waits only if the kernel has no data or no room. Errors are
// std::system_error. An operation that is cancelled while it waits throws Cancelled.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "coro/fd_watch.h"
#include "coro/task.h"

[[noreturn]] inline void throw_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

class Descriptor {
 public:
  // Takes what a system call handed back: throws its error if that is below zero.
  Descriptor(int fd, const char* what) : fd_(fd) {
    if (fd < 0) throw_errno(what);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }

  int fd() const noexcept { return fd_; }

 private:
  int fd_;
};

// A non-blocking socket. One task at a time may wait on it.
class Stream {
 public:
  explicit Stream(Descriptor socket) : socket_(std::move(socket)), watch_(socket_.fd()) {}

  drover::coro::Task<void> connect(sockaddr_in address) {
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    if (::connect(socket_.fd(), generic, sizeof address) == 0) co_return;
    if (errno != EINPROGRESS) throw_errno("connect");
    co_await watch_.ready(drover::coro::Readiness::write);
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(socket_.fd(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) throw std::system_error(error, std::generic_category(), "connect");
  }

  // Hands back how much; 0 at the end of the stream.
  drover::coro::Task<std::size_t> read_some(std::span<char> buffer) {
    for (;;) {
      const ssize_t count = recv(socket_.fd(), buffer.data(), buffer.size(), 0);
      if (count >= 0) co_return static_cast<std::size_t>(count);
      if (errno != EAGAIN && errno != EINTR) throw_errno("recv");
      co_await watch_.ready(drover::coro::Readiness::read);
    }
  }

  // `text` must live until it is written: it does if the caller awaits this at once.
  drover::coro::Task<void> write_all(std::string_view text) {
    while (!text.empty()) {
      const ssize_t count = send(socket_.fd(), text.data(), text.size(), MSG_NOSIGNAL);
      if (count >= 0) {
        text.remove_prefix(static_cast<std::size_t>(count));
        continue;
      }
      if (errno != EAGAIN && errno != EINTR) throw_errno("send");
      co_await watch_.ready(drover::coro::Readiness::write);
    }
  }

 private:
  Descriptor socket_;
  drover::coro::FdWatch watch_;  // goes before the descriptor is closed
};
