#include "report/compare/run_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "text/plain_text.h"

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

// Whether a run of the pair began before both of the pair before it had. Equal seconds decide nothing.
bool is_out_of_turn(const RunSet& base, const RunSet& new_runs, const RunPair& before,
                    const RunPair& pair) {
  return std::min(start_of(base, pair.base), start_of(new_runs, pair.new_run)) <
         std::max(start_of(base, before.base), start_of(new_runs, before.new_run));
}

std::string described(const RunSet& side, std::size_t index, std::string_view name) {
  return fmt::format("{} ({}, began {})", side.name_of(index, name), name,
                     text::moment_text(start_of(side, index)));
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
  const std::vector<std::size_t> base_order = by_start(base);
  const std::vector<std::size_t> new_order = by_start(new_runs);
  std::vector<RunPair> pairs;
  for (std::size_t k = 0; k < base_order.size(); ++k) {
    pairs.push_back({base_order[k], new_order[k]});
    if (k > 0 && is_out_of_turn(base, new_runs, pairs[k - 1], pairs[k])) {
      throw NoPairs(out_of_turn_text(base, new_runs, pairs, k));
    }
  }
  return pairs;
}

bool are_in_turns(const RunSet& base, const RunSet& new_runs) {
  try {
    pair_runs(base, new_runs);
    return true;
  } catch (const NoPairs&) {
    return false;
  }
}

}  // namespace drover::report
