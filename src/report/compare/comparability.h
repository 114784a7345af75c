// Whether results may be compared at all: what has to be the same in all of them, and what makes a
// single one worthless. docs/compare.md has the list with its reasons. And which base run is compared with
// which new run, where runs were made in turns: each with its neighbour in time. base, new, base, new is in
// turns, and so is base, new, new, base.
//
// Pure functions; texts are printable whatever the results hold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "report/document/result.h"

namespace drover::report {

// Something for which a comparison is refused.
struct Obstacle {
  std::string key;   // what --allow-different calls it, such as "isolation" or "invalid"
  std::string text;  // a sentence that names the values of both sides, or the run
};

// Results of one side, and what to call each: names is empty or as long as runs.
struct RunSet {
  std::span<const Result> runs;
  std::span<const std::string> names;

  // "base run 3" or the name, printable.
  std::string name_of(std::size_t index, std::string_view side) const;
};

// What texts call the sides.
struct SideWords {
  std::string_view base = "base has";
  std::string_view new_runs = "new has";
};

// Judges both sides together: all runs have to agree, on one side as between them.
std::vector<Obstacle> find_obstacles(const RunSet& base, const RunSet& new_runs,
                                     const SideWords& words = {});

// What makes a run worthless on its own: given up, interrupted, invalid by its audit. `name` is
// what texts call it.
std::vector<Obstacle> find_flaws(const Result& run, std::string_view name);

// Differences that may well be what is compared (versions, commits, settings), or that explain
// something (another client machine): a sentence each.
std::vector<std::string> find_other_differences(const RunSet& base, const RunSet& new_runs,
                                                const SideWords& words = {});

// Results with equal texts agree in all that has to be equal, but for the keys that are allowed to
// differ ("all": all of them) and the measured time. For sorting many results into groups.
std::string circumstances_of(const Result& result, std::span<const std::string> allow_different);

// Whether both are documents of one run.
bool is_same_run(const Result& one, const Result& other);

// Whether a key is among the allowed ones, or all are.
bool is_allowed(std::string_view key, std::span<const std::string> allow_different);

// How long was measured, in seconds: in the shortest run and in the longest. Requires: a run.
std::ranges::minmax_result<double> measured_times(const RunSet& base, const RunSet& new_runs);

// "drover 0.1.0 (abc1234)"; "PostgreSQL 15.8", empty if there was none. Printable.
std::string tool_text(const Result& result);
std::string server_text(const Result& result);

// Every key of find_obstacles, for help and messages.
const std::vector<std::string>& obstacle_keys();

// Measured intervals may be longer than the shortest by so much.
inline constexpr double duration_ratio_most = 1.5;

// Places of the two runs in their sides.
struct RunPair {
  std::size_t base = 0;
  std::size_t new_run = 0;
};

// The runs are no pairs. The message says what was found, what was expected and what to do; it is
// printable whatever the results hold.
struct NoPairs : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// In the order of time: both sides by their starts, the k-th with the k-th. Throws NoPairs if the
// counts differ, if there is one pair only, or if a run of a pair began before one of the pair
// before it, so that the two of a pair are no neighbours.
std::vector<RunPair> pair_runs(const RunSet& base, const RunSet& new_runs);

// Whether pair_runs() would find pairs.
bool are_in_turns(const RunSet& base, const RunSet& new_runs);

}  // namespace drover::report
