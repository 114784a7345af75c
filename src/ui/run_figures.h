// RunFigures: a snapshot as numbers to be shown. Plain values, made once a second.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "load/plan.h"
#include "load/snapshot.h"
#include "ui/run_events.h"
#include "ui/run_history.h"

namespace drover::ui {

// One type of transaction, since its phase began; the rate alone is of the last seconds.
struct TransactionFigures {
  std::string_view name;
  double per_second = 0;
  std::uint64_t committed = 0;
  double p50_ms = 0;
  double p90_ms = 0;
  double p99_ms = 0;
  std::uint64_t retries = 0;
  std::uint64_t errors = 0;   // transactions that were given up
  double limit_s = 0;         // of the 90th percentile
  std::optional<bool> holds;  // none: nothing was committed
};

// One worker in the last second.
struct WorkerFigures {
  std::size_t number = 0;  // from 1
  double load = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t waiting = 0;
  double lag_p99_ms = 0;
};

// An outage, seen from now.
struct OutageFigures {
  coro::Duration lasted{};
  coro::Duration ended_ago{};
  bool over = false;
  std::string error;
};

struct RunFigures {
  coro::Duration elapsed{};
  load::Phase phase = load::Phase::warmup;
  double tpmc_now = 0;
  std::optional<double> tpmc_measured;
  std::optional<double> efficiency;  // percent; of the measurement, or of now before it
  double transactions_per_second = 0;
  double p50_ms = 0;  // of the last second
  double p90_ms = 0;
  std::array<TransactionFigures, tpcc::transaction_type_count> transactions;
  TransactionFigures all;              // without a limit
  std::vector<WorkerFigures> workers;  // the busiest first
  std::uint64_t in_flight = 0;
  std::uint64_t waiting = 0;
  double busiest_load = 0;
  double lag_p99_ms = 0;  // of the worst worker
  std::size_t connections_open = 0;
  std::size_t connections = 0;
  coro::Duration away{};
  coro::Duration silent{};  // for how long a stall has lasted
  std::size_t stall_count = 0;
  std::uint64_t outage_count = 0;
  std::vector<OutageFigures> outages;  // the last first, a few
  double cores = 0;                    // this process, in the last second
  double memory_bytes = 0;
};

// Makes figures of one snapshot after another. For one thread; `plan` must outlive it.
class RunFiguresMaker {
 public:
  explicit RunFiguresMaker(const load::Plan& plan) : plan_(plan), limits_(latency_limits_s()) {}

  // `history` holds the snapshot's second already; `now` is on the clock of the run.
  RunFigures make(const load::Snapshot& snapshot, const RunHistory& history, coro::Instant now);

 private:
  void add_transactions(const load::Snapshot& snapshot, const RunHistory& history,
                        RunFigures& figures) const;
  void add_workers(const load::Snapshot& snapshot, RunFigures& figures) const;
  void add_throughput(const load::Snapshot& snapshot, const RunHistory& history,
                      RunFigures& figures) const;

  const load::Plan& plan_;
  LatencyLimits limits_;
  std::optional<double> cpu_seconds_;
};

}  // namespace drover::ui
