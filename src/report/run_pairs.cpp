#include "report/run_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "report/compare_text.h"

namespace drover::report {

namespace {

std::int64_t start_of(const RunSet& side, std::size_t index) {
  return side.runs[index].summary.measure_start_ts;
}

// Those that began in the same second stay in the order in which they were named.
std::vector<std::size_t> by_start(const RunSet& side) {
  std::vector<std::size_t> order(side.runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&side](std::size_t i) { return std::pair(start_of(side, i), i); });
  return order;
}

std::vector<RunPair> k_th_with_k_th(const RunSet& base, const RunSet& new_runs) {
  const std::vector<std::size_t> base_order = by_start(base);
  const std::vector<std::size_t> new_order = by_start(new_runs);
  std::vector<RunPair> pairs;
  for (std::size_t k = 0; k < base_order.size(); ++k) {
    pairs.push_back({base_order[k], new_order[k]});
  }
  return pairs;
}

// The first pair of which a run began before both of the pair before it had. Equal seconds decide
// nothing.
std::optional<std::size_t> first_out_of_turn(const RunSet& base, const RunSet& new_runs,
                                             const std::vector<RunPair>& pairs) {
  for (std::size_t k = 1; k < pairs.size(); ++k) {
    const RunPair& before = pairs[k - 1];
    const std::int64_t last_before =
        std::max(start_of(base, before.base), start_of(new_runs, before.new_run));
    const std::int64_t first =
        std::min(start_of(base, pairs[k].base), start_of(new_runs, pairs[k].new_run));
    if (first < last_before) return k;
  }
  return std::nullopt;
}

std::string described(const RunSet& side, std::size_t index, std::string_view name) {
  return fmt::format("{} ({}, began {})", side.name_of(index, name), name,
                     start_text(start_of(side, index)));
}

std::string out_of_turn_text(const RunSet& base, const RunSet& new_runs,
                             const std::vector<RunPair>& pairs, std::size_t k) {
  const RunPair& before = pairs[k - 1];
  const RunPair& pair = pairs[k];
  const bool base_is_early = start_of(base, pair.base) <= start_of(new_runs, pair.new_run);
  const std::string early =
      base_is_early ? described(base, pair.base, "base") : described(new_runs, pair.new_run, "new");
  return fmt::format(
      "the runs were not made in turns: {} and {} would be pair {}, but {}, of pair {}, began "
      "between them. Expected one of each side in each two that follow each other, as in base, "
      "new, new, base. Make the runs in turns, or leave --paired out",
      described(base, before.base, "base"), described(new_runs, before.new_run, "new"), k, early,
      k + 1);
}

}  // namespace

std::vector<RunPair> pair_runs(const RunSet& base, const RunSet& new_runs) {
  if (base.runs.size() != new_runs.runs.size()) {
    throw NoPairs(fmt::format(
        "base has {} and new has {} results; expected as many on each side, made in turns. Name "
        "the missing ones, or leave --paired out",
        base.runs.size(), new_runs.runs.size()));
  }
  if (base.runs.size() < 2) {
    throw NoPairs(
        "one pair tells nothing of how much pairs differ; expected at least 2, better 12. Make "
        "more runs in turns, or leave --paired out");
  }
  std::vector<RunPair> pairs = k_th_with_k_th(base, new_runs);
  if (const auto place = first_out_of_turn(base, new_runs, pairs)) {
    throw NoPairs(out_of_turn_text(base, new_runs, pairs, *place));
  }
  return pairs;
}

bool are_in_turns(const RunSet& base, const RunSet& new_runs) {
  return base.runs.size() == new_runs.runs.size() && base.runs.size() >= 2 &&
         !first_out_of_turn(base, new_runs, k_th_with_k_th(base, new_runs));
}

}  // namespace drover::report
