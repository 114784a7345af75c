// The terminals of the lab: what they do, and the ways to write one.
//
// Every terminal loops: a pause of 200 µs, then four asynchronous requests of 200 µs each, one
// after the other. A loop is a task; a terminal alone makes a thousand of them a second at most.
// The same work is written once for each model, in terminals_MODEL.cpp, to be read side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "coro/clock.h"
#include "measure/histogram.h"

namespace drover::lab {

inline constexpr coro::Duration pause_time = std::chrono::microseconds(200);
inline constexpr coro::Duration request_time = std::chrono::microseconds(200);
inline constexpr int requests_per_task = 4;

enum class TerminalModel : std::uint8_t { coroutine, steps, machine, future, thread };

inline constexpr std::array terminal_models = {TerminalModel::coroutine, TerminalModel::steps,
                                               TerminalModel::machine, TerminalModel::future,
                                               TerminalModel::thread};

std::string_view name_of(TerminalModel model);

// nullopt if there is no model of this name.
std::optional<TerminalModel> terminal_model(std::string_view name);

struct TerminalsPlan {
  TerminalModel model = TerminalModel::coroutine;
  std::size_t terminals = 1;
  std::size_t workers = 1;  // event loops; of the model `thread` there are as many as terminals
  coro::Duration duration = std::chrono::seconds(5);
};

// What a worker counts while its terminals run: written by its thread alone, read when it ended.
struct alignas(64) TerminalTally {
  std::uint64_t tasks = 0;
  std::uint64_t early = 0;      // pauses that ended before their time; has to stay 0
  measure::Histogram lateness;  // of the pauses of a few terminals, in ns

  void note_pause(coro::Instant due, coro::Instant now) {
    if (now < due) ++early;
    lateness.record(now > due ? static_cast<std::uint64_t>((now - due).count()) : 0);
  }
};

// Every so-manieth terminal measures how late its pauses end: often enough to know the tail, too
// seldom to weigh on the figures.
inline constexpr std::size_t terminals_a_watched_one = 64;

struct TerminalsOutcome {
  std::uint64_t tasks = 0;
  std::uint64_t early = 0;
  double seconds = 0;
  double cpu_seconds = 0;
  double bytes_per_terminal = 0;
  double lateness_p50_us = 0;
  double lateness_p99_us = 0;
};

// Runs the terminals in this process; throws std::system_error if the system does not allow so many
// threads. Call it in a process of its own: memory that was used before hides what it takes.
TerminalsOutcome run_terminals(const TerminalsPlan& plan);

}  // namespace drover::lab
