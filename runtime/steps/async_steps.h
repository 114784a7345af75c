// AsyncSteps: a flow without limits. Its first steps lie in the flow itself, further steps in
// memory from the thread's pool of coroutine frames. steps/steps.h describes steps, steps/flow.h
// the root.
//
//   AsyncSteps flow(worker);
//   flow.add([](Steps& steps) { steps.success(1, "one"); });
//   flow.add([](Steps&, int number, std::string name) { … },
//            [](Steps& steps, ErrorCode code) {
//              if (code == error_codes::timeout) steps.success();
//            });
//   co_await flow.promise();
#pragma once

#include <memory>

#include "steps/detail/step_definitions.h"

namespace drover::steps {

namespace detail {

// Memory of a flow, as its first base, so that it outlives the flow.
struct NearMemory {
  CellMemory<288> near_memory;
};

}  // namespace detail

class AsyncSteps final : detail::NearMemory, public Flow {
 public:
  explicit AsyncSteps(coro::Worker& worker) : Flow(worker, near_memory) {}

  std::unique_ptr<Flow> make_new() const override { return std::make_unique<AsyncSteps>(worker()); }
};

}  // namespace drover::steps
