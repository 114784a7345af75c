// Sessions that reach an age, and sessions of several hosts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "database/session_pool_fixture_test.h"

namespace drover::database {
namespace {

using testing::ElementsAre;

class Renewal : public SessionPoolTest {
 protected:
  static constexpr Duration age = 100s;

  Pool::Options aging(std::size_t size) {
    Pool::Options made = options(size);
    made.max_age = age;
    return made;
  }

  // How long somebody waits for a session that is given back at once.
  Task<Duration> wait_for_one(Pool& pool) {
    const coro::Instant asked = clock.now();
    FakeSession* session = co_await pool.take();
    pool.release(*session);
    co_return clock.now() - asked;
  }
};

TEST_F(Renewal, ReplacesAllAQuarterAtATimeAndLosesNone) {
  run([&]() -> Task<void> {
    Pool pool(aging(8));
    co_await pool.open();
    opening_max = 0;
    auto look = [&]() -> Task<void> {
      co_await coro::sleep_for(85s);
      EXPECT_EQ(observer.renewed, 0);
      co_await coro::sleep_for(24s);  // eight, two at a time, a second each
      EXPECT_EQ(observer.renewed, 8);
      EXPECT_EQ(pool.open_sessions(), 8U);
      co_await coro::sleep_for(1h);
    };
    co_await beside_keep_open(pool, look);
  });
  EXPECT_EQ(opening_max, 2);
  EXPECT_GE(observer.renewed, 8 * 34);
  EXPECT_LE(observer.renewed, 8 * 42);
  EXPECT_EQ(observer.lost, 0);
  EXPECT_EQ(observer.refused, 0);
  EXPECT_EQ(observer.opened, 0);
}

TEST_F(Renewal, TheAgesAreSpread) {
  run([&]() -> Task<void> {
    Pool pool(aging(64));
    co_await pool.open();
    attempts.clear();
    auto look = [&]() -> Task<void> { co_await coro::sleep_for(120s); };
    co_await beside_keep_open(pool, look);
  });
  ASSERT_GE(attempts.size(), 64U);
  EXPECT_GE(attempts[0] - coro::Instant{}, 90s);
  EXPECT_GE(attempts[63] - attempts[0], 5s);
}

TEST_F(Renewal, ASuccessorInheritsTheNumber) {
  run([&]() -> Task<void> {
    Pool pool(aging(4));
    co_await pool.open();
    auto look = [&]() -> Task<void> { co_await coro::sleep_for(114s); };
    co_await beside_keep_open(pool, look);
  });
  std::map<std::size_t, int> counts;
  for (const std::size_t number : numbers) ++counts[number];
  EXPECT_THAT(counts, ElementsAre(testing::Pair(0, 2), testing::Pair(1, 2), testing::Pair(2, 2),
                                  testing::Pair(3, 2)));
}

TEST_F(Renewal, NobodyWaitsWhileOthersAreIdle) {
  run([&]() -> Task<void> {
    Pool pool(aging(8));
    co_await pool.open();
    auto work = [&]() -> Task<void> {
      for (int i = 0; i < 6'000; ++i) {
        const Duration waited = co_await wait_for_one(pool);
        EXPECT_EQ(waited, 0s) << i;
        co_await coro::sleep_for(100ms);
      }
    };
    co_await beside_keep_open(pool, work);
  });
  EXPECT_GE(observer.renewed, 8 * 5);
}

TEST_F(Renewal, OneInUseIsReplacedWhenItComesBack) {
  run([&]() -> Task<void> {
    Pool pool(aging(1));
    co_await pool.open();
    auto work = [&]() -> Task<void> {
      FakeSession* session = co_await pool.take();
      co_await coro::sleep_for(10min);
      EXPECT_TRUE(session->usable());
      EXPECT_FALSE(session->closed);
      EXPECT_EQ(observer.renewed, 0);
      pool.release(*session);
      EXPECT_EQ(pool.open_sessions(), 0U);
      const Duration waited = co_await wait_for_one(pool);
      EXPECT_GE(waited, 1s);
      EXPECT_LT(waited, 1100ms);
      EXPECT_EQ(observer.renewed, 1);
    };
    co_await beside_keep_open(pool, work);
  });
  EXPECT_EQ(observer.lost, 0);
}

TEST_F(Renewal, OneThatIsLostInItsLastTransactionIsLost) {
  run([&]() -> Task<void> {
    Pool pool(aging(1));
    co_await pool.open();
    auto work = [&]() -> Task<void> {
      FakeSession* session = co_await pool.take();
      co_await coro::sleep_for(age);
      session->ended = true;
      pool.release(*session);
      co_await coro::sleep_for(10s);
      EXPECT_EQ(pool.idle(), 1U);
    };
    co_await beside_keep_open(pool, work);
  });
  EXPECT_EQ(observer.lost, 1);
  EXPECT_EQ(observer.opened, 1);
  EXPECT_EQ(observer.renewed, 0);
}

TEST_F(Renewal, WhatIsRefusedIsLostAndTriedAgain) {
  run([&]() -> Task<void> {
    Pool pool(aging(4));
    co_await pool.open();
    refusals = 3;
    auto look = [&]() -> Task<void> {
      co_await coro::sleep_for(114s);
      EXPECT_EQ(pool.idle(), 4U);
    };
    co_await beside_keep_open(pool, look);
  });
  EXPECT_EQ(observer.refused, 3);
  EXPECT_EQ(observer.lost, 1);
  EXPECT_EQ(observer.opened, 1);
  EXPECT_EQ(observer.renewed, 3);
}

TEST_F(Renewal, NoneIsClosedForItsAgeWhileTheDatabaseRefuses) {
  run([&]() -> Task<void> {
    Pool pool(aging(4));
    co_await pool.open();
    auto work = [&]() -> Task<void> {
      refusals = 1'000;  // for at least as many seconds
      co_await lose(pool, 1);
      co_await coro::sleep_for(900s);
      EXPECT_EQ(pool.idle(), 3U);
      EXPECT_EQ(observer.renewed, 0);
      refusals = 0;
      co_await coro::sleep_for(10s);
      EXPECT_EQ(pool.idle(), 4U);
      EXPECT_EQ(observer.renewed, 3);
    };
    co_await beside_keep_open(pool, work);
  });
  EXPECT_EQ(observer.lost, 1);
  EXPECT_EQ(observer.opened, 1);
}

TEST_F(Renewal, EndsWhereThereIsNoHope) {
  refusal = ErrorClass::denied;
  bool thrown = false;
  run([&]() -> Task<void> {
    Pool pool(aging(4));
    co_await pool.open();
    refusals = 1;
    try {
      co_await pool.keep_open(observer);
    } catch (const Error& error) {
      thrown = error.error_class() == ErrorClass::denied;
    }
  });
  EXPECT_TRUE(thrown);
}

class SeveralHosts : public SessionPoolTest {
 protected:
  SeveralHosts() {
    host_of = [](std::size_t number) { return number % 2; };
  }

