// A flow as a thread: a loop that computes and asks the system to let another thread run.
#include <atomic>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "lab/small_thread.h"
#include "lab/switch_herd.h"
#include "lab/switch_watch.h"

namespace drover::lab {
namespace {

// A herd of one.
struct FlowThread {
  FlowThread(const SwitchPlan& plan, std::size_t number, const std::atomic<bool>& stopping,
             std::latch& all_started)
      : herd(plan, number, 1, stopping, all_started) {}

  SwitchHerd herd;
  SmallThread thread;  // ends before what it counts in
};

// None runs before all are there, as no coroutine does: those that compute already would keep the
// processors from the one that starts the others.
void flow(SwitchHerd& herd, std::latch& gate) {
  herd.note_started();
  gate.wait();
  std::uint64_t value = first_value(herd.first_flow);
  while (!herd.is_stopping()) {
    value = herd.operate(value);
    std::this_thread::yield();
  }
  herd.keep(value);
}

class FlowThreads {
 public:
  explicit FlowThreads(const SwitchPlan& plan)
      : all_started_(static_cast<std::ptrdiff_t>(plan.flows)) {
    threads_.reserve(plan.flows);
  }
  FlowThreads(const FlowThreads&) = delete;
  FlowThreads& operator=(const FlowThreads&) = delete;
  ~FlowThreads() { stop(); }

  void start(const SwitchPlan& plan, const SwitchWatch& watch) {
    for (std::size_t i = 0; i < plan.flows; ++i) {
      threads_.push_back(std::make_unique<FlowThread>(plan, i, stopping_, all_started_));
      FlowThread* one = threads_.back().get();
      one->thread.start([this, one] { flow(one->herd, gate_); });
      require_started_in_time(watch.begun(), plan.warm_up + plan.duration, i + 1, plan.flows);
    }
    all_started_.wait();
    open_gate();
  }

  void stop() {
    stopping_.store(true, std::memory_order_relaxed);
    open_gate();
    for (auto& one : threads_) one->thread.join();
  }

  std::uint64_t operations() const {
    std::uint64_t sum = 0;
    for (const auto& one : threads_) sum += one->herd.operations.get();
    return sum;
  }

  std::uint64_t residue() const {
    std::uint64_t all = 0;
    for (const auto& one : threads_) all ^= one->herd.residue;
    return all;
  }

 private:
  void open_gate() {
    if (!std::exchange(is_open_, true)) gate_.count_down();
  }

  std::atomic<bool> stopping_{false};
  std::latch all_started_;
  std::latch gate_{1};
  bool is_open_ = false;
  std::vector<std::unique_ptr<FlowThread>> threads_;
};

}  // namespace

SwitchOutcome run_switch_threads(const SwitchPlan& plan) {
  SwitchOutcome outcome;
  SwitchWatch watch;
  FlowThreads threads(plan);
  threads.start(plan, watch);
  watch.measure(plan, [&threads] { return threads.operations(); }, outcome);
  threads.stop();
  watch.finish(outcome);
  outcome.operations_in_all = threads.operations();
  outcome.residue = threads.residue();
  return outcome;
}

}  // namespace drover::lab
