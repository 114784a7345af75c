// What one worker counts while it runs: for each phase and type of transaction.
//
// Written by the worker's thread, read by the sampler at any time; errors_by_sqlstate and `pending`
// alone are for the end, when the worker has been joined.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "database/error.h"
#include "measure/counter.h"
#include "measure/histogram.h"
#include "tpcc/transaction.h"

namespace drover::load {

// The counts of one type. A transaction that ends within the phase belongs to it.
struct TransactionMetrics {
  measure::Counter committed;
  measure::Counter user_aborted;  // New-Orders that had to be rolled back
  measure::Counter failed;        // ambiguous ones included
  measure::Counter retries;
  measure::Counter attempts;
  measure::Counter ambiguous_committed;  // counted when they are resolved, after the run
  measure::Counter ambiguous_not_committed;
  measure::Counter ambiguous_unresolved;
  measure::Histogram latency;  // of committed ones, from the intended start
  measure::Histogram wait;     // the part in line for a permit and a session, outages left out
  measure::Histogram keying;   // as it was, from its intended start
  measure::Histogram think;    // likewise, after a transaction of this type
  std::array<measure::Counter, database::error_class_count> errors;
  std::map<std::string, std::uint64_t> errors_by_sqlstate;
};

enum class Phase : std::uint8_t { warmup, measure, done };

using PhaseMetrics = std::array<TransactionMetrics, tpcc::transaction_type_count>;

// A transaction that a terminal waited for when the interval ended.
struct PendingTransaction {
  enum class End : std::uint8_t { none, committed, rolled_back };  // in the time that it still got

  tpcc::TransactionType type{};
  coro::Duration age{};      // since its intended start, at the end of the interval
  coro::Duration latency{};  // if it has no end: how long it was waited for
  End end = End::none;
};

// What was in the inputs of the transactions that were completed while measuring.
struct InputMetrics {
  measure::Counter new_orders;
  measure::Counter new_orders_rolled_back;
  measure::Counter order_lines;
  measure::Counter order_lines_remote;
  measure::Counter payments;
  measure::Counter payments_remote;
  measure::Counter payments_by_name;
  measure::Counter order_statuses;
  measure::Counter order_statuses_by_name;
  measure::Counter deliveries;
};

// What is known to be in the data, over all phases: what was answered, and after the run what was
// resolved.
struct LedgerMetrics {
  measure::Counter new_orders;
  measure::Counter payments;
  measure::Counter payment_cents;
  measure::Counter deliveries;
  measure::Counter orders_delivered;  // by them
  measure::Counter unresolved;        // nobody knows
};

// Deliveries that were queued while measuring (clause 2.7.2).
struct DeferredMetrics {
  measure::Counter queued;
  measure::Counter completed;
  measure::Counter failed;
  measure::Histogram latency;     // from queueing to completion
  measure::Histogram unfinished;  // how long those had been in the queue that never ended
};

struct alignas(measure::cache_line_bytes) WorkerMetrics {
  PhaseMetrics warmup;
  PhaseMetrics measured;
  InputMetrics inputs;
  LedgerMetrics ledger;
  DeferredMetrics deferred;
  measure::Histogram timer_lag;         // measured
  measure::Histogram timer_lag_warmup;  // before and after it
  measure::Counter districts_skipped;   // measured
  measure::Counter terminals_made;
  measure::Counter terminals_up;  // of those, that have begun their cycle
  measure::Counter started;       // transactions, over all phases
  measure::Counter finished;
  std::vector<PendingTransaction> pending;  // at most one a terminal
  measure::Counter wait_begun;              // terminals that asked for a permit and a session
  measure::Counter wait_ended;

  std::uint64_t in_flight() const { return difference(started, finished); }
  std::uint64_t waiting() const { return difference(wait_begun, wait_ended); }

 private:
  // The two are read one after the other while the worker counts on.
  static std::uint64_t difference(const measure::Counter& more, const measure::Counter& less) {
    const std::uint64_t subtrahend = less.get();
    const std::uint64_t minuend = more.get();
    return minuend > subtrahend ? minuend - subtrahend : 0;
  }
};

}  // namespace drover::load
