// Which base run is compared with which new run, where runs were made in turns: each with its
// neighbour in time. base, new, base, new is in turns, and so is base, new, new, base.
//
// Pure functions of the starts of the runs; any thread.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "report/compare/comparability.h"

namespace drover::report {

// Places of the two runs in their sides.
struct RunPair {
  std::size_t base = 0;
  std::size_t new_run = 0;
};

// The runs are no pairs. The message says what was found, what was expected and what to do; it is
// printable whatever the results hold.
class NoPairs : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// In the order of time: both sides by their starts, the k-th with the k-th. Throws NoPairs if the
// counts differ, if there is one pair only, or if a run of a pair began before one of the pair
// before it, so that the two of a pair are no neighbours.
std::vector<RunPair> pair_runs(const RunSet& base, const RunSet& new_runs);

// Whether pair_runs() would find pairs.
bool are_in_turns(const RunSet& base, const RunSet& new_runs);

}  // namespace drover::report
