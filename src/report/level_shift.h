// Whether a series of equal intervals changes its level: a step, a stretch that lies higher or
// lower than the rest, or a straight way from one level to another.
//
// Each such shape that would matter is fitted by least squares. The one that explains most is held
// against what it leaves unexplained, so that a step is no part of the noise that it is measured
// by. Where neighbours in what is left resemble each other, noise wanders by itself, and the shape
// counts for less. It does not where the level changes by more than half: no noise wanders as far,
// and what is left of a collapse that is no plain step resembles its neighbours, too.
//
// docs/audit.md says how often this errs, and level_shift_test.cpp shows it.
//
// Pure functions; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace drover::report {

struct LevelShiftOptions {
  double share_least = 0;         // what the levels differ by, in shares of the higher one
  double difference_least = 0;    // and at least
  double noise_deviation = 0;     // what a value varies by at least, whatever the series looks like
  std::size_t stretch_least = 1;  // values on either side of a step
  bool large_by_itself = true;    // a change by more than half needs no look at the neighbours
};

struct LevelShift {
  enum class Shape { step, stretch, ramp };

  Shape shape = Shape::step;
  std::size_t first = 0;  // the values that lie on the other level: up to the end after a step
  std::size_t last = 0;   // behind it
  double from = 0;        // the level beside them; of a ramp that of the first value
  double to = 0;          // their level; of a ramp that of the last value
  double t = 0;           // how far beyond the noise it is, in standard errors
};

// So few values can show that the level fell to less than a half, or rose to more than double.
inline constexpr std::size_t level_shift_values_least = 4;
// From so many on smaller changes are looked for, too.
inline constexpr std::size_t small_shift_values_least = 10;

// Nothing if there is none that matters, or chance explains it.
std::optional<LevelShift> find_level_shift(const std::vector<double>& values,
                                           const LevelShiftOptions& options);

}  // namespace drover::report
