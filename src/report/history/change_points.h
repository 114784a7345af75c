// Finds the changes of level in a series of figures, one for each run.
//
// Values become scores: their distance from the median in deviations of the noise (the median
// difference of neighbours, which a change of level hardly affects), limited to six, so that a
// disturbed run counts no more than that. For each position in many stretches of different lengths
// (seeded binary segmentation: Kovacs, Buhlmann, Li, Munk 2022), the mean before the position is
// compared with the mean after it. The largest contrast is a change if random orders of the same
// scores have such a contrast less often than the level: a permutation test of the maximum, which
// accounts for the search. Then both sides are searched. The positions are moved to the best fit
// between their neighbours, and dropped if the rank test (compare_shift.h) does not confirm them.
//
// The test assumes that runs without a change are exchangeable: a slow drift appears as steps.
//
// Pure functions with reproducible results: the random orders come from a fixed seed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace drover::report {

struct ChangePoint {
  std::size_t first_after = 0;  // the index of the first value of the new level
  double before_median = 0;     // of the values since the previous change
  double after_median = 0;      // of the values until the next change
  double p = 1;
};

// Returns the changes in order of first_after.
std::vector<ChangePoint> find_change_points(std::span<const double> values);

}  // namespace drover::report
