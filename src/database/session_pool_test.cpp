// The pool over a database that is told when to refuse, on virtual time: hours pass at once, and
// every figure is exact.
#include "database/session_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "database/session_pool_fixture_test.h"

namespace drover::database {
namespace {

using testing::ElementsAre;

TEST_F(SessionPoolTest, OpensAllSixteenAtATime) {
  run([&]() -> Task<void> {
    Pool pool(options(40));
    const coro::Instant begun = clock.now();
    co_await pool.open();
    EXPECT_EQ(pool.idle(), 40U);
    EXPECT_EQ(opening_max, 16);
    EXPECT_GE(clock.now() - begun, 3s);
    EXPECT_LT(clock.now() - begun, 4s);
  });
}

TEST_F(SessionPoolTest, SaysWhyItCannotBeOpened) {
  refusals = 1;
  run([&]() -> Task<void> {
    Pool pool(options(5));
    bool thrown = false;
    try {
      co_await pool.open();
    } catch (const Error& error) {
      thrown = error.error_class() == ErrorClass::unavailable;
    }
    EXPECT_TRUE(thrown);
  });
}

TEST_F(SessionPoolTest, ServesFirstComeFirstServed) {
  std::vector<int> order;
  run([&]() -> Task<void> {
    Pool pool(options(1));
    co_await pool.open();
    auto use = [&](int number) -> Task<void> {
      const auto session = co_await pool.acquire();
      order.push_back(number);
      co_await coro::sleep_for(1s);
    };
    auto body = [&](coro::Scope& scope) -> Task<void> {
      for (int i = 0; i < 4; ++i) scope.start(use(i));
      co_return;
    };
    co_await coro::with_scope(body);
  });
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
}

TEST_F(SessionPoolTest, HandsOutNoneThatWasEndedWhileIdle) {
  run([&]() -> Task<void> {
    Pool pool(options(3));
    co_await pool.open();
    auto body = [&]() -> Task<void> {
      std::vector<FakeSession*> taken;
      for (int i = 0; i < 3; ++i) taken.push_back(co_await pool.take());
      taken[0]->ended_idle = taken[1]->ended_idle = true;
      for (FakeSession* session : taken) pool.release(*session);
      taken.clear();
      // The session that is still open comes first, then the replacements of the two that were
      // ended.
      for (int i = 0; i < 3; ++i) taken.push_back(co_await pool.take());
      for (FakeSession* session : taken) {
        EXPECT_TRUE(session->usable());
        pool.release(*session);
      }
      EXPECT_EQ(taken[0]->name, 3);
    };
    co_await beside_keep_open(pool, body);
    EXPECT_EQ(observer.ended_idle, 2);
    EXPECT_EQ(observer.lost, 2);
    EXPECT_EQ(observer.opened, 2);
  });
}

TEST_F(SessionPoolTest, TakesThemInTurn) {
  std::vector<int> names;
  run([&]() -> Task<void> {
    Pool pool(options(3));
    co_await pool.open();
    co_await take_in_turn(pool, 1, names);
    co_await take_in_turn(pool, 3, names);
  });
  EXPECT_THAT(names, ElementsAre(1, 2, 3, 1));
}

TEST_F(SessionPoolTest, TakesTheWarmestAndNewOnesLast) {
  std::vector<int> names;
  run([&]() -> Task<void> {
    Pool::Options warmest = options(2);
    warmest.next = Pool::Next::warmest;
    Pool pool(warmest);
    co_await pool.open();
    co_await take_in_turn(pool, 1, names);
    co_await take_in_turn(pool, 1, names);
    auto lose_one = [&]() -> Task<void> {
      co_await lose(pool, 1);
      co_await coro::sleep_for(1min);
      co_await take_in_turn(pool, 2, names);
    };
    co_await beside_keep_open(pool, lose_one);
  });
  EXPECT_THAT(names, ElementsAre(1, 1, 2, 3));
}

TEST_F(SessionPoolTest, ACancelledWaiterTakesNothing) {
  run([&]() -> Task<void> {
    Pool pool(options(1));
    co_await pool.open();
    {
      const auto held = co_await pool.acquire();
      auto wait = [&]() -> Task<void> { const auto session = co_await pool.acquire(); };
      auto body = [&](coro::Scope& scope) -> Task<void> {
        scope.start(wait());
        co_await coro::sleep_for(1s);
        EXPECT_EQ(pool.waiting(), 1U);
        scope.cancel();
      };
      co_await coro::with_scope(body);
      EXPECT_EQ(pool.waiting(), 0U);
    }
    EXPECT_EQ(pool.idle(), 1U);
  });
}

TEST_F(SessionPoolTest, DoesNotHandOnAnOpenTransaction) {
  run([&]() -> Task<void> {
    Pool pool(options(1));
    co_await pool.open();
    {
      const auto session = co_await pool.acquire();
      session->transaction = true;
    }
    EXPECT_EQ(pool.idle(), 0U);
    EXPECT_EQ(pool.open_sessions(), 0U);
  });
}

TEST_F(SessionPoolTest, ReplacesWhatEndsWhileItIsIdle) {
  run([&]() -> Task<void> {
    Pool pool(options(1));
    co_await pool.open();
    FakeSession* session = co_await pool.take();
    pool.release(*session);
    auto end_it = [&]() -> Task<void> {
      session->ended = true;
      pool.on_end(*session);
      EXPECT_EQ(pool.open_sessions(), 0U);
      co_await coro::sleep_for(1min);
      EXPECT_EQ(pool.idle(), 1U);
    };
    co_await beside_keep_open(pool, end_it);
  });
  EXPECT_EQ(observer.opened, 1);
}

// It is handed over, and ends before its new owner runs.
TEST_F(SessionPoolTest, ReplacesWhatEndsOnItsWayToAWaiter) {
  run([&]() -> Task<void> {
    Pool pool(options(1));
    co_await pool.open();
    FakeSession* session = co_await pool.take();
    int got = 0;
    auto wait = [&]() -> Task<void> {
      const auto next = co_await pool.acquire();
      got = next->name;
    };
    auto body = [&](coro::Scope& scope) -> Task<void> {
      scope.start(wait());
      co_await coro::sleep_for(1s);
      pool.release(*session);
      session->ended = true;
      pool.on_end(*session);
      co_await coro::sleep_for(1min);
    };
    auto both = [&]() -> Task<void> { co_await coro::with_scope(body); };
    co_await beside_keep_open(pool, both);
    EXPECT_EQ(got, 2);
  });
  EXPECT_EQ(observer.lost, 1);
}

TEST_F(SessionPoolTest, OneProbesAndTheOthersFollow) {
  run([&]() -> Task<void> {
    Pool pool(options(5));
    co_await pool.open();
    attempts.clear();
    opening_max = 0;
    auto lose_all = [&]() -> Task<void> {
      refusals = 20;
      co_await lose(pool, 5);
      co_await coro::sleep_for(5min);
      EXPECT_EQ(pool.idle(), 5U);
    };
    co_await beside_keep_open(pool, lose_all);
  });
  EXPECT_EQ(opening_max_refused, 1);
  EXPECT_EQ(opening_max, 4);
  EXPECT_EQ(observer.lost, 5);
  EXPECT_EQ(observer.refused, 20);
  EXPECT_EQ(observer.opened, 5);
  // Each attempt takes a second; what is more is the pause, which grows up to half a second.
  ASSERT_EQ(attempts.size(), 25U);
  for (std::size_t i = 1; i <= 20; ++i) {
    const Duration pause = attempts[i] - attempts[i - 1] - 1s;
    const Duration most = std::min<Duration>(50ms * (1 << std::min<std::size_t>(i - 1, 8)), 500ms);
    EXPECT_GE(pause, 0s) << i;
    EXPECT_LE(pause, most + 1ms) << i;
  }
}

// What follows may be refused as well: then one probes again.
TEST_F(SessionPoolTest, GoesOnUntilAllAreThere) {
  run([&]() -> Task<void> {
    Pool pool(options(8));
    co_await pool.open();
    auto lose_all = [&]() -> Task<void> {
      co_await lose(pool, 8);
      while (observer.opened == 0) co_await coro::sleep_for(100ms);
      refusals = 9;
      co_await coro::sleep_for(5min);
      EXPECT_EQ(pool.idle(), 8U);
    };
    co_await beside_keep_open(pool, lose_all);
  });
  EXPECT_EQ(observer.opened, 8);
  EXPECT_EQ(observer.refused, 9);
}

TEST_F(SessionPoolTest, GivesUpWhereThereIsNoHope) {
  for (const bool wait : {true, false}) {
    refusal = wait ? ErrorClass::denied : ErrorClass::unavailable;
    observer = {};
    run([&]() -> Task<void> {
      Pool::Options hopeless = options(1);
      hopeless.wait_for_server = wait;
      Pool pool(hopeless);
      co_await pool.open();
      co_await lose(pool, 1);
      refusals = 1;
      bool thrown = false;
      try {
        co_await pool.keep_open(observer);
      } catch (const Error& error) {
        thrown = error.error_class() == refusal;
      }
      EXPECT_TRUE(thrown);
    });
    EXPECT_EQ(observer.refused, 1);
  }
}

TEST_F(SessionPoolTest, ClosesWhatIsIdle) {
  run([&]() -> Task<void> {
    Pool pool(options(20));
    co_await pool.open();
    co_await pool.close();
    EXPECT_EQ(pool.open_sessions(), 0U);
    EXPECT_EQ(pool.idle(), 0U);
  });
}

}  // namespace
}  // namespace drover::database
