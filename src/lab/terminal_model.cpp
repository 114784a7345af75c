#include "lab/terminal_model.h"

#include <atomic>
#include <exception>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "lab/terminal_herd.h"
#include "lab/terminals_usage.h"

namespace drover::lab {
namespace {

using Drive = coro::Task<void> (*)(TerminalHerd&);

Drive drive_of(TerminalModel model) {
  switch (model) {
    case TerminalModel::coroutine:
      return drive_coroutines;
    case TerminalModel::steps:
      return drive_steps;
    case TerminalModel::machine:
      return drive_machines;
    case TerminalModel::future:
      return drive_futures;
    default:
      throw std::invalid_argument("no event loop drives this model");
  }
}

// One event loop on a thread of its own.
struct Loop {
  TerminalHerd herd;
  std::exception_ptr error;
  std::thread thread;

  void run(Drive drive) {
    try {
      coro::Worker worker;
      coro::block_on(worker, drive(herd));
    } catch (...) {
      error = std::current_exception();
    }
  }
};

}  // namespace

coro::Task<void> TerminalHerd::wait_for_end() {
  co_await coro::sleep_until(end);
  tasks_at_end = tally.tasks;
  stopping = true;
}

std::string_view name_of(TerminalModel model) {
  switch (model) {
    case TerminalModel::coroutine:
      return "coroutine";
    case TerminalModel::steps:
      return "steps";
    case TerminalModel::machine:
      return "machine";
    case TerminalModel::future:
      return "future";
    case TerminalModel::thread:
      return "thread";
  }
  return "unknown";
}

std::optional<TerminalModel> terminal_model(std::string_view name) {
  for (const TerminalModel model : terminal_models) {
    if (name_of(model) == name) return model;
  }
  return std::nullopt;
}

TerminalsOutcome run_terminals(const TerminalsPlan& plan) {
  if (plan.model == TerminalModel::thread) return run_terminal_threads(plan);
  const Drive drive = drive_of(plan.model);
  TerminalsOutcome outcome;
  std::vector<std::unique_ptr<Loop>> loops;
  const TerminalsUsage usage(plan.terminals);
  const std::size_t workers = std::min(plan.workers, plan.terminals);
  for (std::size_t i = 0; i < workers; ++i) {
    loops.push_back(std::make_unique<Loop>());
    Loop& loop = *loops.back();
    loop.herd.terminals = plan.terminals / workers + (i < plan.terminals % workers ? 1 : 0);
    loop.herd.end = usage.begun() + plan.duration;
  }
  for (auto& loop : loops) loop->thread = std::thread([&loop, drive] { loop->run(drive); });
  std::this_thread::sleep_until(usage.begun() + plan.duration);
  usage.finish(outcome);
  measure::HistogramSnapshot lateness;
  for (auto& loop : loops) {
    loop->thread.join();
    outcome.tasks += loop->herd.tasks_at_end;
    outcome.early += loop->herd.tally.early;
    loop->herd.tally.lateness.add_to(lateness);
  }
  for (auto& loop : loops) {
    if (loop->error) std::rethrow_exception(loop->error);
  }
  set_lateness(outcome, lateness);
  return outcome;
}

}  // namespace drover::lab
