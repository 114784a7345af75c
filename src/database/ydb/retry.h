// What to do about a transaction of YDB that has failed: pure decisions, and the pauses between the
// attempts.
//
//   Retries retries(seed);
//   for (;;) {
//     std::optional<YdbError> error;
//     try { co_await work(); co_return; } catch (const YdbError& thrown) { error = thrown; }
//     if (!co_await retries.again(*error, Idempotent::no)) throw *error;
//   }
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <random>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/ydb/ydb_error.h"

namespace drover::database::ydb {

// Whether the work may be done twice: then it may be tried again even if nobody knows whether it
// was done.
enum class Idempotent : bool { no, yes };

enum class Remedy : std::uint8_t {
  none,          // stop: it would fail again, or may have been done
  at_once,       // the same session
  fast_backoff,  // after a short pause: the node is about to be there again
  slow_backoff,  // after a long pause: the database has too much to do
  new_session,   // at once, on another session
};

Remedy remedy_for(const YdbError& error, Idempotent idempotent) noexcept;

// Of the retry `number`, from 1 on: nothing; 5 ms × 2^n, n up to 10; 1 s × 2^n, n up to 6; times
// `random`, which is from 0.5 to 1.
coro::Duration pause_before(Remedy remedy, int number, double random) noexcept;

class Retries {
 public:
  static constexpr int attempts_most = 10;

  explicit Retries(std::uint64_t seed)
      : random_(static_cast<std::minstd_rand::result_type>(seed)) {}

  // Says false if it is not to be tried again; else pauses, and says true. A pause that is
  // cancelled throws Cancelled.
  coro::Task<bool> again(YdbError error, Idempotent idempotent);

  int attempts() const noexcept { return attempts_; }

 private:
  int attempts_ = 1;  // the one that has failed included
  std::minstd_rand random_;
};

}  // namespace drover::database::ydb
