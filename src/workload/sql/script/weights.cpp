#include "workload/sql/script/weights.h"

#include <algorithm>
#include <cassert>

#include "text/plain_text.h"
#include "workload/sql/expression/distributions.h"

namespace drover::sql {

std::optional<WeightedName> parse_weighted(std::string_view text) {
  const std::size_t at = text.rfind('@');
  WeightedName result{std::string(text.substr(0, at))};
  if (result.name.empty()) return std::nullopt;
  if (at == std::string_view::npos) return result;
  std::string_view digits = text.substr(at + 1);
  digits.remove_prefix(std::min(digits.find_first_not_of(" \t\n\v\f\r"), digits.size()));
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const std::optional<std::int32_t> weight = text::number_of<std::int32_t>(digits);
  if (!weight || *weight < 0) return std::nullopt;
  result.weight = *weight;
  return result;
}

ScriptChoice::ScriptChoice(const std::vector<std::int32_t>& weights) {
  std::int64_t sum = 0;
  for (const std::int32_t weight : weights) {
    assert(weight >= 0);
    sums_.push_back(sum += weight);
  }
  assert(sum > 0);
}

std::size_t ScriptChoice::choose(random::Rng& rng) const {
  if (sums_.size() == 1) return 0;
  const std::int64_t drawn = uniform_integer(rng, 1, sums_.back());
  return static_cast<std::size_t>(std::lower_bound(sums_.begin(), sums_.end(), drawn) -
                                  sums_.begin());
}

}  // namespace drover::sql
