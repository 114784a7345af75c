// What a herd writes down of each transaction.
#include "coro/worker.h"
#include "load/herd.h"

namespace drover::load {

using coro::Duration;
using coro::Instant;
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

// Whether it was the session that failed, and not the transaction.
bool is_loss(const Error& error) noexcept {
  return error.error_class() == ErrorClass::connection_lost ||
         error.error_class() == ErrorClass::ambiguous_commit ||
         error.error_class() == ErrorClass::unavailable;
}

}  // namespace

Herd::Owed::~Owed() {
  const Timetable& times = herd_.timetable_;
  if (ended_ && *ended_ < times.measure_end) return;
  const Instant ended = ended_.value_or(Worker::current().now());
  if (ended < times.measure_end || intended_start_ >= times.measure_end) return;
  if (times.measure_end <= times.measure_start) return;  // stopped in the warm-up
  herd_.metrics_.pending.push_back({.type = type_,
                                    .age = times.measure_end - intended_start_,
                                    .latency = ended - intended_start_,
                                    .end = how_});
}

void Herd::record(const tpcc::Input& input, const Outcome& outcome, Owed& owed,
                  std::optional<Duration> wait) {
  const Instant now = Worker::current().now();
  owed.end(now, outcome.committed ? Owed::End::committed : Owed::End::rolled_back);
  notice_standstill(now);
  shared_.availability.transaction_succeeded(now);
  if (outcome.committed) record_in_ledger(input, outcome.orders_delivered());
  TransactionMetrics* metrics = metrics_at(now, type_of(input));
  if (metrics == nullptr) return;
  metrics->attempts.add();
  if (wait) metrics->wait.record(nanoseconds(*wait));
  if (measuring(now)) record_inputs(input, outcome);
  if (!outcome.committed) {
    metrics->user_aborted.add();
    return;
  }
  metrics->committed.add();
  metrics->latency.record(nanoseconds(now - owed.intended_start()));
}

void Herd::record_inputs(const tpcc::Input& input, const Outcome& outcome) {
  InputMetrics& counts = metrics_.inputs;
  if (const auto* order = std::get_if<tpcc::NewOrderInput>(&input)) {
    counts.new_orders.add();
    if (order->rollback) counts.new_orders_rolled_back.add();
    counts.order_lines.add(order->lines().size());
    for (const tpcc::NewOrderLine& line : order->lines()) {
      if (line.supply_w_id != order->w_id) counts.order_lines_remote.add();
    }
  } else if (const auto* payment = std::get_if<tpcc::PaymentInput>(&input)) {
    counts.payments.add();
    if (payment->customer.c_w_id != payment->w_id) counts.payments_remote.add();
    if (payment->customer.by_name) counts.payments_by_name.add();
  } else if (const auto* status = std::get_if<tpcc::OrderStatusInput>(&input)) {
    counts.order_statuses.add();
    if (status->customer.by_name) counts.order_statuses_by_name.add();
  } else if (std::holds_alternative<tpcc::DeliveryInput>(input)) {
    counts.deliveries.add();
    metrics_.districts_skipped.add(static_cast<std::uint64_t>(outcome.districts_skipped));
  }
}

void Herd::record_in_ledger(const tpcc::Input& input, std::int32_t orders_delivered) {
  if (std::holds_alternative<tpcc::NewOrderInput>(input)) {
    metrics_.ledger.new_orders.add();
  } else if (const auto* payment = std::get_if<tpcc::PaymentInput>(&input)) {
    metrics_.ledger.payments.add();
    metrics_.ledger.payment_cents.add(static_cast<std::uint64_t>(payment->amount_cents));
  } else if (std::holds_alternative<tpcc::DeliveryInput>(input)) {
    metrics_.ledger.deliveries.add();
    metrics_.ledger.orders_delivered.add(static_cast<std::uint64_t>(orders_delivered));
  }
}

// A pause of a terminal that was to last from `begun` to `due` and is over now.
void Herd::record_pause(measure::Histogram TransactionMetrics::* kind, TransactionType type,
                        Instant begun, Instant due) {
  const Instant now = Worker::current().now();
  record_timer_lag(now, due);
  if (!measuring(now)) return;
  (metrics_.measured[tpcc::index_of(type)].*kind).record(nanoseconds(now - begun));
}

void Herd::record_timer_lag(Instant now, Instant due) {
  measure::Histogram& lag = measuring(now) ? metrics_.timer_lag : metrics_.timer_lag_warmup;
  lag.record(nanoseconds(now - due));
}

void Herd::record_failure(const tpcc::Input& input, const tpcc::Trace& trace, const Error& error,
                          Owed* owed) {
  const Instant now = Worker::current().now();
  TransactionMetrics* metrics = owed != nullptr ? metrics_at(now, type_of(input)) : nullptr;
  if (owed != nullptr) owed->end(now, Owed::End::none);
  notice_standstill(now);
  if (metrics != nullptr) {
    count_error(*metrics, error);
    metrics->failed.add();
  }
  if (error.error_class() == ErrorClass::ambiguous_commit) {
    doubts_.push_back({{input, trace}, metrics});
  }
  if (is_loss(error)) {
    shared_.availability.transaction_lost(now, error.what());
  } else if (error.error_class() != ErrorClass::timed_out) {
    shared_.availability.transaction_answered(now);  // with an error
  }
  if (error.error_class() == ErrorClass::denied) {
    give_up(std::make_exception_ptr(Error(error)));
  }
}

void Herd::record_retry(const tpcc::Input& input, const Error& error) {
  TransactionMetrics* metrics = metrics_at(Worker::current().now(), type_of(input));
  if (metrics == nullptr) return;
  count_error(*metrics, error);
  metrics->retries.add();
}

void Herd::count_error(TransactionMetrics& metrics, const Error& error) {
  metrics.attempts.add();
  metrics.errors[static_cast<std::size_t>(error.error_class())].add();
  if (!error.sqlstate().empty()) ++metrics.errors_by_sqlstate[error.sqlstate()];
}

void Herd::settle(const OpenDoubt& open, tpcc::Finding found) {
  const tpcc::Resolution answer = found.resolution;
  if (answer == tpcc::Resolution::committed) {
    record_in_ledger(open.doubt.input, found.orders_delivered);
  }
  if (answer == tpcc::Resolution::unknown) metrics_.ledger.unresolved.add();
  if (open.metrics == nullptr) return;
  switch (answer) {
    case tpcc::Resolution::committed:
      open.metrics->ambiguous_committed.add();
      return;
    case tpcc::Resolution::not_committed:
      open.metrics->ambiguous_not_committed.add();
      return;
    case tpcc::Resolution::unknown:
      open.metrics->ambiguous_unresolved.add();
  }
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

}  // namespace drover::load
