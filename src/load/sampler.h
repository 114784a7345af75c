// Sampler and SampleSeries: the snapshot of each second, and the time series of a run. For one
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "coro/clock.h"
#include "load/plan.h"
#include "load/run_worker.h"
#include "load/snapshot.h"

namespace drover::load {

class Sampler {
 public:
  // Both must outlive the sampler.
  Sampler(const Plan& plan, const std::vector<std::unique_ptr<RunWorker>>& workers);

  // Returns the current totals. `second` contains what was counted in the phase since the last call
  // or the construction, so that the seconds of a phase add up to its totals. Worker loads and
  // rates of server hosts cover everything since the last call, in any phase: `since_last` is the
  // time since then. It differs from `length` if the call comes after the end of the phase. The
  // caller adds availability, connections and the process.
  Snapshot take(Phase phase, coro::Duration elapsed, coro::Duration length,
                coro::Duration since_last);

  // Returns the counts and latencies of the phase since the last call for it. Workers count while a
  // sample is read, so the last sample does not contain all.
  Sample take_rest(Phase phase);

 private:
  struct WorkerTotals {
    coro::Duration cpu_time{};
    measure::HistogramSnapshot timer_lag;
  };
  struct AllTotals {
    PhaseTotals warmup;
    PhaseTotals measured;
    PerType<model::HostTotals> hosts_warmup;
    PerType<model::HostTotals> hosts_measured;
    std::vector<WorkerTotals> workers;
  };
  AllTotals totals() const;
  measure::HistogramSnapshot add_phase(const AllTotals& now, Phase phase, Sample& second) const;
  void add_workers(const AllTotals& now, coro::Duration since_last, Snapshot& snapshot) const;
  std::optional<std::uint64_t> backlog(coro::Duration elapsed) const;
  void add_hosts(const AllTotals& now, coro::Duration since_last, Snapshot& snapshot) const;

  const Plan& plan_;
  const std::vector<std::unique_ptr<RunWorker>>& workers_;
  AllTotals before_;
};

// The samples of a run in bounded memory. Each sample is a point of its own while there are at most
// `points_most`. In a longer run a point covers 2, 4, 8, … seconds, counted from the beginning of
// its phase. Counts stay exact, and percentiles are those of the merged histograms. A point takes
// about 700 bytes, half of them for its histogram.
class SampleSeries {
 public:
  // Four hours of one sample per second. A result with this many points is far below the size limit
  // of its readers.
  static constexpr std::size_t points_most = 14'400;

  explicit SampleSeries(coro::Duration warmup, std::size_t most = points_most) noexcept
      : warmup_(warmup), most_(most) {}

  // Adds a sample. Requires: the sample has its histogram, and ends after the previous one.
  void add(Sample sample);
  // Adds counts and latencies to the last point, if there is one, without changing its time.
  void add_to_last(const Sample& rest);

  std::size_t size() const noexcept { return points_.size(); }
  // Returns the seconds that a point covers: 1, or a power of two in a long run. The last point of
  // a phase may be shorter.
  std::uint64_t seconds_per_point() const noexcept { return step_; }

  // Returns the memory that the points take, in bytes.
  std::size_t bytes() const noexcept;

  // Returns the points with their percentiles, and leaves the series empty. Histograms, which take
  // most of the memory of the points, are left out unless `with_latency`.
  std::vector<Sample> take(bool with_latency = true);

 private:
  struct Point {
    Sample sample;                      // without `latency`
    std::vector<std::uint8_t> latency;  // its histogram_bytes
  };

  std::uint64_t group_of(const Sample& sample) const noexcept;
  bool belong_together(const Sample& one, const Sample& next) const noexcept;
  void double_step();

  coro::Duration warmup_;
  std::size_t most_;
  std::uint64_t step_ = 1;
  std::vector<Point> points_;
};

}  // namespace drover::load
