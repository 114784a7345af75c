// What one worker counts of TPC-C's transactions beside what the engine counts of any.
//
// Written by the worker's thread; read when the run has ended.
#pragma once

#include "measure/counter.h"
#include "measure/histogram.h"

namespace drover::tpcc {

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

struct alignas(measure::cache_line_bytes) WorkerCounts {
  InputMetrics inputs;
  LedgerMetrics ledger;
  DeferredMetrics deferred;
  measure::Counter districts_skipped;  // measured
};

}  // namespace drover::tpcc
