#include "database/ydb/retry.h"

#include <algorithm>
#include <chrono>

#include "coro/sleep.h"

namespace drover::database::ydb {
namespace {

constexpr coro::Duration fast_slot = std::chrono::milliseconds(5);
constexpr int fast_ceiling = 10;
constexpr coro::Duration slow_slot = std::chrono::seconds(1);
constexpr int slow_ceiling = 6;

coro::Duration doubled(coro::Duration slot, int times, int times_most) noexcept {
  return slot * (std::int64_t{1} << std::clamp(times, 0, times_most));
}

}  // namespace

Remedy remedy_for(const YdbError& error, Idempotent idempotent) noexcept {
  const Remedy if_idempotent = idempotent == Idempotent::yes ? Remedy::fast_backoff : Remedy::none;
  switch (error.status()) {
    case Status::aborted:
      return Remedy::at_once;
    case Status::unavailable:
      return Remedy::fast_backoff;
    case Status::overloaded:
      return Remedy::slow_backoff;
    case Status::bad_session:
    case Status::session_busy:
    case Status::session_expired:
      return Remedy::new_session;
    case Status::undetermined:
      return if_idempotent;
    default:
      break;
  }
  if (error.transport() == TransportStatus::unavailable) return if_idempotent;
  return Remedy::none;
}

coro::Duration pause_before(Remedy remedy, int number, double random) noexcept {
  coro::Duration longest = coro::Duration::zero();
  if (remedy == Remedy::fast_backoff) longest = doubled(fast_slot, number - 1, fast_ceiling);
  if (remedy == Remedy::slow_backoff) longest = doubled(slow_slot, number - 1, slow_ceiling);
  return coro::Duration(static_cast<std::int64_t>(static_cast<double>(longest.count()) * random));
}

coro::Task<bool> Retries::again(YdbError error, Idempotent idempotent) {
  const Remedy remedy = remedy_for(error, idempotent);
  if (remedy == Remedy::none || attempts_ >= attempts_most) co_return false;
  std::uniform_real_distribution<double> half_to_one(0.5, 1.0);
  const coro::Duration pause = pause_before(remedy, attempts_, half_to_one(random_));
  ++attempts_;
  if (pause > coro::Duration::zero()) co_await coro::sleep_for(pause);
  co_return true;
}

}  // namespace drover::database::ydb
