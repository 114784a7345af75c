// The five implementations of a terminal, to be read side by side.
#include <sys/prctl.h>

#include <memory>
#include <thread>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/timer_wheel.h"
#include "lab/chained_future.h"
#include "lab/terminals/terminals_experiment.h"
#include "steps/async_steps.h"

namespace drover::lab {
namespace {

using coro::Instant;
using coro::Scope;
using coro::Task;
using coro::Worker;
using steps::Steps;

// ---- coroutine: the blocking version with co_await before each wait.

// Returns an awaitable, as an asynchronous client would: here a timer.
auto request() {
  return coro::sleep_for(request_time);
}

template <bool is_watched>
Task<void> terminal(TerminalGroup& group) {
  while (!group.stopping) {
    const Instant due = is_watched ? Worker::current().now() + pause_time : Instant{};
    co_await coro::sleep_for(pause_time);
    if constexpr (is_watched) group.tally.note_pause(due, Worker::current().now());
    for (int i = 0; i < requests_per_task; ++i) co_await request();
    ++group.tally.tasks;
  }
}

Task<void> drive_coroutines(TerminalGroup& group) {
  const auto body = [&group](Scope& scope) -> Task<void> {
    for (std::size_t i = 0; i < group.flows; ++i) {
      scope.start(group.is_watched(i) ? terminal<true>(group) : terminal<false>(group));
    }
    co_await group.all_started();
  };
  co_await coro::with_scope(body);
}

// ---- steps: a tree of steps. The running step adds the steps that follow below itself. The loop,
// the pause and the requests are steps. A timer ends a step that waits.

class StepsTerminal final : coro::TimerNode {
 public:
  void start(TerminalGroup& group, std::size_t number) {
    group_ = &group;
    is_watched_ = group.is_watched(number);
    flow_.loop([this](Steps& task) {
      if (group_->stopping) {
        task.break_loop_no_throw();
        return;
      }
      task.add([this](Steps& pause) { wait(pause, pause_time); });
      task.add([this](Steps&) { note_pause(); });
      task.repeat(requests_per_task,
                  [this](Steps& request, std::size_t) { wait(request, request_time); });
      task.add([this](Steps&) { ++group_->tally.tasks; });
    });
    flow_.add([this](Steps&) { group_->note_ended(); });
    flow_.execute();
  }

 private:
  void wait(Steps& step, coro::Duration duration) {
    step.wait_external();
    waiting_ = &step;
    if (is_watched_) due_ = Worker::current().now() + duration;
    Worker::current().timers().add(*this, duration);
  }

  void on_timer() noexcept override { waiting_->success(); }

  void note_pause() {
    if (is_watched_) group_->tally.note_pause(due_, Worker::current().now());
  }

  TerminalGroup* group_ = nullptr;
  bool is_watched_ = false;
  steps::AsyncSteps flow_{Worker::current()};
  Steps* waiting_ = nullptr;
  Instant due_{};
};

// ---- machine: a state machine written by hand, such as the compiler makes from a coroutine. The
// loop becomes states, its variables become members, and the timer calls a switch over the states.

class MachineTerminal final : coro::TimerNode {
 public:
  void start(TerminalGroup& group, std::size_t number) {
    group_ = &group;
    is_watched_ = group.is_watched(number);
    begin_task();
  }

 private:
  enum class State : std::uint8_t { pausing, requesting };

  void begin_task() noexcept {
    if (group_->stopping) {
      group_->note_ended();
      return;
    }
    state_ = State::pausing;
    wait(pause_time);
  }

  void wait(coro::Duration duration) noexcept {
    if (is_watched_) due_ = Worker::current().now() + duration;
    Worker::current().timers().add(*this, duration);
  }

  void on_timer() noexcept override {
    switch (state_) {
      case State::pausing:
        if (is_watched_) group_->tally.note_pause(due_, Worker::current().now());
        state_ = State::requesting;
        requests_left_ = requests_per_task;
        wait(request_time);
        return;
      case State::requesting:
        if (--requests_left_ > 0) {
          wait(request_time);
          return;
        }
        ++group_->tally.tasks;
        begin_task();
        return;
    }
  }

  TerminalGroup* group_ = nullptr;
  State state_ = State::pausing;
  bool is_watched_ = false;
  int requests_left_ = 0;
  Instant due_{};
};

// ---- future: a chain of futures. Each step returns before its work is done, and the next step is
// a lambda. The state of the terminal is counted, because any lambda can be the last one.

struct FutureTerminal {
  TerminalGroup& group;
  bool is_watched;
  Instant due{};
};

ChainedFuture later_request() {
  return ChainedFuture::after(request_time);
}

void begin_task(const std::shared_ptr<FutureTerminal>& terminal) {
  if (terminal->group.stopping) {
    terminal->group.note_ended();
    return;
  }
  if (terminal->is_watched) terminal->due = Worker::current().now() + pause_time;
  ChainedFuture::after(pause_time)
      .then([terminal] {
        if (terminal->is_watched) {
          terminal->group.tally.note_pause(terminal->due, Worker::current().now());
        }
        return later_request();
      })
      .then([] { return later_request(); })
      .then([] { return later_request(); })
      .then([] { return later_request(); })
      .apply([terminal] {
        ++terminal->group.tally.tasks;
        begin_task(terminal);
      });
}

Task<void> drive_futures(TerminalGroup& group) {
  for (std::size_t i = 0; i < group.flows; ++i) {
    begin_task(std::make_shared<FutureTerminal>(FutureTerminal{group, group.is_watched(i)}));
  }
  co_await group.all_started();
  co_await group.all_ended();
}

// ---- thread: blocking code. The system keeps a stack for each thread and schedules the threads.

void run_thread(TerminalGroup& group) {
  prctl(PR_SET_TIMERSLACK, 1UL);  // the default of 50 µs would be added to every sleep
  const bool is_watched = group.is_watched(0);
  while (!group.threads_stop()) {
    const Instant due = std::chrono::steady_clock::now() + pause_time;
    std::this_thread::sleep_for(pause_time);
    if (is_watched) group.tally.note_pause(due, std::chrono::steady_clock::now());
    for (int i = 0; i < requests_per_task; ++i) std::this_thread::sleep_for(request_time);
    ++group.tally.tasks;
  }
  group.tasks_at_end = group.tally.tasks;
}

}  // namespace

constinit const FlowModels<TerminalGroup> TerminalGroup::models{
    .drive = {drive_coroutines, drive_array<StepsTerminal, TerminalGroup>,
              drive_array<MachineTerminal, TerminalGroup>, drive_futures},
    .run_thread = run_thread};

}  // namespace drover::lab
