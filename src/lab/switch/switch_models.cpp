// The five implementations of a flow that computes and yields, to be read side by side.
#include <coroutine>
#include <memory>
#include <thread>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "lab/chained_future.h"
#include "lab/switch/switch_experiment.h"
#include "steps/async_steps.h"

namespace drover::lab {
namespace {

using coro::Scope;
using coro::Task;
using coro::Worker;
using steps::Steps;

// ---- coroutine: the loop of a thread, with co_await before the yield.

Task<void> flow(SwitchGroup& group, std::uint64_t value) {
  while (!group.is_stopping()) {
    value = group.operate(value);
    co_await coro::yield();
  }
  group.keep(value);
}

Task<void> drive_coroutines(SwitchGroup& group) {
  const auto body = [&group](Scope& scope) -> Task<void> {
    for (std::size_t i = 0; i < group.flows; ++i) scope.start(flow(group, group.first_value(i)));
    co_await group.all_started();
  };
  co_await coro::with_scope(body);
}

// ---- steps: a tree of steps. The body of an endless loop computes, and then goes through the
// worker's queue.

class StepsFlow {
 public:
  void start(SwitchGroup& group, std::size_t number) {
    group_ = &group;
    value_ = group.first_value(number);
    flow_.loop([this](Steps& operation) {
      if (group_->is_stopping()) {
        operation.break_loop_no_throw();
        return;
      }
      value_ = group_->operate(value_);
      operation.relinquish();
    });
    flow_.add([this](Steps&) {
      group_->keep(value_);
      group_->note_ended();
    });
    flow_.execute();
  }

 private:
  SwitchGroup* group_ = nullptr;
  std::uint64_t value_ = 0;
  steps::AsyncSteps flow_{Worker::current()};
};

// ---- machine: a state machine written by hand, which puts itself back into the worker's queue.
//
// The queue holds coroutine handles. All compilers agree that the frame of a coroutine begins with
// the function that resumes it. The state machine is such a frame made by hand. The difference to
// the coroutine is the cost of the compiler's frame.

// The first members of a coroutine frame.
struct FrameHead {
  void (*resume)(void* frame);
  void (*destroy)(void* frame);
};

class MachineFlow : FrameHead {
 public:
  MachineFlow() : FrameHead{&resume_frame, &destroy_frame} {}

  void start(SwitchGroup& group, std::size_t number) {
    group_ = &group;
    value_ = group.first_value(number);
    go_on_later();
  }

 private:
  static void resume_frame(void* frame) {
    static_cast<MachineFlow*>(static_cast<FrameHead*>(frame))->go_on();
  }
  static void destroy_frame(void*) {}  // the driver owns the flow

  // The only state: before an operation.
  void go_on() noexcept {
    if (group_->is_stopping()) {
      group_->keep(value_);
      group_->note_ended();
      return;
    }
    value_ = group_->operate(value_);
    go_on_later();
  }

  void go_on_later() noexcept {
    Worker::current().ready(std::coroutine_handle<>::from_address(static_cast<FrameHead*>(this)));
  }

  std::uint64_t value_ = 0;
  SwitchGroup* group_ = nullptr;
};

// ---- future: a chain of futures. Each operation attaches the next one to a future that the worker
// fulfils later. The loop is a function that passes itself on. The state of the flow is counted,
// because any lambda can be the last one.

struct FutureFlow {
  SwitchGroup& group;
  std::uint64_t value;
};

void operate(const std::shared_ptr<FutureFlow>& flow) {
  SwitchGroup& group = flow->group;
  if (group.is_stopping()) {
    group.keep(flow->value);
    group.note_ended();
    return;
  }
  flow->value = group.operate(flow->value);
  ChainedFuture::soon().apply([flow] { operate(flow); });
}

Task<void> drive_futures(SwitchGroup& group) {
  for (std::size_t i = 0; i < group.flows; ++i) {
    const auto flow = std::make_shared<FutureFlow>(FutureFlow{group, group.first_value(i)});
    ChainedFuture::soon().apply([flow] { operate(flow); });
  }
  co_await group.all_started();
  co_await group.all_ended();
}

// ---- thread: a loop that computes and calls sched_yield().

// No thread computes before all are started, because computing threads would keep the processors
// from the thread that starts the rest.
void run_thread(SwitchGroup& group) {
  group.note_started();
  group.wait_until_open();
  std::uint64_t value = group.first_value(0);
  while (!group.is_stopping()) {
    value = group.operate(value);
    std::this_thread::yield();
  }
  group.keep(value);
}

}  // namespace

constinit const FlowModels<SwitchGroup> SwitchGroup::models{
    .drive = {drive_coroutines, drive_array<StepsFlow, SwitchGroup>,
              drive_array<MachineFlow, SwitchGroup>, drive_futures},
    .run_thread = run_thread};

}  // namespace drover::lab
