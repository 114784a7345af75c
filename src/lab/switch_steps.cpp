// A flow as a tree of steps: an endless loop whose body computes and then adds a step that passes
// through the worker's queue.
#include <memory>
#include <vector>

#include "coro/event.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "lab/switch_herd.h"
#include "steps/async_steps.h"

namespace drover::lab {
namespace {

using coro::Task;
using coro::Worker;
using steps::AsyncSteps;
using steps::Steps;

struct Flows {
  SwitchHerd& herd;
  std::size_t running;
  coro::Event all_stopped;
};

class Flow {
 public:
  Flow(Flows& all, std::uint64_t value) : all_(all), value_(value), flow_(Worker::current()) {}

  void start() {
    flow_.loop([this](Steps& operation) {
      if (all_.herd.is_stopping()) {
        operation.break_loop_no_throw();
        return;
      }
      value_ = all_.herd.operate(value_);
      operation.relinquish();
    });
    flow_.add([this](Steps&) {
      all_.herd.keep(value_);
      if (--all_.running == 0) all_.all_stopped.set();
    });
    flow_.execute();
  }

 private:
  Flows& all_;
  std::uint64_t value_;
  AsyncSteps flow_;
};

}  // namespace

Task<void> drive_steps(SwitchHerd& herd) {
  Flows all{herd, herd.flows, {}};
  std::vector<std::unique_ptr<Flow>> flows;
  for (std::size_t i = 0; i < herd.flows; ++i) {
    flows.push_back(std::make_unique<Flow>(all, first_value(herd.first_flow + i)));
    flows.back()->start();
  }
  herd.note_started();
  co_await all.all_stopped.wait();
  co_await coro::yield();  // the last one's flow comes to its end
}

}  // namespace drover::lab
