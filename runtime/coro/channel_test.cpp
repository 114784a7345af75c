#include "coro/channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/deadline.h"
#include "coro/sleep.h"

namespace drover::coro {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class ChannelTest : public testing::Test {
 protected:
  Task<void> receive_all(Channel<int>& channel) {
    while (const auto value = co_await channel.receive()) received.push_back(*value);
  }

  VirtualClock clock;
  Worker worker{clock};
  std::vector<int> received;
};

TEST_F(ChannelTest, HandsValuesOverInOrder) {
  Channel<int> channel(3);
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(receive_all(channel));
    for (int i = 0; i < 10; ++i) co_await channel.send(i);
    channel.close();
  };
  block_on(worker, with_scope(body));
  EXPECT_THAT(received, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST_F(ChannelTest, ASendWaitsWhileItIsFull) {
  Channel<int> channel(2);
  int sent = 0;
  auto sender = [&]() -> Task<void> {
    for (int i = 0; i < 4; ++i) {
      co_await channel.send(i);
      ++sent;
    }
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(sender());
    co_await sleep_for(1s);
    EXPECT_EQ(sent, 2);
    EXPECT_EQ(channel.size(), 2U);
    EXPECT_EQ(co_await channel.receive(), 0);
    EXPECT_EQ(channel.size(), 2U);  // the waiting value has moved up
    co_await sleep_for(1s);
    EXPECT_EQ(sent, 3);
    for (int i = 1; i < 4; ++i) EXPECT_EQ(co_await channel.receive(), i);
  };
  block_on(worker, with_scope(body));
  EXPECT_EQ(sent, 4);
  EXPECT_EQ(channel.size(), 0U);
}

TEST_F(ChannelTest, WithoutABufferTheTwoSidesMeet) {
  Channel<int> channel(0);
  std::vector<Instant> sent_at;
  auto sender = [&]() -> Task<void> {
    for (int i = 0; i < 2; ++i) {
      co_await channel.send(i);
      sent_at.push_back(Worker::current().now());
    }
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(sender());
    co_await sleep_for(1s);
    EXPECT_TRUE(sent_at.empty());
    EXPECT_EQ(co_await channel.receive(), 0);
    co_await sleep_for(1s);
    EXPECT_EQ(sent_at.size(), 1U);
    EXPECT_EQ(co_await channel.receive(), 1);
  };
  block_on(worker, with_scope(body));
  ASSERT_EQ(sent_at.size(), 2U);
  EXPECT_GE(sent_at[0], Instant{} + 1s);
  EXPECT_GE(sent_at[1], Instant{} + 2s);
}

TEST_F(ChannelTest, WithoutABufferAWaitingReceiverIsMetAtOnce) {
  Channel<int> channel(0);
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(receive_all(channel));
    co_await sleep_for(1s);
    const Instant before = Worker::current().now();
    co_await channel.send(7);
    EXPECT_EQ(Worker::current().now(), before);
    channel.close();
  };
  block_on(worker, with_scope(body));
  EXPECT_THAT(received, ElementsAre(7));
}

TEST_F(ChannelTest, SeveralReceiversAreServedInTurn) {
  Channel<int> channel(1);
  std::vector<std::pair<int, int>> got;
  auto receiver = [&](int number) -> Task<void> {
    while (const auto value = co_await channel.receive()) got.emplace_back(number, *value);
  };
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 3; ++i) scope.start(receiver(i));
    co_await sleep_for(1s);
    for (int i = 0; i < 6; ++i) {
      co_await channel.send(i);
      co_await sleep_for(1s);
    }
    channel.close();
  };
  block_on(worker, with_scope(body));
  EXPECT_THAT(got, ElementsAre(std::pair(0, 0), std::pair(1, 1), std::pair(2, 2), std::pair(0, 3),
                               std::pair(1, 4), std::pair(2, 5)));
}

