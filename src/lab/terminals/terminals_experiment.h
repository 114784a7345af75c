// `drover lab terminals`: how many terminals a thread can drive.
//
// Every terminal loops: a pause of 200 µs, then four asynchronous requests of 200 µs each, one
// after the other. A loop is a task; a terminal alone makes a thousand of them a second at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "coro/clock.h"
#include "lab/experiment.h"
#include "lab/herds.h"
#include "lab/rounds.h"

namespace drover::lab {

inline constexpr coro::Duration pause_time = std::chrono::microseconds(200);
inline constexpr coro::Duration request_time = std::chrono::microseconds(200);
inline constexpr int requests_per_task = 4;

struct TerminalsPlan {
  FlowModel model = FlowModel::coroutine;
  std::size_t terminals = 1;
  std::size_t workers = 1;  // event loops; of the model `thread` there are as many as terminals
  coro::Duration duration = std::chrono::seconds(5);
};

struct TerminalsOutcome {
  std::uint64_t tasks = 0;
  std::uint64_t early = 0;  // pauses that ended before their time
  double seconds = 0;
  double cpu_seconds = 0;
  double bytes_per_terminal = 0;  // or not_measured: too few to tell
  double lateness_p50_us = 0;
  double lateness_p99_us = 0;
};

// Runs the terminals in this process; throws std::system_error if the system does not allow so many
// threads. Call it in a process of its own: memory that was used before hides what it takes.
TerminalsOutcome run_terminals(const TerminalsPlan& plan);

struct TerminalsOptions {
  std::vector<FlowModel> models = {FlowModel::coroutine};
  std::vector<std::size_t> workers = {1};
  std::vector<std::size_t> terminals = {10};
  coro::Duration duration = std::chrono::seconds(10);  // of a round
};

// Which of the figures of a cell is which.
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

// "terminals: 1024, tasks/s: 923k, tasks: 4615668, duration: 5 s, …"
std::string terminals_line(std::size_t terminals, const std::vector<double>& figures);

// The figures as they stand in a round. Throws std::logic_error if a pause ended before its time.
std::vector<double> terminals_figures(const TerminalsOutcome& outcome);

Study terminals_study(const TerminalsOptions& options);

}  // namespace drover::lab
