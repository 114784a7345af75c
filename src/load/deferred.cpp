// Deferred Delivery (clause 2.7.2): the terminal has its answer when its Delivery is queued; a few
// of them are executed at a time beside the terminals, in the order in which they were queued.
#include "coro/worker.h"
#include "load/herd.h"

namespace drover::load {

using coro::Instant;
using coro::Task;
using coro::Worker;
using tpcc::Outcome;
using tpcc::TransactionType;

// Waits while the queue is full, and that is part of the terminal's latency.
Task<Instant> Herd::queue_delivery(tpcc::DeliveryInput input, Owed& owed) {
  metrics_.wait_begun.add();
  auto slot = co_await delivery_slots_.acquire();
  metrics_.wait_ended.add();
  const Instant queued = Worker::current().now();
  owed.end(queued, Owed::End::committed);
  deferred_->start(deliver_later(input, queued, std::move(slot)));
  if (measuring(queued)) metrics_.deferred.queued.add();
  if (TransactionMetrics* metrics = metrics_at(queued, TransactionType::Delivery)) {
    const auto waited = static_cast<std::uint64_t>((queued - owed.intended_start()).count());
    metrics->attempts.add();
    metrics->committed.add();
    metrics->latency.record(waited);
    metrics->wait.record(waited);
  }
  co_return queued;
}

Task<void> Herd::deliver_later(tpcc::DeliveryInput input, Instant queued,
                               coro::Semaphore::Permit slot) {
  const coro::Semaphore::Permit in_queue = std::move(slot);
  const Work work(*this);
  std::optional<Outcome> outcome;
  try {
    outcome = co_await deliver(input);
  } catch (const coro::Cancelled&) {
    const auto age = static_cast<std::uint64_t>((Worker::current().now() - queued).count());
    if (measuring(queued)) metrics_.deferred.unfinished.record(age);
    throw;
  }
  record_deferred(input, outcome, queued);
}

// Nothing if it failed for good.
Task<std::optional<Outcome>> Herd::deliver(tpcc::DeliveryInput input) {
  const auto turn = co_await delivery_turns_.acquire();
  const auto permit = co_await permits_.acquire();
  tpcc::Session* session = co_await backend_.acquire();
  const tpcc::SessionLease lease(backend_, *session);
  metrics_.started.add();
  const tpcc::Input any_input = input;
  std::optional<Outcome> outcome;
  try {
    outcome = co_await attempt_until_done(*session, any_input, nullptr);
  } catch (const coro::Cancelled&) {
    metrics_.finished.add();
    throw;
  }
  metrics_.finished.add();
  co_return outcome;
}

void Herd::record_deferred(const tpcc::DeliveryInput& input, const std::optional<Outcome>& outcome,
                           Instant queued) {
  const Instant now = Worker::current().now();
  log_delivery(input, outcome, queued);
  if (outcome) {
    notice_standstill(now);
    shared_.availability.transaction_succeeded(now);
    record_in_ledger(input, outcome->orders_delivered());
  }
  if (!measuring(queued)) return;
  if (!outcome) {
    metrics_.deferred.failed.add();
    return;
  }
  metrics_.deferred.completed.add();
  metrics_.deferred.latency.record(static_cast<std::uint64_t>((now - queued).count()));
  record_inputs(input, *outcome);
}

void Herd::log_delivery(const tpcc::DeliveryInput& input, const std::optional<Outcome>& outcome,
                        Instant queued) {
  if (shared_.delivery_log == nullptr) return;
  DeliveryRecord line;
  line.queued = unix_time(queued);
  line.completed = unix_time(Worker::current().now());
  line.w_id = input.w_id;
  line.carrier_id = input.carrier_id;
  line.failed = !outcome;
  if (outcome) line.orders = outcome->delivered;
  shared_.delivery_log->append(line);
}

double Herd::unix_time(Instant instant) const {
  return timetable_.unix_start + std::chrono::duration<double>(instant - timetable_.start).count();
}

}  // namespace drover::load
