// The message "live": the snapshot of each second, from an agent to the coordinator.
#pragma once

#include "load/snapshot.h"
#include "ranks/clocks.h"
#include "ranks/link.h"

namespace drover::ranks {

Message live_message(const load::Snapshot& snapshot);

// Returns the snapshot in a message, with instants by the clock of this host. Throws
// nlohmann::json::exception or LinkError if the message has another form.
load::Snapshot snapshot_in(const Message& live, const ClockDifference& clock);

// Adds the snapshot of one host to that of all hosts: counts are added, histograms merged, workers
// appended. The second is as long as the longest, and the loads and times are the highest.
void add_snapshot(const load::Snapshot& one, load::Snapshot& sum);

}  // namespace drover::ranks
