// The hosts that make the load of a run together, as the screen and the plain lines show them. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "load/snapshot.h"

namespace drover::ui {

// At most so many: those that are lost first, then the busiest.
std::vector<const load::RankNow*> ranks_to_show(const load::Snapshot& snapshot, std::size_t most);

// "b LOST", "2 hosts LOST"; empty: all are there.
std::string lost_text(const load::Snapshot& snapshot);

}  // namespace drover::ui
