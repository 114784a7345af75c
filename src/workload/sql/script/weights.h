// Scripts of a run with their weights: "file@5", and which one a client takes next. Pure but for the Rng.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "random/rng.h"

namespace drover::sql {

struct WeightedName {
  std::string name;
  std::int32_t weight = 1;
};

// "name" or "name@weight", cut at the last '@'. Nothing unless the weight is a number of 0 … 2147483647 and the name is
// not empty. Blanks and a plus sign may stand before the number, as in pgbench.
std::optional<WeightedName> parse_weighted(std::string_view text);

// Constant; any thread may choose with an Rng of its own.
class ScriptChoice {
 public:
  // Requires: there is a weight above 0, and none is negative.
  explicit ScriptChoice(const std::vector<std::int32_t>& weights);

  // The index of one of them, each as often as its weight says; never of one with the weight 0.
  std::size_t choose(random::Rng& rng) const;

 private:
  std::vector<std::int64_t> sums_;  // of the weights up to each
};

}  // namespace drover::sql
