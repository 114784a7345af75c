// Snapshot: the state of a run, taken once a second by the sampler on the main thread. The screen,
// the progress lines, the metrics endpoint and the time series of the result use nothing else.
// Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "load/availability.h"
#include "load/worker_metrics.h"
#include "measure/histogram.h"
#include "measure/process.h"
#include "model/totals.h"

namespace drover::load {

// One second of a run, over all workers.
struct Sample : model::IntervalFigures {
  coro::Duration elapsed{};  // since the start, at the end of this second
  coro::Duration length{};
  Phase phase{};
  // Open loop: transactions whose intended start has passed and which have not started. With random
  // arrivals it is computed from the mean rate. None in a closed loop.
  std::optional<std::uint64_t> backlog = {};
  coro::Duration away{};    // length so far of an outage that lasts at the end of the second
  coro::Duration silent{};  // likewise of a stall
};

// Totals by transaction type since the phase began. Without the fields that may only be read when
// the workers have ended (model::describe_live_totals).
using PhaseTotals = PerType<model::Totals>;

// Adds the totals of a worker that may be counting.
void add_live(const SharedTotals& worker, model::Totals& sum);

// One worker in the last second.
struct WorkerSnapshot {
  double load = 0;  // 0 to 1: share of the second in which the thread had a processor
  std::uint64_t in_flight = 0;
  std::uint64_t waiting = 0;
  measure::HistogramSnapshot timer_lag;  // of the timers that fired in the second
};

// One server host.
struct HostNow {
  model::HostTotals phase;  // since the phase began
  std::uint64_t sessions = 0;
  double per_second = 0;  // commits in the last second
};

// One of the hosts of a distributed run, in the last second.
struct RankNow {
  std::string name;
  double per_second = 0;   // commits
  double worker_load = 0;  // 0 to 1, of the busiest worker
  double timer_lag_p99_ms = 0;
  std::uint64_t in_flight = 0;
  std::size_t connections_open = 0;
  bool is_lost = false;  // the figures are the last that it sent
};

struct Snapshot {
  Sample second;
  measure::HistogramSnapshot second_latency;  // of transactions committed in the second, all types
  PhaseTotals warmup;
  PhaseTotals measured;
  std::vector<WorkerSnapshot> workers;
  std::vector<HostNow> hosts;       // empty if there is one server host
  std::vector<RankNow> ranks;       // empty if one host makes the load
  AvailabilityRecord availability;  // with the last outages only
  std::size_t connections_open = 0;
  measure::ProcessUsage process;

  // Returns the totals of the phase that the second belongs to.
  const PhaseTotals& phase() const { return second.phase == Phase::warmup ? warmup : measured; }
};

// Observes a run. Called on the main thread, where it delays the next snapshot, but no terminal.
class Observer {
 public:
  virtual ~Observer() = default;
  // All terminals have started.
  virtual void on_started(coro::Duration /*ramp_up*/) {}
  virtual void on_snapshot(const Snapshot& /*snapshot*/) {}
  // The terminals have ended. The run still looks up unknown commits and compares the ledger.
  virtual void on_ended(bool /*database_away*/) {}
  // A line for the user, such as an interrupt or a checkpoint of the server.
  virtual void on_note(std::string_view /*text*/) {}
};

// Several observers as one, called in the order in which they were added.
class Observers final : public Observer {
 public:
  // The observer must outlive this object.
  void add(Observer& observer) { observers_.push_back(&observer); }

  void on_started(coro::Duration ramp_up) override {
    for (Observer* one : observers_) one->on_started(ramp_up);
  }
  void on_snapshot(const Snapshot& snapshot) override {
    for (Observer* one : observers_) one->on_snapshot(snapshot);
  }
  void on_ended(bool database_away) override {
    for (Observer* one : observers_) one->on_ended(database_away);
  }
  void on_note(std::string_view text) override {
    for (Observer* one : observers_) one->on_note(text);
  }

 private:
  std::vector<Observer*> observers_;
};

}  // namespace drover::load
