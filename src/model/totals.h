// Totals: what a run counts of one transaction type, from the worker thread to the result.
//
// The recorder, the snapshot of each second, the messages between hosts, the merge of parts and the
// result document use these types. totals_fields.h describes their fields once, with the names of
// the result document. A new counter is a member here, a line in that description, and a line where
// it is counted.
//
// Storage says how numbers are stored: Plain values, or counters that other threads may read while
// a worker counts (load::Shared).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "measure/histogram.h"

namespace drover::model {

struct Plain {
  using Count = std::uint64_t;
  using Times = measure::HistogramSnapshot;
  using ErrorsByClass = std::map<std::string, std::uint64_t>;
};

// Commits that were sent and not answered, by what the data showed later.
template <class Storage>
struct UnknownCommits {
  typename Storage::Count committed{};
  typename Storage::Count not_committed{};
  typename Storage::Count unresolved{};  // the data could not be read, or did not tell

  std::uint64_t count() const { return committed + not_committed + unresolved; }
};

template <class Storage>
struct TotalsIn {
  using Count = typename Storage::Count;
  using Times = typename Storage::Times;

  Count ok_count{};            // committed
  Count user_aborted_count{};  // rolled back on purpose
  Count failed_count{};        // not retried any more, unknown commits included
  Count retry_count{};
  Count attempts{};                   // counted independently, so that the sum can be checked
  UnknownCommits<Storage> ambiguous;  // part of failed_count
  // From the intended start to the answer, of committed transactions. A result adds late
  // transactions that were pending at the end.
  Times latency;
  // The wait for a permit and a connection while the database was available.
  Times wait;
  // Open loop: of committed transactions, from the connection to the answer.
  Times service;
  // Actual pauses of terminals before a transaction and after it. Empty without delays.
  Times keying;
  Times think;
  // Attempts that ended in an error. Their sum is failed_count + retry_count.
  typename Storage::ErrorsByClass errors_by_class;
  std::map<std::string, std::uint64_t> errors_by_sqlstate;  // of errors that have one
  // The first message for each SQLSTATE of errors that are not retried.
  std::map<std::string, std::string> error_messages;

  std::uint64_t all_count() const { return ok_count + user_aborted_count + failed_count; }
};
using Totals = TotalsIn<Plain>;

// Counts of one server host.
template <class Storage>
struct HostTotalsIn {
  typename Storage::Count ok_count{};
  typename Storage::Count failed_count{};
  typename Storage::Times service;  // of committed transactions
};
using HostTotals = HostTotalsIn<Plain>;

// Counts of the connections of a run, over all its phases.
struct ConnectionCounts {
  std::uint64_t interruptions = 0;  // outages that are too short for the list of outages
  std::uint64_t sessions_lost = 0;
  std::uint64_t sessions_ended_idle = 0;  // part of sessions_lost: no transaction failed
  std::uint64_t sessions_reopened = 0;
  std::uint64_t sessions_refused = 0;  // failed attempts to open a connection

  const ConnectionCounts& counts() const { return *this; }
};

// Figures of one second of a run, or of a longer point of its time series, over all workers.
struct IntervalFigures {
  std::vector<std::uint64_t> ok = {};  // commits by transaction type
  std::uint64_t failed = 0;
  // Percentiles of the latencies of all types.
  double p50_ms = 0;
  double p90_ms = 0;
  double p99_ms = 0;
  // At the end of the interval:
  std::uint64_t in_flight = 0;
  std::uint64_t waiting = 0;  // clients that wait for a permit or a connection
  std::uint64_t retries = 0;
  double client_load = 0;  // 0 to 1: processor use of the busiest worker
  // Latencies of the committed transactions. Kept in parts of a run on several hosts only.
  measure::SparseHistogram latency = {};

  void set_percentiles(const measure::HistogramSnapshot& times) {
    p50_ms = static_cast<double>(times.percentile_ns(50)) * 1e-6;
    p90_ms = static_cast<double>(times.percentile_ns(90)) * 1e-6;
    p99_ms = static_cast<double>(times.percentile_ns(99)) * 1e-6;
  }
};

}  // namespace drover::model
