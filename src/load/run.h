// run(): the workers of a run, their timetable, and a sample a second for whoever looks on.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "load/plan.h"
#include "load/worker_metrics.h"
#include "measure/histogram.h"
#include "tpcc/backend.h"

namespace drover::load {

// One second of a run, over all workers.
struct Sample {
  coro::Duration elapsed{};  // since the start, at the end of this second
  coro::Duration length{};
  Phase phase{};
  std::array<std::uint64_t, tpcc::transaction_type_count> committed{};
  std::uint64_t failed = 0;
  std::uint64_t retries = 0;
  double p50_ms = 0;  // of the transactions committed in this second
  double p90_ms = 0;
  double p99_ms = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t waiting = 0;
  double busiest_worker_load = 0;
};

// Looks on from the main thread.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_started(coro::Duration /*ramp_up*/) {}
  // `latency` is of the transactions committed in the sample's second.
  virtual void on_sample(const Sample& /*sample*/, const measure::HistogramSnapshot& /*latency*/) {}
};

// What the run was, as it was.
struct Outcome {
  coro::Duration ramp_up{};           // from the start until every terminal was up
  coro::Duration measured{};          // the interval; zero if the run ended before it began
  std::int64_t measure_start_ts = 0;  // Unix time, seconds
  double client_cpu_seconds = 0;      // of the interval
  std::vector<double> worker_loads;   // of the interval, 0..1
  std::vector<std::unique_ptr<WorkerMetrics>> workers;
  std::vector<Sample> samples;
  bool interrupted = false;
  std::optional<std::string> failure;  // why it was given up
};

// A backend for the worker `index`; made on that worker's thread.
using BackendFactory = std::function<std::unique_ptr<tpcc::Backend>(std::size_t index)>;

// Ends a run early. Used from the main worker's tasks only.
class StopRequest {
 public:
  void request() {
    requested_ = true;
    if (on_request_) on_request_();
  }
  bool requested() const noexcept { return requested_; }
  void on_request(std::function<void()> action) { on_request_ = std::move(action); }

 private:
  bool requested_ = false;
  std::function<void()> on_request_;
};

// Runs the plan. Awaited on the main worker; starts and joins the others. Throws database::Error
// when the run could not begin; when it had to be given up later, the outcome says why.
coro::Task<Outcome> run(const Plan& plan, BackendFactory make_backend, Observer& observer,
                        StopRequest& stop);

}  // namespace drover::load
