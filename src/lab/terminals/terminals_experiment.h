// `drover lab terminals`: measures how many terminals a thread can drive.
//
// A terminal repeats a task: a pause of 200 µs, then four asynchronous requests of 200 µs each, one
// after the other. A single terminal completes at most 1,000 tasks per second.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "lab/experiment.h"
#include "lab/flow_groups.h"
#include "lab/rounds.h"
#include "measure/histogram.h"

namespace drover::lab {

inline constexpr coro::Duration pause_time = std::chrono::microseconds(200);
inline constexpr coro::Duration request_time = std::chrono::microseconds(200);
inline constexpr int requests_per_task = 4;

struct TerminalsPlan {
  FlowModel model = FlowModel::coroutine;
  std::size_t terminals = 1;
  std::size_t workers = 1;  // event loops; ignored by the model `thread`
  coro::Duration duration = std::chrono::seconds(5);
};

struct TerminalsOutcome {
  std::uint64_t tasks = 0;
  std::uint64_t early = 0;  // pauses that ended too early
  double seconds = 0;
  double cpu_seconds = 0;
  double bytes_per_terminal = 0;  // not_measured for few terminals
  double lateness_p50_us = 0;
  double lateness_p99_us = 0;
};

// Runs the terminals in this process. Throws std::system_error if the system refuses a thread. Call
// it in a process of its own, because memory that was used before would hide the memory of
// terminals.
TerminalsOutcome run_terminals(const TerminalsPlan& plan);

struct TerminalsOptions {
  std::vector<FlowModel> models = {FlowModel::coroutine};
  std::vector<std::size_t> workers = {1};
  std::vector<std::size_t> terminals = {10};
  coro::Duration duration = std::chrono::seconds(10);  // of a round
};

// The figures of a cell, in their order.
enum class TerminalsFigure : std::uint8_t {
  tasks_per_second,
  tasks,
  seconds,
  cpu_seconds,
  tasks_per_cpu_second,
  cpu_percent,
  bytes_per_terminal,
  lateness_p50_us,
  lateness_p99_us,
};

// Returns "terminals: 1024, tasks/s: 923k, tasks: 4615668, duration: 5 s, …".
std::string terminals_line(std::size_t terminals, const std::vector<double>& figures);

// Returns the figures of a round. Throws std::logic_error if a pause ended too early.
std::vector<double> terminals_figures(const TerminalsOutcome& outcome);

Study terminals_study(const TerminalsOptions& options);

// ---- For terminals_models.cpp

// The counts of a group while its terminals run.
struct alignas(64) TerminalTally {
  std::uint64_t tasks = 0;
  std::uint64_t early = 0;      // pauses that ended too early: an error of the runtime
  measure::Histogram lateness;  // timer lag of the watched terminals, in ns

  void note_pause(coro::Instant due, coro::Instant now) {
    if (now < due) ++early;
    lateness.record(now > due ? static_cast<std::uint64_t>((now - due).count()) : 0);
  }
};

// The terminals of one thread. The tally is read after the thread has ended.
class TerminalGroup : public FlowGroup {
 public:
  TerminalGroup(std::size_t first, std::size_t count, const coro::Instant& end,
                const std::atomic<bool>& threads_stop)
      : FlowGroup(first, count), end_(end), threads_stop_(threads_stop) {}

  // Returns true for every 64th terminal, which measures how late its pauses end. These are enough
  // to know the tail of the distribution, and too few to slow the terminals down.
  bool is_watched(std::size_t terminal) const { return (first_flow + terminal) % 64 == 0; }

  static const FlowModels<TerminalGroup> models;

  // Sleeps until the end of the measurement, keeps the count of tasks and stops the terminals.
  coro::Task<void> all_started();
  bool stopping = false;  // a terminal stops after its current task

  // Returns true when a terminal of the model `thread` must stop.
  bool threads_stop() const noexcept { return threads_stop_.load(std::memory_order_relaxed); }

  TerminalTally tally;
  std::uint64_t tasks_at_end = 0;

 private:
  const coro::Instant end_;
  const std::atomic<bool>& threads_stop_;
};

}  // namespace drover::lab
