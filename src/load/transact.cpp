// One transaction: a permit, a session, and as many attempts as it takes.
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

namespace {

class InFlight {
 public:
  explicit InFlight(WorkerMetrics& metrics) noexcept : metrics_(metrics) { metrics_.started.add(); }
  ~InFlight() { metrics_.finished.add(); }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

 private:
  WorkerMetrics& metrics_;
};

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

Herd::Wait::Wait(Herd& herd) noexcept
    : herd_(herd), asked_(Worker::current().now()), epoch_(herd.shared_.availability.epoch()) {
  herd_.recorder_.wait_began();
}

Recorder::Served Herd::Wait::served() noexcept {
  herd_.recorder_.wait_ended();
  const Instant now = Worker::current().now();
  const Availability& availability = herd_.shared_.availability;
  if (!no_outage(epoch_, availability.epoch()) || availability.stalls(now)) {
    return {.begun = now, .wait = std::nullopt};
  }
  return {.begun = now, .wait = now - asked_};
}

Task<bool> Herd::transact_aside(Transaction& transaction) {
  std::optional<database::SessionLease> lease;
  if (plan_.affinity) lease.emplace(backend_, *co_await session_at_home(transaction));
  const auto permit = co_await permits_.acquire();
  if (!lease) lease.emplace(backend_, *co_await backend_.acquire());
  const bool succeeded = co_await attempt_until_done(**lease, transaction, nullptr);
  if (succeeded) recorder_.succeeded_aside(transaction.type());
  co_return succeeded;
}

// Whether it succeeded; that it failed for good has been recorded. `owed` is null if no terminal waits.
// One that is cancelled when its commit was sent leaves a doubt.
Task<bool> Herd::attempt_until_done(database::Session& session, Transaction& transaction,
                                    Recorder::Owed* owed) {
  const InFlight in_flight(metrics_);
  int slow = 0;
  for (int number = 1;; ++number) {
    std::optional<Error> error;
    try {
      co_await transaction.execute(session);
    } catch (const Error& thrown) {
      error = thrown;
    } catch (const coro::Cancelled&) {
      if (transaction.commit_sent()) recorder_.left_in_doubt(transaction);
      throw;
    }
    if (!error) co_return true;
    const bool again = error->error_class() == ErrorClass::retryable &&
                       number < plan_.retry.attempts_max && !stopped_.is_set();
    if (!again) {
      recorder_.failed(transaction, *error, owed, session.host());
      transaction.failed(*error);
      give_up_if_hopeless(transaction, *error);
      co_return false;
    }
    recorder_.retried(transaction, *error);
    const bool is_slow = error->backoff() == database::Backoff::slow;
    const Duration pause = is_slow ? slow_retry_pause(++slow) : retry_pause(number - slow);
    co_await coro::sleep_for(pause);
  }
}

// Gives the run up if the server refuses access, or if no transaction of this type can succeed.
void Herd::give_up_if_hopeless(const Transaction& transaction, const Error& error) {
  if (error.error_class() == ErrorClass::denied) give_up(std::make_exception_ptr(error));
  const std::string& name = plan_.presentation.types[transaction.type()].name;
  const std::string why = recorder_.hopelessness(name, transaction.type(), error);
  if (why.empty()) return;
  give_up(std::make_exception_ptr(Error(error.error_class(), error.sqlstate(), why)));
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