  Pool::Options at_two_hosts(std::size_t size) {
    Pool::Options made = options(size);
    made.hosts = 2;
    made.next = Pool::Next::warmest;
    return made;
  }
};

TEST_F(SeveralHosts, ASessionIsOfTheHostThatIsAskedFor) {
  run([&]() -> Task<void> {
    Pool pool(at_two_hosts(4));
    co_await pool.open();
    for (const std::size_t host : {0, 1}) {
      EXPECT_EQ(pool.open_at(host), 2U);
      FakeSession* one = co_await pool.take(host);
      FakeSession* other = co_await pool.take(host);
      EXPECT_EQ(one->host(), host);
      EXPECT_EQ(other->host(), host);
      pool.release(*one);
      pool.release(*other);
    }
  });
}

TEST_F(SeveralHosts, WhoAsksForOneWaitsForItAndNotForOthers) {
  std::vector<std::size_t> order;
  run([&]() -> Task<void> {
    Pool pool(at_two_hosts(2));
    co_await pool.open();
    FakeSession* first = co_await pool.take(0);
    FakeSession* second = co_await pool.take(1);
    auto wait_for = [&](std::size_t host) -> Task<void> {
      FakeSession* got = co_await pool.take(host);
      EXPECT_EQ(got->host(), host);
      order.push_back(host);
      pool.release(*got);
    };
    auto body = [&](coro::Scope& scope) -> Task<void> {
      scope.start(wait_for(0));
      scope.start(wait_for(1));
      co_await coro::sleep_for(1s);
      EXPECT_EQ(pool.waiting(), 2U);
      pool.release(*second);
      co_await coro::sleep_for(1s);
      pool.release(*first);
    };
    co_await coro::with_scope(body);
    EXPECT_EQ(pool.idle(), 2U);
  });
  EXPECT_THAT(order, ElementsAre(1U, 0U));
}

// Who may have any, and who waits for the host: the longest waiter first.
TEST_F(SeveralHosts, ServesFirstComeFirstServed) {
  std::vector<int> order;
  run([&]() -> Task<void> {
    Pool pool(at_two_hosts(2));
    co_await pool.open();
    FakeSession* first = co_await pool.take(0);
    FakeSession* second = co_await pool.take(1);
    auto wait_for_any = [&](int number) -> Task<void> {
      FakeSession* got = co_await pool.take();
      order.push_back(number);
      co_await coro::sleep_for(1s);
      pool.release(*got);
    };
    auto wait_at_home = [&](int number) -> Task<void> {
      FakeSession* got = co_await pool.take(0);
      order.push_back(number);
      co_await coro::sleep_for(1s);
      pool.release(*got);
    };
    auto body = [&](coro::Scope& scope) -> Task<void> {
      scope.start(wait_for_any(1));
      scope.start(wait_at_home(2));
      scope.start(wait_for_any(3));
      scope.start(wait_at_home(4));
      co_await coro::sleep_for(1s);
      pool.release(*first);
    };
    co_await coro::with_scope(body);
    pool.release(*second);
  });
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 4));
}

