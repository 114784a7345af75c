// A flow as NitroSteps: all that its steps need lies in the flow. Once with the limits that these
// tests need, once with those that one gets without saying.
#include "lab/steps_flow.h"
#include "steps/nitro_steps.h"

namespace drover::lab {
namespace {

// A loop with what comes after it, and a round's step with its two; the loop needs a frame.
using TunedNitroSteps =
    steps::NitroSteps<steps::MaxSteps<5>, steps::MaxTimeouts<0>, steps::MaxCancels<0>,
                      steps::MaxExtended<1>, steps::MaxStackAllocs<0>, steps::MaxParallel<0>>;

}  // namespace

void run_nitro_steps(const StepsPlan& plan, StepsTally& tally) {
  run_step_flows<TunedNitroSteps>(plan, tally);
}

void run_nitro_steps_default(const StepsPlan& plan, StepsTally& tally) {
  run_step_flows<steps::NitroSteps<>>(plan, tally);
}

}  // namespace drover::lab
