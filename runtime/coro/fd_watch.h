// FdWatch: waits until a file descriptor can be read or written, on the worker's epoll.
//
// The descriptor is registered once and level-triggered, so that readers may leave data behind
// (libpq does). Interest that nobody waits for is dropped when its event comes, and stays
// otherwise: a connection that is asked again and again needs no system call but its own.
//
// One waiter at a time: a second one is a std::logic_error. Lives on one worker. The descriptor
// stays the caller's, and should not be closed before the watch is destroyed: who waits then would
// wait for ever. A watch whose descriptor was closed all the same leaves alone what has the same
// number since (the worker knows whose each number is), and so does one that dies in a process that
// was forked off, where the epoll is the parent's, too.
#pragma once

#include <sys/epoll.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <system_error>

#include "coro/awaiter.h"
#include "coro/detail/pinned.h"

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

  // Resumes when one of what is wanted is possible, or the descriptor has failed. The await throws
  // std::logic_error if another task waits, and changes nothing for that one, and std::system_error
  // if the descriptor cannot be watched, because it was closed, say.
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

  // Prefetches the part of the waiting coroutine's frame that holds the awaiter.
  void fetch_waiter() const noexcept {
    constexpr std::size_t line = 64;
    if (waiter_ == nullptr) return;
    __builtin_prefetch(waiter_);
    __builtin_prefetch(reinterpret_cast<const char*>(waiter_) + line);
  }

  // False if the descriptor is watched no more.
  bool arm(std::uint32_t events) noexcept {
    if (events == armed_) return worker_->is_watching(*this);
    armed_ = events;
    return worker_->change_watch(*this);
  }

  Worker* worker_;
  int fd_;
  std::uint32_t armed_ = 0;
  bool watched_ = true;  // by epoll
  pid_t process_ = 0;    // that has registered it
  ReadyAwaiter* waiter_ = nullptr;
};

}  // namespace drover::coro
