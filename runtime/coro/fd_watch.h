// FdWatch: waits until a file descriptor is readable or writable, by the worker's epoll instance.
//
// The descriptor is registered once and level-triggered, so readers may leave data behind (libpq
// does). Interest is dropped only when an event comes for which no task waits: a connection that is
// awaited again and again needs no system call besides its own.
//
// One task may wait at a time; a second one gets a std::logic_error. Lives on one worker. The
// caller owns the descriptor, and should not close it before the watch is destroyed, because a
// waiting task would wait for ever. A watch whose descriptor was closed all the same does not
// affect a newer descriptor of that number, because the worker knows the watch of each number.
// Neither does a watch that a forked process destroys affect the parent's epoll instance.
#pragma once

#include <sys/epoll.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "coro/awaiter.h"

namespace drover::coro {

enum class Readiness : std::uint32_t {
  read = EPOLLIN,
  write = EPOLLOUT,
  read_or_write = EPOLLIN | EPOLLOUT,
};

class FdWatch : Pinned {
 public:
  // Throws std::system_error if the descriptor cannot be watched.
  explicit FdWatch(int fd) : worker_(&Worker::current()), fd_(fd) { worker_->add_watch(*this); }
  ~FdWatch() {
    if (watched_) worker_->remove_watch(*this);
  }

  class ReadyAwaiter final : public Awaiter {
   public:
    ReadyAwaiter(FdWatch& watch, Readiness wanted) noexcept : watch_(watch), wanted_(wanted) {}

    template <DroverPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) {
      if (!suspend(awaiting)) return false;
      watch_.start_waiting(*this);
      return true;
    }

   private:
    friend class FdWatch;
    void abandon() noexcept override { watch_.waiter_ = nullptr; }

    FdWatch& watch_;
    Readiness wanted_;
  };

  // Waits until the descriptor is ready or has failed. The await throws std::logic_error if another
  // task waits, which keeps waiting, and std::system_error if the descriptor cannot be watched, for
  // example because it was closed.
  ReadyAwaiter ready(Readiness wanted) noexcept { return ReadyAwaiter(*this, wanted); }

  int fd() const noexcept { return fd_; }

  // Returns true if nothing has arrived since the last wait for reading, as of the worker's last
  // poll. Returns false if that is unknown: the caller must read the descriptor itself. Makes no
  // system call.
  bool is_quiet() const noexcept { return watched_ && (armed_ & EPOLLIN) != 0; }

 private:
  friend class Worker;

  void start_waiting(ReadyAwaiter& awaiter) {
    if (waiter_ != nullptr) {
      throw std::logic_error("two tasks wait on one FdWatch: it has one waiter at a time");
    }
    if (!watched_) {
      armed_ = 0;
      worker_->add_watch(*this);
      watched_ = true;
    }
    if (!arm(armed_ | static_cast<std::uint32_t>(awaiter.wanted_))) {
      armed_ = 0;
      throw std::system_error(EBADF, std::generic_category(),
                              "a descriptor was closed before its watch");
    }
    waiter_ = &awaiter;
  }

  void on_events(std::uint32_t events) noexcept {
    constexpr std::uint32_t failed = EPOLLERR | EPOLLHUP;
    if (waiter_ == nullptr) {
      // epoll reports a failure again and again, without interest in it. So a failed descriptor is
      // not watched until a task waits for it.
      if ((events & failed) != 0) {
        worker_->remove_watch(*this);
        watched_ = false;
      } else {
        arm(0);
      }
      return;
    }
    const auto wanted = static_cast<std::uint32_t>(waiter_->wanted_);
    if ((events & (wanted | failed)) != 0) {
      ReadyAwaiter* waiter = std::exchange(waiter_, nullptr);
      // A socket is nearly always writable, so this interest would cause an event at once.
      arm(armed_ & ~static_cast<std::uint32_t>(EPOLLOUT));
      waiter->complete();
    } else {
      arm(wanted);
    }
  }

  // Prefetches the part of the waiting coroutine's frame that holds the awaiter.
  void prefetch_waiter() const noexcept {
    constexpr std::size_t line = 64;
    if (waiter_ == nullptr) return;
    __builtin_prefetch(waiter_);
    __builtin_prefetch(reinterpret_cast<const char*>(waiter_) + line);
  }

  // Returns false if the descriptor was closed.
  bool arm(std::uint32_t events) noexcept {
    if (events == armed_) return worker_->is_watching(*this);
    armed_ = events;
    return worker_->change_watch(*this);
  }

  Worker* worker_;
  int fd_;
  std::uint32_t armed_ = 0;
  bool watched_ = true;  // by epoll
  pid_t process_ = 0;    // in which it was registered
  ReadyAwaiter* waiter_ = nullptr;
};

}  // namespace drover::coro
