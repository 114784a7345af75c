#include "database/ydb/retry.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/sleep.h"

namespace drover::database::ydb {
namespace {

using namespace std::chrono_literals;
using coro::Task;

YdbError error_of(Status status) {
  return {status, "", "ExecuteQuery", Stage::working};
}

YdbError error_of(TransportStatus status) {
  return {status, "", "ExecuteQuery", "h:1", Stage::working};
}

TEST(Remedy, FollowsTheStatus) {
  const auto of = [](Status status) { return remedy_for(error_of(status), Idempotent::no); };
  EXPECT_EQ(of(Status::aborted), Remedy::at_once);
  EXPECT_EQ(of(Status::unavailable), Remedy::fast_backoff);
  EXPECT_EQ(of(Status::overloaded), Remedy::slow_backoff);
  EXPECT_EQ(of(Status::bad_session), Remedy::new_session);
  EXPECT_EQ(of(Status::session_busy), Remedy::new_session);
  EXPECT_EQ(of(Status::session_expired), Remedy::new_session);
  for (const Status status :
       {Status::bad_request, Status::unauthorized, Status::internal_error, Status::scheme_error,
        Status::generic_error, Status::timeout, Status::precondition_failed, Status::already_exists,
        Status::not_found, Status::cancelled, Status::undetermined, Status::unsupported,
        Status::external_error}) {
    EXPECT_EQ(of(status), Remedy::none) << status_name(status);
  }
}

TEST(Remedy, OfWhatMayHaveHappenedNeedsIdempotence) {
  EXPECT_EQ(remedy_for(error_of(Status::undetermined), Idempotent::yes), Remedy::fast_backoff);
  EXPECT_EQ(remedy_for(error_of(TransportStatus::unavailable), Idempotent::yes),
            Remedy::fast_backoff);
  EXPECT_EQ(remedy_for(error_of(TransportStatus::unavailable), Idempotent::no), Remedy::none);
  EXPECT_EQ(remedy_for(error_of(TransportStatus::deadline_exceeded), Idempotent::yes),
            Remedy::none);
}

TEST(Pause, DoublesToItsCeiling) {
  EXPECT_EQ(pause_before(Remedy::at_once, 5, 1.0), 0ns);
  EXPECT_EQ(pause_before(Remedy::new_session, 5, 1.0), 0ns);
  EXPECT_EQ(pause_before(Remedy::fast_backoff, 1, 1.0), 5ms);
  EXPECT_EQ(pause_before(Remedy::fast_backoff, 2, 1.0), 10ms);
  EXPECT_EQ(pause_before(Remedy::fast_backoff, 11, 1.0), 5120ms);
  EXPECT_EQ(pause_before(Remedy::fast_backoff, 100, 1.0), 5120ms);
  EXPECT_EQ(pause_before(Remedy::slow_backoff, 1, 0.5), 500ms);
  EXPECT_EQ(pause_before(Remedy::slow_backoff, 7, 1.0), 64s);
  EXPECT_EQ(pause_before(Remedy::slow_backoff, 99, 1.0), 64s);
}

class RetriesTest : public testing::Test {
 protected:
  // How long the retries of work that always fails so pause in all.
  coro::Duration elapsed_with(Status status, int& attempts) {
    auto body = [&]() -> Task<void> {
      Retries retries(7);
      while (co_await retries.again(error_of(status), Idempotent::no)) {
      }
      attempts = retries.attempts();
    };
    coro::block_on(worker, body());
    return clock.now() - coro::Instant{};
  }

  coro::VirtualClock clock;
  coro::Worker worker{clock};
};

TEST_F(RetriesTest, StopAfterTenAttempts) {
  int attempts = 0;
  const coro::Duration all = elapsed_with(Status::unavailable, attempts);
  EXPECT_EQ(attempts, 10);
  // 5 ms × (2^9 - 1), each times 0.5 to 1.
  EXPECT_GE(all, 2555ms / 2);
  EXPECT_LE(all, 2555ms + 10ms);
}

TEST_F(RetriesTest, AreSlowWhereTheDatabaseIsOverloaded) {
  int attempts = 0;
  const coro::Duration all = elapsed_with(Status::overloaded, attempts);
  EXPECT_EQ(attempts, 10);
  // 1 s × (1 + 2 + … + 64 + 64 + 64), each times 0.5 to 1.
  EXPECT_GE(all, 255s / 2);
  EXPECT_LE(all, 256s);
}

TEST_F(RetriesTest, DoNotPauseForAnAbort) {
  int attempts = 0;
  EXPECT_EQ(elapsed_with(Status::aborted, attempts), 0ns);
  EXPECT_EQ(attempts, 10);
}

TEST_F(RetriesTest, StopAtOnceWhereTheyAreOfNoUse) {
  int attempts = 0;
  EXPECT_EQ(elapsed_with(Status::scheme_error, attempts), 0ns);
  EXPECT_EQ(attempts, 1);
}

TEST_F(RetriesTest, CanBeCancelled) {
  bool cancelled = false;
  auto try_again = [&]() -> Task<void> {
    Retries retries(7);
    try {
      co_await retries.again(error_of(Status::overloaded), Idempotent::no);
    } catch (const coro::Cancelled&) {
      cancelled = true;
      throw;
    }
  };
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(try_again());
    co_await coro::sleep_for(1ms);
    scope.cancel();
  };
  auto all = [&]() -> Task<void> {
    try {
      co_await coro::with_scope(body);
    } catch (const coro::Cancelled&) {
    }
  };
  coro::block_on(worker, all());
  EXPECT_TRUE(cancelled);
}

}  // namespace
}  // namespace drover::database::ydb
