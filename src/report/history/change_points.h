// Where a series of figures, one a run, changes its level.
//
// Values become scores: their distance from the median in deviations of the noise (the median
// difference of neighbours, which a change of level hardly touches), cut at six, so that a spoilt
// run may be any distance away. For each place in many stretches of different lengths (seeded
// binary segmentation: Kovacs, Buhlmann, Li, Munk 2022), the mean before it is held against that
// behind it. The largest contrast is a change if a random order of the same scores has such a one
// less often than the level says: a permutation test of the maximum, so that the search is paid
// for. Then both sides are searched. Found places are moved to where they fit best between their
// neighbours, and those that the rank test (compare_shift.h) does not confirm there are dropped.
//
// The test takes runs without a change for exchangeable: a slow drift is shown as steps.
//
// Pure functions, the same answer each time: the random orders come from a fixed seed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace drover::report {

struct ChangePoint {
  std::size_t first_after = 0;  // the index of the first value of the new level
  double before_median = 0;     // of the values since the change before
  double after_median = 0;      // of the values until the next change
  double p = 1;
};

// In rising order of first_after.
std::vector<ChangePoint> find_change_points(std::span<const double> values);

}  // namespace drover::report
