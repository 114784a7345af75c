// The five ways to write a flow that computes and lets the others run, to be read side by side.
#include <coroutine>
#include <memory>
#include <thread>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "lab/chained_future.h"
#include "lab/switch/switch_herd.h"
#include "steps/async_steps.h"

namespace drover::lab {
namespace {

using coro::Scope;
using coro::Task;
using coro::Worker;
using steps::Steps;

// ---- coroutine: the loop of a thread, with co_await before what lets the others run.

Task<void> flow(SwitchHerd& herd, std::uint64_t value) {
  while (!herd.is_stopping()) {
    value = herd.operate(value);
    co_await coro::yield();
  }
  herd.keep(value);
}

Task<void> drive_coroutines(SwitchHerd& herd) {
  const auto body = [&herd](Scope& scope) -> Task<void> {
    for (std::size_t i = 0; i < herd.flows; ++i) scope.start(flow(herd, herd.first_value(i)));
    co_await herd.all_started();
  };
  co_await coro::with_scope(body);
}

// ---- steps: a tree of steps: an endless loop whose body computes and then adds a step that passes
// through the worker's queue.

class StepsFlow {
 public:
  void start(SwitchHerd& herd, std::size_t number) {
    herd_ = &herd;
    value_ = herd.first_value(number);
    flow_.loop([this](Steps& operation) {
      if (herd_->is_stopping()) {
        operation.break_loop_no_throw();
        return;
      }
      value_ = herd_->operate(value_);
      operation.relinquish();
    });
    flow_.add([this](Steps&) {
      herd_->keep(value_);
      herd_->note_ended();
    });
    flow_.execute();
  }

 private:
  SwitchHerd* herd_ = nullptr;
  std::uint64_t value_ = 0;
  steps::AsyncSteps flow_{Worker::current()};
};

// ---- machine: a state machine, written by hand: a node that puts itself back into the worker's
// queue.
//
// That queue holds coroutines. What it needs of one is what all compilers agree on: the address of
// a frame, which begins with the function that resumes it. So the node is such a frame, made by
// hand, and beside the coroutine it shows what the compiler's own costs.

// The head of a frame.
struct FrameHead {
  void (*resume)(void* frame);
  void (*destroy)(void* frame);
};

class MachineFlow : FrameHead {
 public:
  MachineFlow() : FrameHead{&resume_frame, &destroy_frame} {}

  void start(SwitchHerd& herd, std::size_t number) {
    herd_ = &herd;
    value_ = herd.first_value(number);
    go_on_later();
  }

 private:
  static void resume_frame(void* frame) {
    static_cast<MachineFlow*>(static_cast<FrameHead*>(frame))->go_on();
  }
  static void destroy_frame(void*) {}  // it belongs to its driver

  // There is one state only: before an operation.
  void go_on() noexcept {
    if (herd_->is_stopping()) {
      herd_->keep(value_);
      herd_->note_ended();
      return;
    }
    value_ = herd_->operate(value_);
    go_on_later();
  }

  void go_on_later() noexcept {
    Worker::current().ready(std::coroutine_handle<>::from_address(static_cast<FrameHead*>(this)));
  }

  std::uint64_t value_ = 0;
  SwitchHerd* herd_ = nullptr;
};

// ---- future: a chain of futures: each operation hangs the next one on a future that the worker
// fulfils when it next comes round. The loop is a function that hands itself on; the flow's state
// is counted, since nobody can say whose lambda will be the last.

struct FutureFlow {
  SwitchHerd& herd;
  std::uint64_t value;
};

void operate(const std::shared_ptr<FutureFlow>& flow) {
  SwitchHerd& herd = flow->herd;
  if (herd.is_stopping()) {
    herd.keep(flow->value);
    herd.note_ended();
    return;
  }
  flow->value = herd.operate(flow->value);
  ChainedFuture::soon().apply([flow] { operate(flow); });
}

Task<void> drive_futures(SwitchHerd& herd) {
  for (std::size_t i = 0; i < herd.flows; ++i) {
    const auto flow = std::make_shared<FutureFlow>(FutureFlow{herd, herd.first_value(i)});
    ChainedFuture::soon().apply([flow] { operate(flow); });
  }
  co_await herd.all_started();
  co_await herd.all_ended();
}

// ---- thread: a loop that computes and asks the system to let another thread run.

// None runs before all are there, as no coroutine does: those that compute already would keep the
// processors from the one that starts the others.
void run_thread(SwitchHerd& herd) {
  herd.note_started();
  herd.wait_until_open();
  std::uint64_t value = herd.first_value(0);
  while (!herd.is_stopping()) {
    value = herd.operate(value);
    std::this_thread::yield();
  }
  herd.keep(value);
}

}  // namespace

constinit const FlowModels<SwitchHerd> SwitchHerd::models{
    .drive = {drive_coroutines, drive_array<StepsFlow, SwitchHerd>,
              drive_array<MachineFlow, SwitchHerd>, drive_futures},
    .run_thread = run_thread};

}  // namespace drover::lab
