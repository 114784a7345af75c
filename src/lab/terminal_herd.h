// The terminals that share an event loop, and what a model has to write for them.
//
// Belongs to its worker's thread; the tally is read when that has ended.
#pragma once

#include <cstddef>

#include "coro/clock.h"
#include "coro/task.h"
#include "lab/terminal_model.h"

namespace drover::lab {

struct TerminalHerd {
  std::size_t terminals = 0;
  coro::Instant end{};
  bool stopping = false;  // set at the end: a terminal stops after the task that it is at
  TerminalTally tally;
  std::uint64_t tasks_at_end = 0;

  bool is_watched(std::size_t terminal) const { return terminal % terminals_a_watched_one == 0; }

  // Sleeps until the end, takes down the count, and tells the terminals.
  coro::Task<void> wait_for_end();
};

// Each runs herd.terminals terminals on the current worker until they have stopped.
coro::Task<void> drive_coroutines(TerminalHerd& herd);
coro::Task<void> drive_steps(TerminalHerd& herd);
coro::Task<void> drive_machines(TerminalHerd& herd);
coro::Task<void> drive_futures(TerminalHerd& herd);

// Runs as many threads; they share nothing but the flag that stops them.
TerminalsOutcome run_terminal_threads(const TerminalsPlan& plan);

}  // namespace drover::lab
