#include "workload/tpcc/ydb/patience.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <random>
#include <utility>

#include "coro/cancellation.h"
#include "coro/deadline.h"
#include "coro/sleep.h"
#include "coro/worker.h"

namespace drover::tpcc::ydb {

using database::ErrorClass;
using database::ydb::YdbError;

namespace {

constexpr coro::Duration pause_first = std::chrono::milliseconds(10);
constexpr int doublings_most = 5;
constexpr int attempts_most = 100;

}  // namespace

bool may_pass(const database::Error& error) noexcept {
  return error.error_class() != ErrorClass::denied && error.error_class() != ErrorClass::statement;
}

coro::Duration pause_before(int number, double random) noexcept {
  const coro::Duration longest = pause_first * (1 << std::clamp(number - 1, 0, doublings_most));
  return coro::Duration(static_cast<int64_t>(static_cast<double>(longest.count()) * random));
}

coro::Task<void> patiently(std::function<coro::Task<void>()> make_task) {
  std::minstd_rand random{std::random_device()()};
  std::uniform_real_distribution<double> half_to_one(0.5, 1.0);
  for (int attempt = 1;; ++attempt) {
    try {
      co_await make_task();
      co_return;
    } catch (const YdbError& error) {
      if (!may_pass(error) || attempt >= attempts_most) throw;
    }
    co_await coro::sleep_for(pause_before(attempt, half_to_one(random)));
  }
}

coro::Task<void> finish_in_time(coro::Task<void> task, coro::Duration most) {
  const coro::Instant give_up = coro::Worker::current().now() + most;
  coro::CancelSource own(coro::Worker::current());
  try {
    co_await coro::with_deadline(give_up, std::move(task)).under(own);
  } catch (const std::exception&) {
    // Whoever comes next finds what is left.
  }
}

}  // namespace drover::tpcc::ydb
