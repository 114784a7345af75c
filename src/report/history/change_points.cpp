// Finds the changes of level in a series of figures, one for each run.
//
// Values become scores: their distance from the median in deviations of the noise (the median
// difference of neighbours, which a change of level hardly affects), limited to six, so that a
// disturbed run counts no more than that. For each position in many stretches of different lengths
// (seeded binary segmentation: Kovacs, Buhlmann, Li, Munk 2022), the mean before the position is
// compared with the mean after it. The largest contrast is a change if random orders of the same
// scores have such a contrast less often than the level: a permutation test of the maximum, which
// accounts for the search. Then both sides are searched. The positions are moved to the best fit
// between their neighbours, and dropped if the rank test (statistics.h) does not confirm them.
//
// The test assumes that runs without a change are exchangeable: a slow drift appears as steps.
//
// Pure functions with reproducible results: the random orders come from a fixed seed.
#include "report/history/history.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "measure/median.h"
#include "report/compare/statistics.h"

namespace drover::report {
namespace {

constexpr double level = 0.01;            // p up to which a change is one
constexpr std::size_t stretch_least = 3;  // values on either side of a change
constexpr std::size_t permutations = 1999;
constexpr std::uint64_t seed = 1;
constexpr double score_most = 6;
constexpr double median_difference_scale = 1.4826 / 1.41421356;  // of normal values

double deviation_of_noise(std::span<const double> values) {
  std::vector<double> differences;
  for (std::size_t i = 1; i < values.size(); ++i)
    differences.push_back(std::abs(values[i] - values[i - 1]));
  return median_difference_scale * measure::median_of(differences);
}

// If most neighbours are equal there is no deviation, and the side of the median is the score.
std::vector<double> scores_of(std::span<const double> values) {
  const double median = measure::median_of(values);
  const double deviation = deviation_of_noise(values);
  std::vector<double> scores;
  for (const double value : values) {
    const double side = value > median ? 1 : value < median ? -1 : 0;
    scores.push_back(
        deviation > 0 ? std::clamp((value - median) / deviation, -score_most, score_most) : side);
  }
  return scores;
}

struct Split {
  std::size_t first_after = 0;
  double contrast = 0;
};

struct Stretch {
  std::size_t first = 0;
  std::size_t last = 0;  // exclusive
};

// Returns stretches whose lengths shrink by the root of two, each moved on by half its length.
std::vector<Stretch> seeded_stretches(std::size_t count) {
  std::vector<Stretch> stretches;
  std::size_t previous = 0;
  for (double length = static_cast<double>(count);; length /= 1.41421356) {
    const auto whole = static_cast<std::size_t>(std::ceil(length));
    if (whole < 2 * stretch_least) return stretches;
    if (whole == previous) continue;
    previous = whole;
    const std::size_t step = std::max<std::size_t>(1, whole / 2);
    for (std::size_t first = 0;; first += step) {
      const std::size_t last = std::min(count, first + whole);
      stretches.push_back({last - whole, last});
      if (last == count) break;
    }
  }
}

// Returns the largest contrast of the means before and after a position, in deviations of the
// noise.
Split largest_split(const std::vector<double>& scores, const std::vector<Stretch>& stretches,
                    std::vector<double>& sums) {
  sums.assign(1, 0);
  for (const double score : scores) sums.push_back(sums.back() + score);
  Split largest;
  for (const Stretch& stretch : stretches) {
    const auto length = static_cast<double>(stretch.last - stretch.first);
    const double mean = (sums[stretch.last] - sums[stretch.first]) / length;
    for (std::size_t place = stretch.first + stretch_least; place + stretch_least <= stretch.last;
         ++place) {
      const auto before = static_cast<double>(place - stretch.first);
      const double contrast = std::abs(sums[place] - sums[stretch.first] - before * mean) /
                              std::sqrt(before * (length - before) / length);
      // The first of positions that are equal except for rounding wins.
      if (contrast > largest.contrast + 1e-9) largest = {place, contrast};
    }
  }
  return largest;
}

class Search {
 public:
  explicit Search(std::span<const double> values) : values_(values), random_(seed) {}

