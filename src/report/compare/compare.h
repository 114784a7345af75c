// Compares the results of two sides, such as an old and a new build: for each metric the medians,
// the change with its confidence interval, and whether it is more than chance; and whether limits
// are broken. docs/compare.md has the methods and their reasons.
//
// With several runs a side, a run is the unit (compare_shift.h). With one run on each side, only the
// scatter within the runs is known (compare_within_run.h), and notes say so. Runs that were made in
// turns can be compared in pairs (comparability.h). Figures that are above 0 everywhere are compared by
// their ratio (logarithms), others by their difference.
//
// A limit on a change fails a comparison if the estimate is beyond it and chance alone goes so far in at
// most 1 - confidence of all cases; several limits share that level (Holm). What could not be judged
// fails, too: a gate that lets pass what it cannot see is none.
//
// Pure functions of the results: any thread. Texts are printable whatever the results hold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/compare/comparability.h"
#include "report/compare/compare_limit.h"
#include "report/compare/metric.h"
#include "report/document/result.h"

namespace drover::report {

struct CompareOptions {
  std::vector<Metric> metrics;  // rows; empty: default_metrics() of the base, and those of limits
  std::vector<Limit> limits;
  double confidence = 0.95;                  // of the intervals, two-sided; 0.5 to 0.999
  std::vector<std::string> allow_different;  // keys of obstacles that are no obstacle, or "all"
  std::vector<std::string> base_names;       // of the runs, for messages; empty: "base run 1", …
  std::vector<std::string> new_names;
  bool is_paired = false;  // each base run with the new run beside it in time
};

enum class Method : std::uint8_t {
  none,            // too little to judge by
  ranks,           // Mann and Whitney, Hodges and Lehmann
  student,         // Student's t, where too few runs make the rank test too coarse
  within_run,      // one run on each side
  signed_ranks,    // of pairs: Wilcoxon, Hodges and Lehmann
  paired_student,  // of pairs: Student's t, where too few make that test too coarse
};

// What a comparison finds of a metric.
enum class Finding : std::uint8_t { not_judged, no_difference, better, worse };

// What became of one metric.
struct MetricDifference {
  Metric metric;
  std::vector<std::optional<double>> base_values{};  // a run each; of pairs in the order of time
  std::vector<std::optional<double>> new_values{};
  std::optional<double> base_median{};  // of the runs that have a value
  std::optional<double> new_median{};

  // The change from base to new: in percent of the base if is_relative, else in the metric's unit.
  // There is one whenever both medians are there.
  bool is_relative = true;
  std::optional<double> change{};
  Method method = Method::none;
  std::string reason{};  // of Method::none, for people
  // With a method only: the interval (infinite where it has no end) and one-sided probabilities.
  double low = 0;
  double high = 0;
  double p_lower = 1;
  double p_higher = 1;

  double p() const;  // two-sided
  bool is_significant(double confidence) const { return p() <= 1 - confidence; }
  bool is_better() const;  // the change is towards the better; false if there is none
  Finding finding(double confidence) const;
};

struct LimitVerdict {
  enum class State : std::uint8_t { kept, not_significant, broken, not_judged };

  Limit limit;
  State state = State::kept;
  std::string sentence{};  // one line, with figures

  bool fails() const { return state == State::broken || state == State::not_judged; }
};

// What the runs of a side have in common, for headings.
struct SideDescription {
  std::size_t runs = 0;
  std::string tool;    // "drover 0.1.0 (abc1234)"
  std::string server;  // "PostgreSQL 15.8"; empty if there was none
  std::int64_t first_start_ts = 0;
  std::int64_t last_start_ts = 0;
};

struct Comparison {
  double confidence = 0.95;
  SideDescription base;
  SideDescription new_side;
  std::size_t pairs = 0;  // above 0 if runs are compared in pairs
  // Why the sides are not compared. If there is any, there is nothing below.
  std::vector<Obstacle> obstacles;
  std::vector<MetricDifference> differences;
  std::vector<LimitVerdict> limits;
  std::vector<std::string> notes;  // sentences: what else differs, what was allowed, what is unseen

  bool fails() const;
  // Which of these words fits the scale on which Student's test judged: logarithms, the values as they
  // are, or, at times, both.
  std::string_view by_scale_of_student(std::string_view logarithms, std::string_view values,
                                       std::string_view both) const;
};

// Requires: at least one result on each side. Throws NoPairs (comparability.h) if pairs were asked for
// and there are none; but obstacles come first.
Comparison compare(std::span<const Result> base, std::span<const Result> new_runs,
                   const CompareOptions& options = {});

// A table for the terminal, at most 100 columns wide. It ends with a newline; whatever prints it passes it
// through terminal_text().
std::string compare_text(const Comparison& comparison);

// For a pull request: what came from results is escaped, so that nothing in it is a link, an image or HTML.
std::string compare_markdown(const Comparison& comparison);

// docs/compare.md describes every field. Numbers that are not finite (an interval without an end) are
// null.
std::string compare_json(const Comparison& comparison);

// Raised when a field of it changes its meaning or goes away.
inline constexpr int compare_schema_version = 1;

// What a reader needs first: "Fails: 1 of 2 limits." One line.
std::string compare_sentence(const Comparison& comparison);

}  // namespace drover::report