TEST_F(ChannelTest, TheTryFormsNeverWait) {
  Channel<std::unique_ptr<int>> channel(1);
  EXPECT_EQ(channel.try_receive(), std::nullopt);
  EXPECT_TRUE(channel.try_send(std::make_unique<int>(1)));
  auto second = std::make_unique<int>(2);
  EXPECT_FALSE(channel.try_send(second));
  ASSERT_NE(second, nullptr);  // what is not sent stays
  const auto first = channel.try_receive();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(**first, 1);
  EXPECT_TRUE(channel.try_send(second));
  channel.close();
  EXPECT_THROW(channel.try_send(std::make_unique<int>(3)), ChannelClosed);
  EXPECT_EQ(**channel.try_receive(), 2);
  EXPECT_EQ(channel.try_receive(), std::nullopt);
}

TEST_F(ChannelTest, AClosedOneGivesOutWhatItHolds) {
  Channel<int> channel(4);
  auto body = [&]() -> Task<void> {
    co_await channel.send(1);
    co_await channel.send(2);
    channel.close();
    channel.close();
    EXPECT_THROW(co_await channel.send(3), ChannelClosed);
    co_await receive_all(channel);
    EXPECT_EQ(co_await channel.receive(), std::nullopt);
  };
  block_on(worker, body());
  EXPECT_THAT(received, ElementsAre(1, 2));
}

TEST_F(ChannelTest, ClosingEndsAllWhoWait) {
  Channel<int> full(1);
  Channel<int> empty(1);
  int refused = 0;
  int ended = 0;
  auto sender = [&]() -> Task<void> {
    EXPECT_THROW(co_await full.send(9), ChannelClosed);
    ++refused;
  };
  auto receiver = [&]() -> Task<void> {
    EXPECT_EQ(co_await empty.receive(), std::nullopt);
    ++ended;
  };
  auto body = [&](Scope& scope) -> Task<void> {
    co_await full.send(1);
    for (int i = 0; i < 3; ++i) {
      scope.start(sender());
      scope.start(receiver());
    }
    co_await sleep_for(1s);
    EXPECT_EQ(refused + ended, 0);
    full.close();
    empty.close();
  };
  block_on(worker, with_scope(body));
  EXPECT_EQ(refused, 3);
  EXPECT_EQ(ended, 3);
  EXPECT_EQ(full.try_receive(), 1);
  EXPECT_EQ(full.try_receive(), std::nullopt);  // what was refused is not in it
}

TEST_F(ChannelTest, ACancelledSenderKeepsItsValueToItself) {
  Channel<int> channel(1);
  auto send = [&](int value) -> Task<void> { co_await channel.send(value); };
  auto body = [&](Scope& scope) -> Task<void> {
    co_await channel.send(1);
    EXPECT_THROW(co_await with_deadline(Worker::current().now() + 1s, send(2)), DeadlineExceeded);
    scope.start(send(3));
    co_await yield();
    EXPECT_EQ(co_await channel.receive(), 1);
    EXPECT_EQ(co_await channel.receive(), 3);
  };
  block_on(worker, with_scope(body));
  EXPECT_EQ(channel.size(), 0U);
}

TEST_F(ChannelTest, ACancelledReceiverTakesNothing) {
  Channel<int> channel(1);
  auto receive = [&]() -> Task<void> { co_await channel.receive(); };
  auto body = [&]() -> Task<void> {
    EXPECT_THROW(co_await with_deadline(Worker::current().now() + 1s, receive()), DeadlineExceeded);
    co_await channel.send(1);
    EXPECT_EQ(co_await channel.receive(), 1);
  };
  block_on(worker, body());
}

