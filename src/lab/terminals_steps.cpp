// A terminal as a tree of steps: what happens next is said before it happens, by adding steps below
// the one that runs. A loop, a pause and the requests are steps; waiting is a step that something
// outside of the flow, here a timer, ends.
#include <memory>
#include <vector>

#include "coro/event.h"
#include "coro/sleep.h"
#include "coro/timer_wheel.h"
#include "coro/worker.h"
#include "lab/terminal_herd.h"
#include "steps/async_steps.h"

namespace drover::lab {
namespace {

using coro::Task;
using coro::Worker;
using steps::AsyncSteps;
using steps::Steps;

struct Terminals {
  TerminalHerd& herd;
  std::size_t running;
  coro::Event all_stopped;
};

class Terminal final : coro::TimerNode {
 public:
  Terminal(Terminals& all, bool is_watched)
      : all_(all), is_watched_(is_watched), flow_(Worker::current()) {}

  void start() {
    flow_.loop([this](Steps& task) {
      if (all_.herd.stopping) {
        task.break_loop_no_throw();
        return;
      }
      task.add([this](Steps& pause) { wait(pause, pause_time); });
      task.add([this](Steps&) { note_pause(); });
      task.repeat(requests_per_task,
                  [this](Steps& request, std::size_t) { wait(request, request_time); });
      task.add([this](Steps&) { ++all_.herd.tally.tasks; });
    });
    flow_.add([this](Steps&) {
      if (--all_.running == 0) all_.all_stopped.set();
    });
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
    if (is_watched_) all_.herd.tally.note_pause(due_, Worker::current().now());
  }

  Terminals& all_;
  const bool is_watched_;
  AsyncSteps flow_;
  Steps* waiting_ = nullptr;
  coro::Instant due_{};
};

}  // namespace

Task<void> drive_steps(TerminalHerd& herd) {
  Terminals all{herd, herd.terminals, {}};
  std::vector<std::unique_ptr<Terminal>> terminals;
  for (std::size_t i = 0; i < herd.terminals; ++i) {
    terminals.push_back(std::make_unique<Terminal>(all, herd.is_watched(i)));
    terminals.back()->start();
  }
  co_await herd.wait_for_end();
  co_await all.all_stopped.wait();
  co_await coro::yield();  // the last one's flow comes to its end
}

}  // namespace drover::lab
