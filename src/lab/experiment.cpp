#include "lab/experiment.h"

#include <algorithm>
#include <cmath>

namespace drover::lab {

std::optional<Spread> spread_of(const Cell& cell, std::size_t figure) {
  std::vector<double> values;
  for (const std::vector<double>& round : cell.rounds) {
    if (figure < round.size() && std::isfinite(round[figure])) values.push_back(round[figure]);
  }
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return Spread{median, values.front(), values.back(), values.size()};
}

bool has_spread(const Experiment& experiment) {
  return std::ranges::any_of(experiment.cells,
                             [](const Cell& cell) { return cell.rounds.size() > 1; });
}

}  // namespace drover::lab
