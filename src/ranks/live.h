// A second of a run on its way from a rank to the conductor, and the seconds of all ranks as one.
#pragma once

#include <vector>

#include "load/snapshot.h"
#include "measure/histogram.h"
#include "ranks/clocks.h"
#include "ranks/link.h"

namespace drover::ranks {

// The message "live".
Message live_message(const load::Snapshot& snapshot);

// The snapshot in it, its instants by the clock of this host. Throws nlohmann::json::exception or LinkError for what is
// none.
load::Snapshot snapshot_in(const Message& live, const ClockDifference& clock);

// As bytes: indexes and counts as differences, in as many bytes as they need.
std::vector<std::uint8_t> histogram_bytes(const measure::SparseHistogram& histogram);
// Throws LinkError.
measure::SparseHistogram histogram_of(const std::vector<std::uint8_t>& bytes);

// Adds one to the sum: counts, histograms bucket by bucket; of the second the longest, of loads the highest, of the
// database the worst.
void add_snapshot(const load::Snapshot& one, load::Snapshot& sum);

}  // namespace drover::ranks
