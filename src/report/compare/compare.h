// Compares the results of two sides, such as an old and a new build: for each metric the medians,
// the change with its confidence interval, and its significance; and the verdicts on limits.
// docs/compare.md has the methods and their reasons.
//
// With several runs on a side, the run is the unit (statistics.h). With one run on each side,
// only the scatter within the runs is known, and notes say so. Runs that
// alternated in time can be compared in pairs (comparability.h). Metrics whose values are all above
// 0 are compared by their ratio (logarithms), other metrics by their difference.
//
// A limit on a change fails a comparison if the estimate is beyond the limit and chance alone goes
// so far in at most 1 - confidence of all cases. Several limits share that level (Holm). A limit
// that cannot be judged fails, too.
//
// Pure functions of the results: any thread. Texts are printable whatever the results contain.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/compare/comparability.h"
#include "report/compare/metric.h"
#include "report/document/result.h"

namespace drover::report {

struct CompareOptions {
  std::vector<Metric> metrics;  // empty: default_metrics() of the base, and the metrics of limits
  std::vector<Limit> limits;
  double confidence = 0.95;                  // of the intervals, two-sided; 0.5 to 0.999
  std::vector<std::string> allow_different;  // keys of obstacles to ignore, or "all"
  std::vector<std::string> base_names;       // for messages; empty: "base run 1", …
  std::vector<std::string> new_names;
  bool is_paired = false;  // compare each base run with the new run next to it in time
};

enum class Method : std::uint8_t {
  none,            // too few values to judge
  ranks,           // Mann and Whitney, Hodges and Lehmann
  student,         // Student's t, where too few runs make the rank test too coarse
  within_run,      // one run on each side
  signed_ranks,    // of pairs: Wilcoxon, Hodges and Lehmann
  paired_student,  // of pairs: Student's t, where too few make that test too coarse
};

// The verdict on a metric.
enum class MetricVerdict : std::uint8_t { not_judged, no_difference, better, worse };

// The change of a metric.
struct MetricDifference {
  Metric metric;
  std::vector<std::optional<double>> base_values{};  // one for each run; pairs in order of time
  std::vector<std::optional<double>> new_values{};
  std::optional<double> base_median{};  // of runs with a value
  std::optional<double> new_median{};

  // The change from base to new: in percent of the base if is_relative, else in the metric's unit.
  // Known if both medians are.
  bool is_relative = true;
  std::optional<double> change{};
  Method method = Method::none;
  std::string reason{};  // why the method is Method::none
  // Except for Method::none: the interval (ends may be infinite) and one-sided probabilities.
  double low = 0;
  double high = 0;
  double p_lower = 1;
  double p_higher = 1;

  double p() const;  // two-sided
  bool is_significant(double confidence) const { return p() <= 1 - confidence; }
  bool is_better() const;  // false without a change
  MetricVerdict verdict(double confidence) const;
};

struct LimitVerdict {
  enum class State : std::uint8_t { kept, not_significant, broken, not_judged };

  Limit limit;
  State state = State::kept;
  std::string sentence{};  // one line, with figures

  bool fails() const { return state == State::broken || state == State::not_judged; }
};

// The common properties of the runs of a side, for headings.
struct SideDescription {
  std::size_t runs = 0;
  std::string tool;    // "drover 0.1.0 (abc1234)"
  std::string server;  // "PostgreSQL 15.8"; empty without a server
  std::int64_t first_start_ts = 0;
  std::int64_t last_start_ts = 0;
};

struct Comparison {
  double confidence = 0.95;
  SideDescription base;
  SideDescription new_side;
  std::size_t pairs = 0;  // above 0 if runs are compared in pairs
  // Why the sides are not compared. With obstacles, the members below are empty.
  std::vector<Obstacle> obstacles;
  std::vector<MetricDifference> differences;
  std::vector<LimitVerdict> limits;
  std::vector<std::string> notes;  // other differences, allowed obstacles, unknown sources of error

  bool fails() const;
  // Returns one of the texts, by the scale on which Student's test judged: logarithms, plain
  // values, or both.
  std::string_view by_scale_of_student(std::string_view logarithms, std::string_view values,
                                       std::string_view both) const;
};

// Requires: at least one result on each side. Throws NoPairs (comparability.h) if `is_paired` is
// set, there are no obstacles, and the runs are no pairs.
Comparison compare(std::span<const Result> base, std::span<const Result> new_runs,
                   const CompareOptions& options = {});

// Returns text of at most 100 columns that ends with a newline.
std::string compare_text(const Comparison& comparison);

// Returns Markdown for a pull request. Texts from results are escaped: none becomes a link, an
// image or HTML.
std::string compare_markdown(const Comparison& comparison);

// Returns the document that docs/compare.md describes. Numbers that are not finite, such as the end
// of an open interval, are null.
std::string compare_json(const Comparison& comparison);

// Incremented when a field changes its meaning or is removed.
inline constexpr int compare_schema_version = 1;

// Returns the outcome in one line: "FAILS: 1 of 2 limits broken."
std::string compare_sentence(const Comparison& comparison);

}  // namespace drover::report
