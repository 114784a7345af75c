// One transaction of a terminal: a permit, a session, and as many attempts as it takes.
#include <algorithm>

#include "coro/sleep.h"
#include "coro/worker.h"
#include "load/herd.h"

namespace drover::load {

using coro::Duration;
using coro::Instant;
using coro::Task;
using coro::Worker;
using database::Error;
using database::ErrorClass;
using tpcc::Outcome;
using tpcc::Trace;
using tpcc::TransactionType;

namespace {

// A transaction that fails at once, without delays, would be tried in a tight loop.
constexpr Duration pause_after_failure = std::chrono::milliseconds(100);

// Whether no outage lay between the two.
bool no_outage(std::uint64_t epoch_before, std::uint64_t epoch_after) noexcept {
  return epoch_before == epoch_after && epoch_before % 2 == 0;
}

Duration doubled(Duration first, int times, Duration longest) noexcept {
  for (int i = 0; i < times && first < longest; ++i) first *= 2;
  return std::min(first, longest);
}

Duration part_of(Duration duration, double part) noexcept {
  return Duration(static_cast<std::int64_t>(static_cast<double>(duration.count()) * part));
}

}  // namespace

// Hands back the instant at which the terminal has its answer. `intended_start` is the end of
// keying: what we made it wait for since then is part of the latency. The end of the run dismisses
// terminals that wait, and not what they have begun.
Task<Instant> Herd::transact(TransactionType type, std::int32_t w_id, std::int32_t d_id,
                             Instant intended_start, tpcc::Rng& rng) {
  const tpcc::Input input = make_input(type, rng, w_id, d_id);
  Owed owed(*this, type, intended_start);
  if (type == TransactionType::Delivery && plan_.deferred_delivery) {
    co_return co_await queue_delivery(std::get<tpcc::DeliveryInput>(input), owed);
  }
  metrics_.wait_begun.add();
  const Instant asked = Worker::current().now();
  const std::uint64_t epoch = shared_.availability.epoch();
  bool succeeded = false;
  {
    const auto permit = co_await permits_.acquire();
    tpcc::Session* session = co_await backend_.acquire();
    const tpcc::SessionLease lease(backend_, *session);
    metrics_.wait_ended.add();
    const Instant served = Worker::current().now();
    std::optional<Duration> wait = served - asked;
    const bool there = no_outage(epoch, shared_.availability.epoch());
    if (!there || shared_.availability.stalls(served)) wait.reset();

    metrics_.started.add();
    std::optional<Outcome> outcome;
    try {
      outcome = co_await attempt_until_done(*session, input, &owed).under(*transactions_);
    } catch (const coro::Cancelled&) {
      metrics_.finished.add();
      throw;
    }
    metrics_.finished.add();
    if (outcome) record(input, *outcome, owed, wait);
    succeeded = outcome.has_value();
  }
  const Instant answered = Worker::current().now();
  if (!succeeded && plan_.no_delays) co_await coro::sleep_for(pause_after_failure);
  co_return answered;
}

// Nothing if it failed for good; then that has been recorded. `owed` is null if no terminal waits.
Task<std::optional<Outcome>> Herd::attempt_until_done(tpcc::Session& session,
                                                      const tpcc::Input& input, Owed* owed) {
  int slow = 0;
  for (int number = 1;; ++number) {
    Trace trace = new_trace();
    Outcome outcome;
    const std::optional<Error> error = co_await attempt(session, input, trace, outcome);
    if (!error) co_return outcome;
    const bool again = error->error_class() == ErrorClass::retryable &&
                       number < plan_.retry.attempts_max && !stopped_.is_set();
    if (!again) {
      record_failure(input, trace, *error, owed);
      co_return std::nullopt;
    }
    record_retry(input, *error);
    const bool is_slow = error->backoff() == database::Backoff::slow;
    const Duration pause = is_slow ? slow_retry_pause(++slow) : retry_pause(number - slow);
    co_await coro::sleep_for(pause);
  }
}

// The error of a failed attempt; one that is cancelled when its commit was sent leaves a doubt.
Task<std::optional<Error>> Herd::attempt(tpcc::Session& session, const tpcc::Input& input,
                                         Trace& trace, Outcome& outcome) {
  std::optional<Error> error;
  try {
    outcome = co_await session.execute(input, trace);
  } catch (const Error& thrown) {
    error = thrown;
  } catch (const coro::Cancelled&) {
    if (trace.commit_sent) doubts_.push_back({{input, trace}, nullptr});
    throw;
  }
  co_return error;
}

Trace Herd::new_trace() noexcept {
  Trace trace;
  trace.mark = next_mark_;
  next_mark_ = (next_mark_ + 1) % Trace::marks;
  return trace;
}

// Both of the n-th failure of their kind, n from 1 on.
Duration Herd::retry_pause(int number) noexcept {
  const RetryPolicy& retry = plan_.retry;
  return part_of(doubled(retry.pause_first, number - 1, retry.pause_max), retry_rng_.unit());
}

Duration Herd::slow_retry_pause(int number) noexcept {
  const RetryPolicy& retry = plan_.retry;
  return part_of(doubled(retry.slow_pause_first, number - 1, retry.slow_pause_max),
                 (1 + retry_rng_.unit()) / 2);
}

}  // namespace drover::load
