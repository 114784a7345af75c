// Decides whether results may be compared: settings that must be equal in all of them, and flaws
// that make a single result worthless. docs/compare.md has the list with its reasons. Also pairs
// base runs with new runs that alternated with them in time: base, new, base, new, or base, new,
// new, base.
//
// Pure functions; texts are printable whatever the results contain.
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

// A reason to refuse a comparison.
struct Obstacle {
  std::string key;   // its name for --allow-different, such as "isolation" or "invalid"
  std::string text;  // a sentence that names the values of both sides, or the run
};

// The results of one side with their names: `names` is empty or as long as `runs`.
struct RunSet {
  std::span<const Result> runs;
  std::span<const std::string> names;

  // Returns the name, or "base run 3" without names; printable.
  std::string name_of(std::size_t index, std::string_view side) const;
};

// Both sides of a comparison, with the words of texts about them.
struct Sides {
  RunSet base;
  RunSet new_runs;
  std::string_view base_words = "base has";
  std::string_view new_words = "new has";

  std::vector<const Result*> all_runs() const;  // the runs of base first
};

// Returns the differences among all runs of both sides, and the flaws of each.
std::vector<Obstacle> find_obstacles(const Sides& sides);

// Returns the flaws that make a run worthless: aborted, interrupted, or invalid by its audit. Texts
// call the run `name`.
std::vector<Obstacle> find_flaws(const Result& run, std::string_view name);

// Returns a sentence for each difference that may be the subject of the comparison (versions,
// commits, settings) or may explain a change (another client machine).
std::vector<std::string> find_other_differences(const Sides& sides);

// "Shares of the time in the server by wait event, from base to new: CPU 61% to 43%, IO:WALSync 20%
// to 41%."; empty unless both sides have runs with --server-stats. A side is the mean of its runs.
std::string wait_events_note(std::span<const Result> base, std::span<const Result> new_runs);

// Returns a text that is equal for comparable results: the settings that must be equal, except the
// allowed keys ("all": every key) and the measured time. Groups many results.
std::string circumstances_of(const Result& result, std::span<const std::string> allow_different);

// Returns true if both are documents of the same run.
bool is_same_run(const Result& one, const Result& other);

// Returns true if the key, or "all", is allowed.
bool is_allowed(std::string_view key, std::span<const std::string> allow_different);

// Returns the shortest and the longest measured time, in seconds. Requires: a run.
std::ranges::minmax_result<double> measured_times(const Sides& sides);

// "drover 0.1.0 (abc1234)"; "PostgreSQL 15.8", empty without a server. Printable.
std::string tool_text(const Result& result);
std::string server_text(const Result& result);

// Every key of find_obstacles(), for help and messages.
const std::vector<std::string>& obstacle_keys();

// The longest measured interval may be longer than the shortest by this factor.
inline constexpr double duration_ratio_most = 1.5;

// The positions of the two runs in their sides.
struct RunPair {
  std::size_t base = 0;
  std::size_t new_run = 0;
};

// The runs are no pairs. The message says what was found, what was expected and what to do.
struct NoPairs : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Returns the pairs in order of time: the k-th run of one side with the k-th of the other. Throws
// NoPairs if the counts differ, if there is only one pair, or if a run started before a run of the
// previous pair.
std::vector<RunPair> pair_runs(const Sides& sides);

// Returns true if pair_runs() finds pairs.
bool are_in_turns(const Sides& sides);

}  // namespace drover::report
