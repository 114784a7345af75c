// A second of a run on its way from a rank to the conductor, and the seconds of all ranks as one.
#pragma once

#include <vector>

#include "load/snapshot.h"
#include "ranks/clocks.h"
#include "ranks/link.h"

namespace drover::ranks {

// The message "live".
Message live_message(const load::Snapshot& snapshot);

// The snapshot in it, its instants by the clock of this host. Throws nlohmann::json::exception or LinkError for what is
// none.
load::Snapshot snapshot_in(const Message& live, const ClockDifference& clock);

// Adds one to the sum: counts, histograms bucket by bucket; of the second the longest, of loads the highest, of the
// database the worst.
void add_snapshot(const load::Snapshot& one, load::Snapshot& sum);

}  // namespace drover::ranks
