// SharedRecords: what the workers of a run write together.
#pragma once

#include <atomic>

#include "load/availability.h"

namespace drover::load {

struct SharedRecords {
  Availability availability;
  // Somebody wants the run to end. Workers with millions of terminals look at it where a post would
  // come late; what ends the run in order is stop(). Relaxed: nothing else goes with it.
  std::atomic<bool> stop_asked{false};
};

}  // namespace drover::load
