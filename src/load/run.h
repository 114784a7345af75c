// run(): the workers of a run, their timetable, and a sample a second for whoever looks on.
#pragma once

#include <functional>
#include <utility>

#include "coro/task.h"
#include "load/outcome.h"
#include "load/plan.h"
#include "load/snapshot.h"
#include "load/surroundings.h"
#include "load/workload.h"

namespace drover::load {

// Ends a run early. Used from the main worker's tasks only.
class StopRequest {
 public:
  void request() {
    requested_ = true;
    if (on_request_) on_request_();
  }
  bool requested() const noexcept { return requested_; }
  void on_request(std::function<void()> action) { on_request_ = std::move(action); }

 private:
  bool requested_ = false;
  std::function<void()> on_request_;
};

// Runs the plan. Awaited on the main worker; starts and joins the others. Throws database::Error
// when the run could not begin; when it had to be given up later, the outcome says why.
coro::Task<Outcome> run(const Plan& plan, WorkloadFactory make_workload, Observer& observer,
                        StopRequest& stop, Surroundings surroundings = {});

}  // namespace drover::load
