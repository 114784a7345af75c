// How far a run is from its end: by the clock, or by the number of transactions that are to be done. Pure functions.
#pragma once

#include <string>

#include "load/plan.h"
#include "load/snapshot.h"

namespace drover::ui {

// How long it measures: "for 0:10:00", "until 5,000 are done".
std::string measured_until(const load::Plan& plan);

struct RunProgress {
  double share = 0;  // 0..1 of the warm-up, or of the measurement
  std::string done;  // "0:12 of 1:00", "1,234 of 5,000"
  std::string left;  // "0:48", "3,766": to the end of the run
  bool is_warming = false;
};

RunProgress run_progress(const load::Plan& plan, const load::Snapshot& snapshot);

}  // namespace drover::ui
