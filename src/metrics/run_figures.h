// RunFigures: what an endpoint shows of a run, gathered from its snapshots.
//
// Plain values. Everything that is called a count only rises over the run, as Prometheus wants it
// of a counter.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "database/error.h"
#include "load/run.h"
#include "load/snapshot.h"
#include "measure/histogram.h"
#include "tpcc/transaction.h"

namespace drover::metrics {

// Upper bounds of the buckets, in seconds. Those of transactions have the limits of clause 5.2.5.3
// among them (5 s and 20 s), and steps of at most a factor of 2 where medians are to be expected.
inline constexpr std::array duration_bounds_s = {
    0.0002, 0.0005, 0.0007, 0.001, 0.0015, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015,
    0.02,   0.03,   0.05,   0.07,  0.1,    0.15,  0.2,   0.3,   0.5,   0.7,  1.0,
    1.5,    2.0,    3.0,    5.0,   7.0,    10.0,  15.0,  20.0,  60.0};
inline constexpr std::array timer_lag_bounds_s = {0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01,
                                                  0.02,   0.05,   0.1,    0.2,   0.5,   1.0};

// A histogram in the form that is shown: how many are at or below each bound.
struct CumulativeCounts {
  std::vector<std::uint64_t> up_to;  // one for each bound
  std::uint64_t count = 0;
  double sum_s = 0;

  static CumulativeCounts of(const measure::HistogramSnapshot& histogram,
                             std::span<const double> bounds_s);
  void add(const CumulativeCounts& more);  // of the same bounds
};

struct TransactionFigures {
  std::uint64_t committed = 0;
  std::uint64_t user_aborted = 0;
  std::uint64_t failed = 0;
  std::uint64_t retries = 0;
  std::array<std::uint64_t, database::error_class_count> errors{};
  CumulativeCounts duration;  // of committed ones
};

struct WorkerFigures {
  double cpu_s = 0;  // of its thread, since the run began
  std::uint64_t in_flight = 0;
  std::uint64_t waiting = 0;
  CumulativeCounts timer_lag;
};

struct DatabaseFigures {
  double away_s = 0;    // how long the outage has lasted that goes on
  double silent_s = 0;  // how long the stall has lasted that goes on
  std::uint64_t outages = 0;
  std::uint64_t stalls = 0;
  std::uint64_t interruptions = 0;
  std::uint64_t sessions_lost = 0;
  std::uint64_t sessions_reopened = 0;
  std::size_t connections_open = 0;
};

enum class RunState { starting, warmup, measure, ended };
inline constexpr std::size_t run_state_count = 4;

struct RunFigures {
  using Phase = std::array<TransactionFigures, tpcc::transaction_type_count>;

  explicit RunFigures(std::size_t workers_count);

  void take(const load::Snapshot& snapshot);
  // The terminals have ended: nothing is in flight any more.
  void end(bool database_away);
  // The counts of the result, to the last transaction, which may have ended after the last
  // snapshot.
  void take(const load::Outcome& outcome);

  RunState state = RunState::starting;
  Phase warmup;
  Phase measured;
  std::vector<WorkerFigures> workers;
  DatabaseFigures database;
};

}  // namespace drover::metrics
