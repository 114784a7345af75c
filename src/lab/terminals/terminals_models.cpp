// The five ways to write a terminal, to be read side by side.
#include <sys/prctl.h>

#include <memory>
#include <thread>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/timer_wheel.h"
#include "lab/chained_future.h"
#include "lab/terminals/terminal_herd.h"
#include "steps/async_steps.h"

namespace drover::lab {
namespace {

using coro::Instant;
using coro::Scope;
using coro::Task;
using coro::Worker;
using steps::Steps;

// ---- coroutine: the blocking version with co_await before what waits.

// What an asynchronous client hands out: something to await, here a timer.
auto request() {
  return coro::sleep_for(request_time);
}

template <bool is_watched>
Task<void> terminal(TerminalHerd& herd) {
  while (!herd.stopping) {
    const Instant due = is_watched ? Worker::current().now() + pause_time : Instant{};
    co_await coro::sleep_for(pause_time);
    if constexpr (is_watched) herd.tally.note_pause(due, Worker::current().now());
    for (int i = 0; i < requests_per_task; ++i) co_await request();
    ++herd.tally.tasks;
  }
}

Task<void> drive_coroutines(TerminalHerd& herd) {
  const auto body = [&herd](Scope& scope) -> Task<void> {
    for (std::size_t i = 0; i < herd.flows; ++i) {
      scope.start(herd.is_watched(i) ? terminal<true>(herd) : terminal<false>(herd));
    }
    co_await herd.all_started();
  };
  co_await coro::with_scope(body);
}

// ---- steps: a tree of steps. What happens next is said before it happens, by adding steps below
// the one that runs. A loop, a pause and the requests are steps; waiting is a step that something
// outside of the flow, here a timer, ends.

class StepsTerminal final : coro::TimerNode {
 public:
  void start(TerminalHerd& herd, std::size_t number) {
    herd_ = &herd;
    is_watched_ = herd.is_watched(number);
    flow_.loop([this](Steps& task) {
      if (herd_->stopping) {
        task.break_loop_no_throw();
        return;
      }
      task.add([this](Steps& pause) { wait(pause, pause_time); });
      task.add([this](Steps&) { note_pause(); });
      task.repeat(requests_per_task,
                  [this](Steps& request, std::size_t) { wait(request, request_time); });
      task.add([this](Steps&) { ++herd_->tally.tasks; });
    });
    flow_.add([this](Steps&) { herd_->note_ended(); });
    flow_.execute();
  }

 private:
  void wait(Steps& step, coro::Duration duration) {
    step.wait_external();
    waiting_ = &step;
    if (is_watched_) due_ = Worker::current().now() + duration;
    Worker::current().timers().add_undated(*this, duration);
  }

  void on_timer() noexcept override { waiting_->success(); }

  void note_pause() {
    if (is_watched_) herd_->tally.note_pause(due_, Worker::current().now());
  }

  TerminalHerd* herd_ = nullptr;
  bool is_watched_ = false;
  steps::AsyncSteps flow_{Worker::current()};
  Steps* waiting_ = nullptr;
  Instant due_{};
};

// ---- machine: a state machine, written by hand: what the compiler makes of a coroutine, and what
// somebody has to keep in mind who writes it himself. The loop, the place in it and what it knows
// are taken apart into states and members; the timer comes back into a switch.

class MachineTerminal final : coro::TimerNode {
 public:
  void start(TerminalHerd& herd, std::size_t number) {
    herd_ = &herd;
    is_watched_ = herd.is_watched(number);
    begin_task();
  }

 private:
  enum class State : std::uint8_t { pausing, requesting };

  void begin_task() noexcept {
    if (herd_->stopping) {
      herd_->note_ended();
      return;
    }
    state_ = State::pausing;
    wait(pause_time);
  }

  void wait(coro::Duration duration) noexcept {
    if (is_watched_) due_ = Worker::current().now() + duration;
    Worker::current().timers().add_undated(*this, duration);
  }

  void on_timer() noexcept override {
    switch (state_) {
      case State::pausing:
        if (is_watched_) herd_->tally.note_pause(due_, Worker::current().now());
        state_ = State::requesting;
        requests_left_ = requests_per_task;
        wait(request_time);
        return;
      case State::requesting:
        if (--requests_left_ > 0) {
          wait(request_time);
          return;
        }
        ++herd_->tally.tasks;
        begin_task();
        return;
    }
  }

  TerminalHerd* herd_ = nullptr;
  State state_ = State::pausing;
  bool is_watched_ = false;
  int requests_left_ = 0;
  Instant due_{};
};

// ---- future: a chain of futures. Each step returns before it has happened, and the next is a
// lambda that somebody else calls. There is no loop to be seen and nothing on a stack; the state of
// a terminal is counted, since nobody can say whose lambda will be the last.

struct FutureTerminal {
  TerminalHerd& herd;
  bool is_watched;
  Instant due{};
};

ChainedFuture later_request() {
  return ChainedFuture::after(request_time);
}

void begin_task(const std::shared_ptr<FutureTerminal>& terminal) {
  if (terminal->herd.stopping) {
    terminal->herd.note_ended();
    return;
  }
  if (terminal->is_watched) terminal->due = Worker::current().now() + pause_time;
  ChainedFuture::after(pause_time)
      .then([terminal] {
        if (terminal->is_watched) {
          terminal->herd.tally.note_pause(terminal->due, Worker::current().now());
        }
        return later_request();
      })
      .then([] { return later_request(); })
      .then([] { return later_request(); })
      .then([] { return later_request(); })
      .apply([terminal] {
        ++terminal->herd.tally.tasks;
        begin_task(terminal);
      });
}

Task<void> drive_futures(TerminalHerd& herd) {
  for (std::size_t i = 0; i < herd.flows; ++i) {
    begin_task(std::make_shared<FutureTerminal>(FutureTerminal{herd, herd.is_watched(i)}));
  }
  co_await herd.all_started();
  co_await herd.all_ended();
}

// ---- thread: code that blocks. The simplest to read; the system keeps a stack for each and decides
// who runs.

void run_thread(TerminalHerd& herd) {
  prctl(PR_SET_TIMERSLACK, 1UL);  // the default of 50 µs would be added to every sleep
  const bool is_watched = herd.is_watched(0);
  while (!herd.threads_stop()) {
    const Instant due = std::chrono::steady_clock::now() + pause_time;
    std::this_thread::sleep_for(pause_time);
    if (is_watched) herd.tally.note_pause(due, std::chrono::steady_clock::now());
    for (int i = 0; i < requests_per_task; ++i) std::this_thread::sleep_for(request_time);
    ++herd.tally.tasks;
  }
  herd.tasks_at_end = herd.tally.tasks;
}

}  // namespace

constinit const FlowModels<TerminalHerd> TerminalHerd::models{
    .drive = {drive_coroutines, drive_array<StepsTerminal, TerminalHerd>,
              drive_array<MachineTerminal, TerminalHerd>, drive_futures},
    .run_thread = run_thread};

}  // namespace drover::lab
