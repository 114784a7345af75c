// Takes the time of a run of flows: start, warm-up, measurement, end. For the thread that measures.
#pragma once

#include <cstdint>
#include <functional>

#include "lab/switch_model.h"

namespace drover::lab {

class SwitchWatch {
 public:
  // The start begins now.
  SwitchWatch();

  coro::Instant begun() const { return begun_; }

  // To be called when every flow is there: sleeps through the warm-up and the measurement and
  // writes down what `operations` came to in it. Counts, time and CPU time are read together, so a
  // thread that is woken late measures for longer, and no faster.
  void measure(const SwitchPlan& plan, const std::function<std::uint64_t()>& operations,
               SwitchOutcome& outcome) const;

  // To be called when every flow has ended.
  void finish(SwitchOutcome& outcome) const;

 private:
  coro::Instant begun_;
};

}  // namespace drover::lab
