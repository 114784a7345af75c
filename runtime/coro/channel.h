// Channel<T>: values on their way from tasks to tasks, in order, at most `capacity` of them in
// between. With a capacity of 0 a send waits until a receiver has taken its value (a rendezvous).
// For the tasks of one worker; not thread-safe.
//
//   co_await channel.send(value);                                // waits while it is full
//   while (auto value = co_await channel.receive()) use(*value);  // until closed and empty
//
// Invariants: senders and receivers are served first come, first served, and a value is handed to
// the longest waiter itself. Each value that a send has handed over is received once: a cancelled
// sender that waits keeps its value, a cancelled receiver that waits takes none, and one that had
// been given its value before the cancellation keeps it. Waiters wait for receivers only while the
// buffer is empty, and for senders only while it is full. The buffer is allocated once.
#pragma once

#include <cassert>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "coro/awaiter.h"
#include "coro/detail/pinned.h"

namespace drover::coro {

// Thrown by a send to a channel that has been closed, before or while it waited.
class ChannelClosed : public std::runtime_error {
 public:
  ChannelClosed() : std::runtime_error("the channel is closed") {}
};

template <class T>
class Channel : Pinned {
  static_assert(
      std::is_nothrow_move_constructible_v<T>,
      "a value changes hands inside the runtime, where nobody could catch what it throws");

 public:
  explicit Channel(std::size_t capacity) : ring_(capacity) {}
  ~Channel() { assert(senders_.empty() && receivers_.empty()); }

  class SendAwaiter final : Waiter {
   public:
    SendAwaiter(Channel& channel, T value) noexcept : channel_(channel), value_(std::move(value)) {}

    bool await_ready() const noexcept { return false; }

    template <DroverPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
      return wait_unless(awaiting, channel_.senders_, [this] {
        sent_ = !channel_.closed_ && channel_.hand_over(value_);
        return sent_ || channel_.closed_;
      });
    }

    void await_resume() const {
      throw_if_cancelled();
      if (!sent_) throw ChannelClosed();
    }

   private:
    friend class Channel;

    Channel& channel_;
    T value_;
    bool sent_ = false;
  };

  class ReceiveAwaiter final : Waiter {
   public:
    explicit ReceiveAwaiter(Channel& channel) noexcept : channel_(channel) {}

    bool await_ready() const noexcept { return false; }

    template <DroverPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
      return wait_unless(awaiting, channel_.receivers_,
                         [this] { return channel_.take(value_) || channel_.closed_; });
    }

    std::optional<T> await_resume() {
      throw_if_cancelled();
      return std::move(value_);
    }

   private:
    friend class Channel;

    Channel& channel_;
    std::optional<T> value_;
  };

  // Throws ChannelClosed; the value is lost then, as it is at a cancellation.
  SendAwaiter send(T value) noexcept { return SendAwaiter(*this, std::move(value)); }

  // Hands back nothing once the channel is closed and empty.
  ReceiveAwaiter receive() noexcept { return ReceiveAwaiter(*this); }

  // False if it would have to wait; moves from `value` only if true. Throws ChannelClosed.
  bool try_send(T& value) {
    if (closed_) throw ChannelClosed();
    return hand_over(value);
  }
  bool try_send(T&& value) { return try_send(value); }

  // Nothing if there is no value now: closed() says whether there may still come one.
  std::optional<T> try_receive() noexcept {
    std::optional<T> value;
    take(value);
    return value;
  }

  // No more values: who waits to send gets ChannelClosed; who receives gets what is in the buffer,
  // then nothing. May be called again.
  void close() noexcept {
    closed_ = true;
    senders_.wake_all();
    receivers_.wake_all();
  }

  bool closed() const noexcept { return closed_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return ring_.size(); }

 private:
  // To the longest waiting receiver or into the buffer; false if there is room in neither.
  bool hand_over(T& value) noexcept {
    if (Waiter* first = receivers_.first()) {
      static_cast<ReceiveAwaiter*>(first)->value_.emplace(std::move(value));
      receivers_.wake_first();
      return true;
    }
    if (size_ == ring_.size()) return false;
    push(value);
    return true;
  }

  // Out of the buffer, which the longest waiting sender then fills up, or from that sender.
  bool take(std::optional<T>& value) noexcept {
    if (size_ > 0) {
      std::optional<T>& oldest = ring_[head_];
      value.emplace(std::move(*oldest));
      oldest.reset();
      head_ = (head_ + 1) % ring_.size();
      --size_;
      if (SendAwaiter* sender = first_sender()) push(sender->value_);
    } else if (SendAwaiter* sender = first_sender()) {
      value.emplace(std::move(sender->value_));
    } else {
      return false;
    }
    complete_first_sender();
    return true;
  }

  SendAwaiter* first_sender() const noexcept { return static_cast<SendAwaiter*>(senders_.first()); }

  void complete_first_sender() noexcept {
    if (SendAwaiter* sender = first_sender()) {
      sender->sent_ = true;
      senders_.wake_first();
    }
  }

  // Requires: there is room.
  void push(T& value) noexcept {
    ring_[(head_ + size_) % ring_.size()].emplace(std::move(value));
    ++size_;
  }

  std::vector<std::optional<T>> ring_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
  bool closed_ = false;
  WaiterQueue senders_;
  WaiterQueue receivers_;
};

}  // namespace drover::coro
