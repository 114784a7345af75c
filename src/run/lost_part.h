// What is left of a rank that was lost: what it said last, as the part that it would have given had it ended then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "load/snapshot.h"
#include "ranks/clocks.h"
#include "report/document/result.h"
#include "run/conducted_run.h"

namespace drover::run {

// What the conductor hears of a rank while it runs.
struct HeardOfRank {
  // Throws nlohmann::json::exception or ranks::LinkError for what is no message "live".
  void hear(const ranks::Message& live);

  std::optional<ranks::ClockDifference> clock_at_start;
  load::Snapshot last;
  // Its seconds, as they came, for if nothing more comes: some 400 bytes each.
  std::vector<std::vector<std::uint8_t>> seconds;
  bool has_begun = false;
};

// `empty` is what the result of the run is made from, with the rank's number of terminals; `start` and `unix_start` when
// the phases began, by this host's clocks. Requires: the rank is lost.
report::Result part_of_lost(const Conducting& conducting, std::size_t rank,
                            const HeardOfRank& heard, report::Result empty, const load::Plan& plan,
                            coro::Instant start, double unix_start);

}  // namespace drover::run