// The cancellation comes after both were served, but before they are resumed.
TEST_F(ChannelTest, WhatWasHandedOverBeforeACancellationStays) {
  Channel<int> channel(0);
  bool sent = false;
  auto sender = [&]() -> Task<void> {
    co_await channel.send(2);
    sent = true;
  };
  auto receiver_cancelled = [&](Scope& scope) -> Task<void> {
    scope.start(receive_all(channel));
    co_await sleep_for(1s);
    EXPECT_TRUE(channel.try_send(1));
    scope.cancel();
  };
  auto sender_cancelled = [&](Scope& scope) -> Task<void> {
    scope.start(sender());
    co_await sleep_for(1s);
    EXPECT_EQ(channel.try_receive(), 2);
    scope.cancel();
  };
  auto body = [&]() -> Task<void> {
    co_await with_scope(receiver_cancelled);
    co_await with_scope(sender_cancelled);
  };
  block_on(worker, body());
  EXPECT_THAT(received, ElementsAre(1));
  EXPECT_TRUE(sent);
}

TEST_F(ChannelTest, ACancelledTaskNeitherSendsNorReceives) {
  Channel<int> channel(2);
  bool threw = false;
  auto body = [&](Scope& scope) -> Task<void> {
    co_await channel.send(1);
    scope.cancel();
    EXPECT_THROW(co_await channel.send(2), Cancelled);
    EXPECT_THROW(co_await channel.receive(), Cancelled);
    threw = true;
  };
  block_on(worker, with_scope(body));
  EXPECT_TRUE(threw);
  EXPECT_EQ(channel.size(), 1U);
}

// Random sends, receives, deadlines and capacities: each value that was sent is received once, in
// the order of its sender.
TEST_F(ChannelTest, NothingIsLostOrDoubledUnderCancellations) {
  constexpr int senders = 5;
  constexpr int values_each = 400;
  for (const std::size_t capacity : {0U, 1U, 3U}) {
    std::mt19937_64 random(capacity + 1);
    Channel<int> channel(capacity);
    std::vector<int> sent;
    received.clear();
    auto some_time = [&random]() {
      return Duration(static_cast<std::int64_t>(random() % 100'000));
    };
    auto send_one = [&](int value) -> Task<void> {
      co_await channel.send(value);
      sent.push_back(value);
    };
    auto sender = [&](int number) -> Task<void> {
      for (int i = 0; i < values_each; ++i) {
        const Instant deadline = Worker::current().now() + some_time();
        try {
          co_await with_deadline(deadline, send_one(number * values_each + i));
        } catch (const DeadlineExceeded&) {
          // The deadline came before the value was sent.
        }
        co_await sleep_for(some_time());
      }
    };
    auto receive_one = [&]() -> Task<bool> {
      const auto value = co_await channel.receive();
      if (value) received.push_back(*value);
      co_return value.has_value();
    };
    auto receiver = [&]() -> Task<void> {
      for (bool more = true; more;) {
        const Instant deadline = Worker::current().now() + some_time();
        try {
          more = co_await with_deadline(deadline, receive_one());
        } catch (const DeadlineExceeded&) {
          // The deadline came before a value was received.
        }
        co_await sleep_for(some_time());
      }
    };
    auto send_all = [&](Scope& scope) -> Task<void> {
      for (int i = 0; i < senders; ++i) scope.start(sender(i));
      co_return;
    };
    auto body = [&](Scope& scope) -> Task<void> {
      for (int i = 0; i < 4; ++i) scope.start(receiver());
      co_await with_scope(send_all);
      channel.close();
    };
    block_on(worker, with_scope(body));
    EXPECT_GT(sent.size(), std::size_t{senders} * values_each / 4);
    EXPECT_LT(sent.size(), std::size_t{senders} * values_each);  // some were cancelled
    std::vector<int> last_of(senders, -1);
    for (const int value : received) {
      int& last = last_of[static_cast<std::size_t>(value / values_each)];
      EXPECT_LT(last, value);
      last = value;
    }
    std::ranges::sort(received);
    std::ranges::sort(sent);
    EXPECT_EQ(received, sent);
  }
}

}  // namespace
}  // namespace drover::coro
