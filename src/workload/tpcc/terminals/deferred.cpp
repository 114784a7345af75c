// Deferred Delivery (clause 2.7.2): the terminal has its answer when its Delivery is queued; a few
// of them are executed at a time beside the terminals, in the order in which they were queued.
#include <chrono>

#include "coro/worker.h"
#include "workload/tpcc/terminals/terminals.h"

namespace drover::tpcc {

using coro::Instant;
using coro::Task;
using coro::Worker;
using load::Herd;

namespace {

std::uint64_t nanoseconds_since(Instant queued) {
  return static_cast<std::uint64_t>((Worker::current().now() - queued).count());
}

}  // namespace

// Waits while the queue is full, and that is part of the terminal's latency.
Task<Herd::Answered> Terminals::queue_delivery(Herd& herd, DeliveryInput input,
                                               Instant intended_start) {
  constexpr std::size_t type = index_of(TransactionType::Delivery);
  load::Recorder::Owed owed(herd.recorder(), type, intended_start);
  herd.recorder().wait_began();
  auto slot = co_await delivery_slots_.acquire();
  herd.recorder().wait_ended();
  const Instant queued = Worker::current().now();
  const bool counts = herd.recorder().answered_at_once(queued, owed, type);
  if (counts) counts_.deferred.queued.add();
  herd.start_aside(deliver_later(herd, input, queued, counts, std::move(slot)));
  co_return Herd::Answered{.at = queued, .succeeded = true};
}

// Whether it counts as measured was said when it was queued: the phases may not have been known.
Task<void> Terminals::deliver_later(Herd& herd, DeliveryInput input, Instant queued, bool counts,
                                    coro::Semaphore::Permit slot) {
  const coro::Semaphore::Permit in_queue = std::move(slot);
  const load::Recorder::Work work(herd.recorder());
  Transaction delivery(*this, input);
  bool succeeded = false;
  try {
    const auto turn = co_await delivery_turns_.acquire();
    succeeded = co_await herd.transact_aside(delivery);
  } catch (const coro::Cancelled&) {
    if (counts) counts_.deferred.unfinished.record(nanoseconds_since(queued));
    throw;
  }
  log_delivery(herd, input, succeeded ? &delivery.outcome() : nullptr, queued);
  if (succeeded) delivery.count(counts);
  if (!counts) co_return;
  (succeeded ? counts_.deferred.completed : counts_.deferred.failed).add();
  if (succeeded) counts_.deferred.latency.record(nanoseconds_since(queued));
}

// Without an outcome it has failed.
void Terminals::log_delivery(const Herd& herd, const DeliveryInput& input, const Outcome* outcome,
                             Instant queued) {
  if (delivery_log_ == nullptr) return;
  DeliveryRecord line;
  line.queued = herd.unix_time(queued);
  line.completed = herd.unix_time(Worker::current().now());
  line.w_id = input.w_id;
  line.carrier_id = input.carrier_id;
  line.failed = outcome == nullptr;
  if (outcome != nullptr) line.orders = outcome->delivered;
  delivery_log_->append(line);
}

}  // namespace drover::tpcc
