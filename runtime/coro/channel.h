// Channel<T>: passes values between tasks, in order, and buffers at most `capacity` of them. With
// capacity 0, a send waits until a receiver has taken its value (a rendezvous). For the tasks of
// one worker; not thread-safe.
//
//   co_await channel.send(value);                                // waits while the channel is full
//   while (auto value = co_await channel.receive()) use(*value);  // until closed and empty
//
// Invariants: senders and receivers are served first come, first served, and a value is handed
// directly to the longest waiter. Each value that a send has handed over is received once: a sender
// that is cancelled while it waits keeps its value, a receiver that is cancelled while it waits
// takes none, and a receiver that had its value before the cancellation keeps it. Receivers wait
// only while the buffer is empty, senders only while it is full. The buffer is allocated once.
#pragma once

#include <cassert>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "coro/awaiter.h"

namespace drover::coro {

// Thrown by a send to a channel that is closed, or was closed while the send waited.
class ChannelClosed : public std::runtime_error {
 public:
  ChannelClosed() : std::runtime_error("the channel is closed") {}
};

template <class T>
class Channel : Pinned {
  static_assert(std::is_nothrow_move_constructible_v<T>,
                "a value is moved inside the runtime, where no task could catch an exception");

 public:
  explicit Channel(std::size_t capacity) : ring_(capacity) {}
  ~Channel() { assert(senders_.empty() && receivers_.empty()); }

  class SendAwaiter final : public Waiter {
   public:
    SendAwaiter(Channel& channel, T value) noexcept : channel_(channel), value_(std::move(value)) {}

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

  class ReceiveAwaiter final : public Waiter {
   public:
    explicit ReceiveAwaiter(Channel& channel) noexcept : channel_(channel) {}

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

  // Throws ChannelClosed. The value is then lost, as it is if the task is cancelled.
  SendAwaiter send(T value) noexcept { return SendAwaiter(*this, std::move(value)); }

  // Returns std::nullopt once the channel is closed and empty.
  ReceiveAwaiter receive() noexcept { return ReceiveAwaiter(*this); }

  // Returns false instead of waiting. Moves from `value` only if it returns true. Throws
  // ChannelClosed.
  bool try_send(T& value) {
    if (closed_) throw ChannelClosed();
    return hand_over(value);
  }
  bool try_send(T&& value) { return try_send(value); }

  // Returns std::nullopt if there is no value now. If closed() is false, one may still come.
  std::optional<T> try_receive() noexcept {
    std::optional<T> value;
    take(value);
    return value;
  }

  // Ends the channel: waiting senders get ChannelClosed, receivers get the values in the buffer and
  // then std::nullopt. May be called again.
  void close() noexcept {
    closed_ = true;
    senders_.wake_all();
    receivers_.wake_all();
  }

  bool closed() const noexcept { return closed_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return ring_.size(); }

 private:
  // Moves the value to the longest waiting receiver or into the buffer. Returns false if neither
  // has room.
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

  // Takes the oldest value from the buffer, which the longest waiting sender refills, or from that
  // sender. Returns false if there is no value.
  bool take(std::optional<T>& value) noexcept {
    auto* sender = static_cast<SendAwaiter*>(senders_.first());
    if (size_ > 0) {
      std::optional<T>& oldest = ring_[head_];
      value.emplace(std::move(*oldest));
      oldest.reset();
      head_ = (head_ + 1) % ring_.size();
      --size_;
      if (sender != nullptr) push(sender->value_);
    } else if (sender != nullptr) {
      value.emplace(std::move(sender->value_));
    } else {
      return false;
    }
    if (sender != nullptr) {
      sender->sent_ = true;
      senders_.wake_first();
    }
    return true;
  }

  // Requires: the buffer has room.
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