  std::vector<ChangePoint> run() {
    // A list replaces recursion, which would be deep in a long series.
    std::vector<Stretch> open = {{0, values_.size()}};
    while (!open.empty()) {
      const Stretch whole = open.back();
      open.pop_back();
      if (whole.last - whole.first < 2 * stretch_least) continue;
      std::vector<double> scores =
          scores_of(values_.subspan(whole.first, whole.last - whole.first));
      const auto stretches = seeded_stretches(scores.size());
      const Split split = largest_split(scores, stretches, sums_);
      const double p = p_of(scores, stretches, split.contrast);
      if (p > level) continue;
      const std::size_t place = whole.first + split.first_after;
      points_.push_back({.first_after = place, .p = p});
      open.push_back({whole.first, place});
      open.push_back({place, whole.last});
    }
    std::ranges::sort(points_, {}, &ChangePoint::first_after);
    move_to_best_places();
    while (drop_one()) move_to_best_places();
    for (std::size_t i = 0; i < points_.size(); ++i) {
      points_[i].before_median = measure::median_of(before(i));
      points_[i].after_median = measure::median_of(after(i));
    }
    return points_;
  }

 private:
  std::size_t begin_before(std::size_t i) const { return i == 0 ? 0 : points_[i - 1].first_after; }
  std::size_t end_after(std::size_t i) const {
    return i + 1 == points_.size() ? values_.size() : points_[i + 1].first_after;
  }
  std::span<const double> before(std::size_t i) const {
    return values_.subspan(begin_before(i), points_[i].first_after - begin_before(i));
  }
  std::span<const double> after(std::size_t i) const {
    return values_.subspan(points_[i].first_after, end_after(i) - points_[i].first_after);
  }

  // Returns how often a random order of the scores has such a contrast; 1 as soon as it exceeds the
  // level.
  double p_of(std::vector<double>& scores, const std::vector<Stretch>& stretches, double contrast) {
    if (contrast <= 0) return 1;
    std::size_t at_least = 1;  // the actual order
    const auto orders = static_cast<double>(permutations + 1);
    for (std::size_t i = 0; i < permutations; ++i) {
      shuffle(scores);
      const Split found = largest_split(scores, stretches, sums_);
      if (found.contrast >= contrast - 1e-9) ++at_least;
      if (static_cast<double>(at_least) / orders > level) return 1;
    }
    return static_cast<double>(at_least) / orders;
  }

  // std::shuffle gives other orders with another standard library.
  void shuffle(std::vector<double>& scores) {
    for (std::size_t i = scores.size(); i > 1; --i)
      std::swap(scores[i - 1], scores[static_cast<std::size_t>(random_() % i)]);
  }

  // A position was found while its stretch still contained other changes, which may have moved it.
  void move_to_best_places() {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const std::size_t first = begin_before(i);
      const std::vector<double> scores = scores_of(values_.subspan(first, end_after(i) - first));
      const Split split = largest_split(scores, {{0, scores.size()}}, sums_);
      if (split.contrast > 0) points_[i].first_after = first + split.first_after;
    }
  }

  // Removes the least significant change that the rank test does not confirm between its
  // neighbours.
  bool drop_one() {
    std::size_t worst = 0;
    double worst_p = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Tails tails = rank_test(before(i), after(i));
      const double p = 2 * std::min(tails.p_lower, tails.p_higher);
      if (p <= worst_p) continue;
      worst = i;
      worst_p = p;
    }
    if (worst_p <= level) return false;
    points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(worst));
    return true;
  }

  std::span<const double> values_;
  std::mt19937_64 random_;
  std::vector<ChangePoint> points_;
  std::vector<double> sums_;  // scratch space of largest_split
};

}  // namespace

std::vector<ChangePoint> find_change_points(std::span<const double> values) {
  return Search(values).run();
}

}  // namespace drover::report
