// AsyncSteps: a flow without limits. Its first steps lie in the flow itself, further ones in memory
// from the coroutines' pool of the thread. See steps/steps.h for what steps can do and steps/flow.h
// for the root.
//
//   AsyncSteps flow(worker);
//   flow.add([](Steps& steps) { steps.success(1, "one"); });
//   flow.add([](Steps&, int number, std::string name) { … },
//            [](Steps& steps, ErrorCode code) { if (code == error_codes::timeout) steps.success();
//            });
//   co_await flow.promise();
#pragma once

#include <memory>

#include "steps/detail/step_definitions.h"
#include "steps/error.h"
#include "steps/flow.h"
#include "steps/sync.h"

namespace drover::steps {

namespace detail {

// Apart from the flow, and its first base, so that it is there until the flow is gone.
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
