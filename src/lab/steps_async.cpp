// A flow as AsyncSteps: no limits, memory from the pool of the thread.
#include "lab/steps_flow.h"

namespace drover::lab {

void run_async_steps(const StepsPlan& plan, StepsTally& tally) {
  run_step_flows<steps::AsyncSteps>(plan, tally);
}

}  // namespace drover::lab
