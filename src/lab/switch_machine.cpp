// A flow as a state machine, written by hand: a node that puts itself back into the worker's queue.
//
// That queue holds coroutines. What it needs of one is what all compilers agree on: the address of
// a frame, which begins with the function that resumes it. So the node is such a frame, made by
// hand, and beside the coroutine of switch_coroutine.cpp it shows what the compiler's own costs.
#include <coroutine>
#include <memory>

#include "coro/event.h"
#include "coro/worker.h"
#include "lab/switch_herd.h"

namespace drover::lab {
namespace {

using coro::Task;
using coro::Worker;

// The head of a frame.
struct FrameHead {
  void (*resume)(void* frame);
  void (*destroy)(void* frame);
};

class Flow : FrameHead {
 public:
  Flow() : FrameHead{&resume_frame, &destroy_frame} {}

  void start(SwitchHerd& herd, coro::Event& all_stopped, std::size_t& running,
             std::uint64_t value) {
    herd_ = &herd;
    all_stopped_ = &all_stopped;
    running_ = &running;
    value_ = value;
    go_on_later();
  }

 private:
  static void resume_frame(void* frame) {
    static_cast<Flow*>(static_cast<FrameHead*>(frame))->go_on();
  }
  static void destroy_frame(void*) {}  // it belongs to its driver

  // There is one state only: before an operation.
  void go_on() noexcept {
    if (herd_->is_stopping()) {
      herd_->keep(value_);
      if (--*running_ == 0) all_stopped_->set();
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
  coro::Event* all_stopped_ = nullptr;
  std::size_t* running_ = nullptr;
};

}  // namespace

Task<void> drive_machines(SwitchHerd& herd) {
  coro::Event all_stopped;
  std::size_t running = herd.flows;
  const auto flows = std::make_unique<Flow[]>(herd.flows);
  for (std::size_t i = 0; i < herd.flows; ++i) {
    flows[i].start(herd, all_stopped, running, first_value(herd.first_flow + i));
  }
  herd.note_started();
  co_await all_stopped.wait();
}

}  // namespace drover::lab
