// What is left of a rank that was lost: what it said last, as the part that it would have given had it ended then.
#pragma once

#include <cstddef>
#include <optional>

#include "coro/clock.h"
#include "load/sampler.h"
#include "load/snapshot.h"
#include "ranks/clocks.h"
#include "report/document/result.h"
#include "run/conducted_run.h"

namespace drover::run {

// What the conductor hears of a rank while it runs.
struct HeardOfRank {
  // The number of points, of about 0.7 KB each, that the conductor keeps for all ranks together.
  static constexpr std::size_t points_of_all_ranks = 100'000;
  static constexpr std::size_t points_least = 16;

  // `ranks` is the number of ranks, which share points_of_all_ranks.
  HeardOfRank(coro::Duration warmup, std::size_t ranks);

  // Throws nlohmann::json::exception or ranks::LinkError for what is no message "live".
  void hear(const ranks::Message& live);

  std::optional<ranks::ClockDifference> clock_at_start;
  load::Snapshot last;
  load::SampleSeries seconds;  // used if the rank is lost
  bool has_begun = false;
};

// Returns the part of a lost rank, made of the seconds that the conductor has received. `empty` is
// the result of the run before it has figures, with the rank's number of terminals. `start` and
// `unix_start` are the start of the phases by this host's clocks. Leaves `heard` without its
// seconds. Requires: the rank is lost.
report::Result part_of_lost(const Conducting& conducting, std::size_t rank, HeardOfRank& heard,
                            report::Result empty, const load::Plan& plan, coro::Instant start,
                            double unix_start);

}  // namespace drover::run
