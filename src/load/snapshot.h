// Snapshot: what a run is doing, once a second. The screen, the plain lines, the metrics endpoint
// and the time series of the result are made of it and of nothing else.
//
// Plain values: made by the sampler on the main thread, and never changed again.
#pragma once

#include <array>
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

namespace drover::load {

// One second of a run, over all workers; what the result keeps of it.
struct Sample {
  coro::Duration elapsed{};  // since the start, at the end of this second
  coro::Duration length{};
  Phase phase{};
  PerType<std::uint64_t> committed;
  std::uint64_t failed = 0;
  std::uint64_t retries = 0;
  double p50_ms = 0;  // of the transactions committed in this second
  double p90_ms = 0;
  double p99_ms = 0;
  measure::SparseHistogram latency = {};  // of the same ones, in the part of a run of several hosts
  std::uint64_t in_flight = 0;
  std::uint64_t waiting = 0;  // terminals that wait for a permit or a session
  // Transactions of an open loop that are due by the schedule and that no client has begun. With
  // random arrivals it is computed from the mean rate. None in a closed loop.
  std::optional<std::uint64_t> backlog = {};
  double busiest_worker_load = 0;
  coro::Duration away{};    // for how long the database has been away, at the end of the second
  coro::Duration silent{};  // for how long it has answered nothing without an error, if that stalls
};

// What one type of transaction has come to since its phase began.
struct TransactionSnapshot {
  std::uint64_t committed = 0;
  std::uint64_t user_aborted = 0;
  std::uint64_t failed = 0;
  std::uint64_t retries = 0;
  std::array<std::uint64_t, database::error_class_count>
      errors{};                        // by ErrorClass, retried ones too
  measure::HistogramSnapshot latency;  // of committed ones

  void add(const TransactionMetrics& worker);
};

using PhaseSnapshot = PerType<TransactionSnapshot>;

// One worker in the last second.
struct WorkerSnapshot {
  double load = 0;  // 0..1: the share of it in which the thread had a processor
  std::uint64_t in_flight = 0;
  std::uint64_t waiting = 0;
  measure::HistogramSnapshot timer_lag;  // of the timers that fired in it
};

// What was done at one of several hosts since the phase began.
struct HostSnapshot {
  std::uint64_t committed = 0;
  std::uint64_t failed = 0;
  measure::HistogramSnapshot service;  // of committed ones, from when they had their session

  void add(const HostMetrics& worker);
};

struct HostNow {
  HostSnapshot phase;  // of the second's
  std::uint64_t sessions = 0;
  double per_second = 0;  // committed
};

// One of the hosts that make the load of a run together, in the last second.
struct RankNow {
  std::string name;
  double per_second = 0;   // committed
  double worker_load = 0;  // 0..1, of the busiest
  double timer_lag_p99_ms = 0;
  std::uint64_t in_flight = 0;
  std::size_t connections_open = 0;
  bool is_lost =
      false;  // it ended before its time, or says nothing any more: the figures are its last
};

struct Snapshot {
  Sample second;
  measure::HistogramSnapshot second_latency;  // of the transactions committed in it, all types
  PhaseSnapshot warmup;                       // both since their beginning
  PhaseSnapshot measured;
  std::vector<WorkerSnapshot> workers;
  std::vector<HostNow> hosts;       // by their numbers, where there are several
  std::vector<RankNow> ranks;       // where several hosts make the load
  AvailabilityRecord availability;  // with the last outages of the run only
  std::size_t connections_open = 0;
  measure::ProcessUsage process;  // since its start

  // The phase that the second belongs to.
  const PhaseSnapshot& phase() const { return second.phase == Phase::warmup ? warmup : measured; }
};

// Looks on from the main thread. What it does there delays no terminal, but the next snapshot.
class Observer {
 public:
  virtual ~Observer() = default;
  // All terminals are up.
  virtual void on_started(coro::Duration /*ramp_up*/) {}
  virtual void on_snapshot(const Snapshot& /*snapshot*/) {}
  // The terminals have ended; what is left is to ask the database what became of commits that were
  // not answered, and to compare it with what was counted.
  virtual void on_ended(bool /*database_away*/) {}
  // Something that a person should know, in a line: an interrupt, a checkpoint of the server.
  virtual void on_note(std::string_view /*text*/) {}
};

// Several observers as one, told in the order in which they were added.
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
