#include "lab/switch_model.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <latch>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "coro/block_on.h"
#include "lab/switch_herd.h"
#include "lab/switch_watch.h"

namespace drover::lab {
namespace {

using Drive = coro::Task<void> (*)(SwitchHerd&);

Drive drive_of(SwitchModel model) {
  switch (model) {
    case SwitchModel::coroutine:
      return drive_coroutines;
    case SwitchModel::steps:
      return drive_steps;
    case SwitchModel::machine:
      return drive_machines;
    case SwitchModel::future:
      return drive_futures;
    default:
      throw std::invalid_argument("no event loop drives this model");
  }
}

// One event loop on a thread of its own.
struct Loop {
  Loop(const SwitchPlan& plan, std::size_t first, std::size_t count,
       const std::atomic<bool>& stopping, std::latch& all_started)
      : herd(plan, first, count, stopping, all_started) {}

  void run(Drive drive) {
    try {
      coro::Worker worker;
      coro::block_on(worker, drive(herd));
    } catch (...) {
      error = std::current_exception();
    }
    herd.note_started();  // whoever waits for it need not wait for one that has failed
  }

  SwitchHerd herd;
  std::exception_ptr error;
  std::thread thread;
};

class Loops {
 public:
  Loops(const SwitchPlan& plan, std::size_t count)
      : drive_(drive_of(plan.model)), all_started_(static_cast<std::ptrdiff_t>(count)) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t flows = plan.flows / count + (i < plan.flows % count ? 1 : 0);
      loops_.push_back(std::make_unique<Loop>(plan, first, flows, stopping_, all_started_));
      first += flows;
    }
  }
  Loops(const Loops&) = delete;
  Loops& operator=(const Loops&) = delete;
  ~Loops() { stop(); }

  void start() {
    for (auto& loop : loops_) {
      loop->thread = std::thread([this, one = loop.get()] { one->run(drive_); });
    }
    all_started_.wait();
  }

  void stop() {
    stopping_.store(true, std::memory_order_relaxed);
    for (auto& loop : loops_) {
      if (loop->thread.joinable()) loop->thread.join();
    }
  }

  std::uint64_t operations() const {
    std::uint64_t sum = 0;
    for (const auto& loop : loops_) sum += loop->herd.operations.get();
    return sum;
  }

  // Requires: stopped.
  std::uint64_t residue() const {
    std::uint64_t all = 0;
    for (const auto& loop : loops_) {
      if (loop->error) std::rethrow_exception(loop->error);
      all ^= loop->herd.residue;
    }
    return all;
  }

 private:
  Drive drive_;
  std::atomic<bool> stopping_{false};
  std::latch all_started_;
  std::vector<std::unique_ptr<Loop>> loops_;
};

}  // namespace

std::string_view name_of(SwitchModel model) {
  switch (model) {
    case SwitchModel::coroutine:
      return "coroutine";
    case SwitchModel::steps:
      return "steps";
    case SwitchModel::machine:
      return "machine";
    case SwitchModel::future:
      return "future";
    case SwitchModel::thread:
      return "thread";
  }
  return "unknown";
}

std::optional<SwitchModel> switch_model(std::string_view name) {
  for (const SwitchModel model : switch_models) {
    if (name_of(model) == name) return model;
  }
  return std::nullopt;
}

SwitchOutcome run_switch(const SwitchPlan& plan) {
  if (plan.model == SwitchModel::thread) return run_switch_threads(plan);
  SwitchOutcome outcome;
  SwitchWatch watch;
  Loops loops(plan, std::min(plan.workers, plan.flows));
  loops.start();
  watch.measure(plan, [&loops] { return loops.operations(); }, outcome);
  loops.stop();
  watch.finish(outcome);
  outcome.operations_in_all = loops.operations();
  outcome.residue = loops.residue();
  return outcome;
}

}  // namespace drover::lab
