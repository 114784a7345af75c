// One transaction of a terminal: a session, as many attempts as it takes, and the record of it.
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
using tpcc::TransactionType;

namespace {

TransactionType type_of(const tpcc::Input& input) noexcept {
  return static_cast<TransactionType>(input.index());
}

std::uint64_t nanoseconds(Duration duration) noexcept {
  return duration > Duration::zero() ? static_cast<std::uint64_t>(duration.count()) : 0;
}

// Whether a failure will be the same for every terminal, for as long as this run could wait.
bool is_hopeless(const Error& error) noexcept {
  return error.error_class() == ErrorClass::unavailable ||
         error.error_class() == ErrorClass::denied;
}

// A transaction that fails at once, without delays, would be tried in a tight loop.
constexpr Duration pause_after_failure = std::chrono::milliseconds(100);

}  // namespace

// Hands back the instant at which the terminal has its answer. `intended_start` is the end of
// keying: what we made it wait for since then is part of the latency.
Task<Instant> Herd::transact(TransactionType type, std::int32_t w_id, std::int32_t d_id,
                             Instant intended_start, tpcc::Rng& rng) {
  const tpcc::Input input = make_input(type, rng, w_id, d_id);
  metrics_.started.add();
  bool failed = true;
  try {
    tpcc::Session* session = co_await backend_.acquire();
    const tpcc::SessionLease lease(backend_, *session);
    const Instant session_at_hand = Worker::current().now();
    for (int number = 1; number <= plan_.retry.attempts_max; ++number) {
      const std::optional<Outcome> outcome = co_await attempt(*session, input, number);
      if (outcome) {
        record(input, *outcome, intended_start, session_at_hand);
        failed = false;
        break;
      }
      co_await coro::sleep_for(retry_pause(number));
    }
  } catch (const Error& error) {
    TransactionMetrics* metrics = metrics_at(Worker::current().now(), type);
    if (metrics != nullptr) count_error(*metrics, error, false);
    if (is_hopeless(error)) give_up(std::current_exception());
  } catch (const coro::Cancelled&) {
    metrics_.finished.add();
    throw;
  }
  metrics_.finished.add();
  if (failed && plan_.no_delays) co_await coro::sleep_for(pause_after_failure);
  co_return Worker::current().now();
}

// One attempt; nothing if it may be tried again. Throws the error that ends the transaction.
Task<std::optional<Outcome>> Herd::attempt(tpcc::Session& session, const tpcc::Input& input,
                                           int number) {
  std::optional<Error> error;
  try {
    co_return co_await session.execute(input);
  } catch (const Error& thrown) {
    error = thrown;
  }
  const bool retryable = error->error_class() == ErrorClass::retryable;
  if (!retryable || number == plan_.retry.attempts_max || stopped_.is_set()) throw Error(*error);
  TransactionMetrics* metrics = metrics_at(Worker::current().now(), type_of(input));
  if (metrics != nullptr) count_error(*metrics, *error, true);
  co_return std::nullopt;
}

void Herd::record(const tpcc::Input& input, const Outcome& outcome, Instant intended_start,
                  Instant session_at_hand) {
  const Instant now = Worker::current().now();
  TransactionMetrics* metrics = metrics_at(now, type_of(input));
  if (metrics == nullptr) return;
  metrics->attempts.add();
  metrics->wait.record(nanoseconds(session_at_hand - intended_start));
  if (!outcome.committed) {
    metrics->user_aborted.add();
    return;
  }
  metrics->committed.add();
  metrics->latency.record(nanoseconds(now - intended_start));
  if (timetable_.phase_at(now) == Phase::measure && outcome.districts_skipped > 0) {
    metrics_.districts_skipped.add(static_cast<std::uint64_t>(outcome.districts_skipped));
  }
}

void Herd::count_error(TransactionMetrics& metrics, const Error& error, bool retried) {
  metrics.attempts.add();
  (retried ? metrics.retries : metrics.failed).add();
  metrics.errors[static_cast<std::size_t>(error.error_class())].add();
  if (!error.sqlstate().empty()) ++metrics.errors_by_sqlstate[error.sqlstate()];
}

// None after the end: what ends outside of the interval is not counted.
TransactionMetrics* Herd::metrics_at(Instant instant, TransactionType type) noexcept {
  switch (timetable_.phase_at(instant)) {
    case Phase::warmup:
      return &metrics_.warmup[tpcc::index_of(type)];
    case Phase::measure:
      return &metrics_.measured[tpcc::index_of(type)];
    case Phase::done:
      break;
  }
  return nullptr;
}

Duration Herd::retry_pause(int attempt_number) {
  Duration longest = plan_.retry.pause_first;
  for (int i = 1; i < attempt_number && longest < plan_.retry.pause_max; ++i) longest *= 2;
  longest = std::min(longest, plan_.retry.pause_max);
  return Duration(
      static_cast<std::int64_t>(static_cast<double>(longest.count()) * retry_rng_.unit()));
}

}  // namespace drover::load
