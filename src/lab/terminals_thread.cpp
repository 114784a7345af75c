// A terminal as a thread: code that blocks. The simplest to read; the system keeps a stack for each
// and decides who runs.
#include <sys/prctl.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "lab/small_thread.h"
#include "lab/terminal_herd.h"
#include "lab/terminals_usage.h"

namespace drover::lab {
namespace {

using coro::Instant;

Instant now() {
  return std::chrono::steady_clock::now();
}

void request() {
  std::this_thread::sleep_for(request_time);
}

void terminal(const std::atomic<bool>& stopping, TerminalTally& tally, bool is_watched) {
  prctl(PR_SET_TIMERSLACK, 1UL);  // the default of 50 µs would be added to every sleep
  while (!stopping.load(std::memory_order_relaxed)) {
    const Instant due = now() + pause_time;
    std::this_thread::sleep_for(pause_time);
    if (is_watched) tally.note_pause(due, now());
    for (int i = 0; i < requests_per_task; ++i) request();
    ++tally.tasks;
  }
}

struct TerminalThread {
  TerminalTally tally;
  SmallThread thread;  // ends before what it counts in
};

}  // namespace

TerminalsOutcome run_terminal_threads(const TerminalsPlan& plan) {
  std::atomic<bool> stopping = false;
  std::vector<std::unique_ptr<TerminalThread>> threads;
  const auto stop = [&] {
    stopping.store(true, std::memory_order_relaxed);
    threads.clear();
  };
  TerminalsOutcome outcome;
  measure::HistogramSnapshot lateness;
  try {
    TerminalsUsage usage(plan.terminals);
    for (std::size_t i = 0; i < plan.terminals; ++i) {
      threads.push_back(std::make_unique<TerminalThread>());
      TerminalThread* one = threads.back().get();
      const bool is_watched = i % terminals_a_watched_one == 0;
      one->thread.start([=, &stopping] { terminal(stopping, one->tally, is_watched); });
      require_started_in_time(usage.begun(), plan.duration, i + 1, plan.terminals);
    }
    std::this_thread::sleep_until(usage.begun() + plan.duration);
    // Before the time is taken: what is done after it must not count.
    stopping.store(true, std::memory_order_relaxed);
    usage.finish(outcome);
  } catch (...) {
    stop();
    throw;
  }
  for (auto& one : threads) {
    one->thread.join();
    outcome.tasks += one->tally.tasks;
    outcome.early += one->tally.early;
    one->tally.lateness.add_to(lateness);
  }
  set_lateness(outcome, lateness);
  return outcome;
}

}  // namespace drover::lab
