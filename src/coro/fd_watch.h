// FdWatch: waits until a file descriptor can be read or written, on the worker's epoll.
//
// The descriptor is registered once and level-triggered, so that readers may leave data behind
// (libpq does). Interest that nobody waits for is dropped when its event comes, and stays
// otherwise: a connection that is asked again and again needs no system call but its own.
//
// One waiter at a time. Lives on one worker. The descriptor stays the caller's, and must not be
// closed before the watch is destroyed.
#pragma once

#include <sys/epoll.h>

#include <cstdint>

#include "coro/awaiter.h"

namespace drover::coro {

enum class Readiness : std::uint32_t {
  read = EPOLLIN,
  write = EPOLLOUT,
  read_or_write = EPOLLIN | EPOLLOUT,
};

class FdWatch {
 public:
  // Throws std::system_error if the descriptor cannot be watched.
  explicit FdWatch(int fd) : worker_(&Worker::current()), fd_(fd) { worker_->add_watch(*this); }
  FdWatch(const FdWatch&) = delete;
  FdWatch& operator=(const FdWatch&) = delete;
  ~FdWatch() {
    if (watched_) worker_->remove_watch(*this);
  }

  class ReadyAwaiter final : Awaiter {
   public:
    ReadyAwaiter(FdWatch& watch, Readiness wanted) noexcept : watch_(watch), wanted_(wanted) {}

    bool await_ready() const noexcept { return false; }

    template <DroverPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) {
      if (!suspend(awaiting)) return false;
      watch_.start_waiting(*this);
      return true;
    }

    void await_resume() const { throw_if_cancelled(); }

   private:
    friend class FdWatch;
    void abandon() noexcept override { watch_.waiter_ = nullptr; }

    FdWatch& watch_;
    Readiness wanted_;
  };

  // Resumes when one of what is wanted is possible, or the descriptor has failed.
  ReadyAwaiter ready(Readiness wanted) noexcept { return ReadyAwaiter(*this, wanted); }

  int fd() const noexcept { return fd_; }

 private:
  friend class Worker;

  // Throws std::system_error if the descriptor cannot be watched again.
  void start_waiting(ReadyAwaiter& awaiter) {
    assert(waiter_ == nullptr && "one waiter at a time");
    if (!watched_) {
      armed_ = 0;
      worker_->add_watch(*this);
      watched_ = true;
    }
    waiter_ = &awaiter;
    arm(armed_ | static_cast<std::uint32_t>(awaiter.wanted_));
  }

  void on_events(std::uint32_t events) noexcept {
    constexpr std::uint32_t failed = EPOLLERR | EPOLLHUP;
    if (waiter_ == nullptr) {
      // A failure is reported whether it was asked for or not, again and again: until somebody
      // waits, a descriptor that has failed is not watched.
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
      // A socket can be written nearly always: that interest would fire at once again.
      arm(armed_ & ~static_cast<std::uint32_t>(EPOLLOUT));
      waiter->complete();
    } else {
      arm(wanted);
    }
  }

  void arm(std::uint32_t events) noexcept {
    if (events == armed_) return;
    armed_ = events;
    worker_->change_watch(*this);
  }

  Worker* worker_;
  int fd_;
  std::uint32_t armed_ = 0;
  bool watched_ = true;  // by epoll
  ReadyAwaiter* waiter_ = nullptr;
};

}  // namespace drover::coro
