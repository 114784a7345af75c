#include "tpcc/ydb/patience.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "coro/sleep.h"

namespace drover::tpcc::ydb {

using database::ErrorClass;
using database::ydb::YdbError;

namespace {

constexpr coro::Duration pause_first = std::chrono::milliseconds(10);
constexpr int doublings_most = 5;

}  // namespace

bool may_pass(const database::Error& error) noexcept {
  return error.error_class() != ErrorClass::denied && error.error_class() != ErrorClass::statement;
}

coro::Duration pause_before(int number, double random) noexcept {
  const coro::Duration longest = pause_first * (1 << std::clamp(number - 1, 0, doublings_most));
  return coro::Duration(static_cast<int64_t>(static_cast<double>(longest.count()) * random));
}

coro::Task<bool> Patience::again(YdbError error) {
  if (!may_pass(error) || attempts_ >= attempts_most) co_return false;
  std::uniform_real_distribution<double> half_to_one(0.5, 1.0);
  const coro::Duration pause = pause_before(attempts_, half_to_one(random_));
  ++attempts_;
  co_await coro::sleep_for(pause);
  co_return true;
}

coro::Task<void> patiently(std::function<coro::Task<void>()> make_task) {
  Patience patience;
  for (;;) {
    std::optional<YdbError> error;
    try {
      co_await make_task();
      co_return;
    } catch (const YdbError& thrown) {
      error = thrown;
    }
    const bool again = co_await patience.again(*error);
    if (!again) throw YdbError(*error);
  }
}

}  // namespace drover::tpcc::ydb
