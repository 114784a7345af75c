// Patience: how init, import and clean deal with failures of YDB. All that they do may be done
// twice, so whatever may pass is tried again: 100 times at most, with pauses of 10 ms, doubled up
// to 320 ms, times a random number from 0.5 to 1. In all, about 25 s.
//
//   Patience patience;
//   for (;;) {
//     std::optional<YdbError> error;
//     try { co_await work(); co_return; } catch (const YdbError& thrown) { error = thrown; }
//     if (!co_await patience.again(*error)) throw YdbError(*error);
//   }
//
// Not thread-safe.
#pragma once

#include <functional>
#include <random>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/ydb/ydb_error.h"

namespace drover::tpcc::ydb {

// Whether it may go well another time.
bool may_pass(const database::Error& error) noexcept;

// Of the retry `number`, from 1 on; `random` is from 0.5 to 1.
coro::Duration pause_before(int number, double random) noexcept;

class Patience {
 public:
  static constexpr int attempts_most = 100;

  // Says false if it is not to be tried again; else pauses, and says true. A pause that is
  // cancelled throws Cancelled.
  coro::Task<bool> again(database::ydb::YdbError error);

 private:
  int attempts_ = 1;  // the one that has failed included
  std::minstd_rand random_{std::random_device()()};
};

// Makes tasks and awaits them until one comes to its end. Throws the error that did not pass.
coro::Task<void> patiently(std::function<coro::Task<void>()> make_task);

}  // namespace drover::tpcc::ydb