TEST_F(SeveralHosts, WhereItsHostIsAwayAnyWillDo) {
  bool away = false;
  host_of = [&away](std::size_t number) { return away ? 0 : number % 2; };
  run([&]() -> Task<void> {
    Pool pool(at_two_hosts(4));
    co_await pool.open();
    auto work = [&]() -> Task<void> {
      FakeSession* one = co_await pool.take(1);
      FakeSession* other = co_await pool.take(1);
      std::size_t got = 7;
      auto wait = [&]() -> Task<void> {
        FakeSession* session = co_await pool.take(1);
        got = session->host();
        pool.release(*session);
      };
      auto body = [&](coro::Scope& scope) -> Task<void> {
        scope.start(wait());
        co_await coro::sleep_for(1s);
        EXPECT_EQ(got, 7U) << "it waits for its host";
        away = true;
        one->ended = other->ended = true;
        pool.release(*one);
        co_await coro::sleep_for(1ms);
        EXPECT_EQ(got, 7U) << "one of its sessions is still there";
        pool.release(*other);
        co_await coro::sleep_for(1ms);
        EXPECT_EQ(got, 0U);
      };
      co_await coro::with_scope(body);
      co_await coro::sleep_for(10s);
      EXPECT_EQ(pool.open_at(0), 4U);
      EXPECT_EQ(pool.open_at(1), 0U);
    };
    co_await beside_keep_open(pool, work);
  });
}

TEST_F(SeveralHosts, AHostThatComesBackGetsItsShareByRenewal) {
  bool away = true;
  host_of = [&away](std::size_t number) { return away ? 0 : number % 2; };
  run([&]() -> Task<void> {
    Pool::Options aging = at_two_hosts(6);
    aging.max_age = 100s;
    Pool pool(aging);
    co_await pool.open();
    EXPECT_EQ(pool.open_at(1), 0U);
    away = false;
    auto look = [&]() -> Task<void> {
      co_await coro::sleep_for(120s);
      EXPECT_EQ(pool.open_at(0), 3U);
      EXPECT_EQ(pool.open_at(1), 3U);
      FakeSession* session = co_await pool.take(1);
      EXPECT_EQ(session->host(), 1U);
      pool.release(*session);
    };
    co_await beside_keep_open(pool, look);
  });
  EXPECT_EQ(observer.lost, 0);
}

}  // namespace
}  // namespace drover::database
