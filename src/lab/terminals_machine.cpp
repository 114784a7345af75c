// A terminal as a state machine, written by hand: what the compiler makes of a coroutine, and what
// somebody has to keep in mind who writes it himself. The loop, the place in it and what it knows
// are taken apart into states and members; the timer comes back into a switch.
#include <memory>

#include "coro/event.h"
#include "coro/timer_wheel.h"
#include "coro/worker.h"
#include "lab/terminal_herd.h"

namespace drover::lab {
namespace {

using coro::Task;
using coro::Worker;

class Terminal final : coro::TimerNode {
 public:
  void start(TerminalHerd& herd, coro::Event& all_stopped, std::size_t& running, bool is_watched) {
    herd_ = &herd;
    all_stopped_ = &all_stopped;
    running_ = &running;
    is_watched_ = is_watched;
    begin_task();
  }

 private:
  enum class State : std::uint8_t { pausing, requesting };

  void begin_task() noexcept {
    if (herd_->stopping) {
      if (--*running_ == 0) all_stopped_->set();
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
  coro::Event* all_stopped_ = nullptr;
  std::size_t* running_ = nullptr;
  State state_ = State::pausing;
  bool is_watched_ = false;
  int requests_left_ = 0;
  coro::Instant due_{};
};

}  // namespace

Task<void> drive_machines(TerminalHerd& herd) {
  coro::Event all_stopped;
  std::size_t running = herd.terminals;
  const auto terminals = std::make_unique<Terminal[]>(herd.terminals);
  for (std::size_t i = 0; i < herd.terminals; ++i) {
    terminals[i].start(herd, all_stopped, running, herd.is_watched(i));
  }
  co_await herd.wait_for_end();
  co_await all_stopped.wait();
}

}  // namespace drover::lab
