#include "report/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ranges>
#include <utility>

#include "measure/median.h"
#include "report/compare/statistics.h"
#include "report/model/chart.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

using State = LimitVerdict::State;

// Two pairs have a single degree of freedom, so pairing mostly detects less.
constexpr std::size_t pairs_worth_a_hint = 3;

// Shorter runs do not show how much their seconds are correlated.
constexpr double seconds_enough_for_batches = 60;

// Returns the rounding error of a metric on the scale of the comparison. Percentiles are middles of
// buckets. Requires: medians.
double resolution_of(const MetricDifference& difference) {
  const Metric& metric = difference.metric;
  if (!difference.is_relative) return metric.resolution();
  if (metric.kind() == Metric::Kind::percentile) return 1.0 / 64 / 3.4641;
  const double least = std::min(*difference.base_median, *difference.new_median);
  return std::max(1e-4, metric.resolution() / least);
}

bool are_equal(const std::vector<double>& values) {
  return std::ranges::all_of(values, [&](double one) { return one == values.front(); });
}

double on_scale(double value, bool is_relative) {
  return is_relative ? std::log(value) : value;
}

// Returns the known values on the scale of the comparison.
std::vector<double> known(const std::vector<std::optional<double>>& values, bool is_relative) {
  std::vector<double> numbers;
  for (const auto& value : values)
    if (value) numbers.push_back(on_scale(*value, is_relative));
  return numbers;
}

// Converts a shift on the scale of the comparison to percent, or returns a difference unchanged.
double to_change(double shift, bool is_relative) {
  return is_relative ? std::expm1(shift) * 100 : shift;
}

void take_shift(MetricDifference& difference, const Shift& shift, Method method) {
  difference.method = method;
  difference.change = to_change(shift.estimate, difference.is_relative);
  difference.low = to_change(shift.low, difference.is_relative);
  difference.high = to_change(shift.high, difference.is_relative);
  difference.p_lower = shift.p_lower;
  difference.p_higher = shift.p_higher;
}

// Returns the difference of two independent figures whose errors differ upwards and downwards
// (MOVER: Zou and Donner 2008), with the degrees of freedom of Welch and Satterthwaite.
Shift shift_of_figures(double base, const OwnError& base_error, double new_value,
                       const OwnError& new_error, double confidence) {
  const auto combined = [&](double of_base, double of_new) {
    const double variance = of_base * of_base + of_new * of_new;
    const double degrees = variance * variance /
                           (std::pow(of_base, 4) / base_error.degrees_of_freedom +
                            std::pow(of_new, 4) / new_error.degrees_of_freedom);
    return std::pair(std::sqrt(variance), std::isfinite(degrees) ? degrees : 1.0);
  };
  Shift shift;
  shift.estimate = new_value - base;
  const auto [down, down_degrees] = combined(base_error.above, new_error.below);
  const auto [up, up_degrees] = combined(base_error.below, new_error.above);
  const double tail = (1 - confidence) / 2;
  shift.low = shift.estimate - student_quantile(tail, down_degrees) * down;
  shift.high = shift.estimate + student_quantile(tail, up_degrees) * up;
  // The deviations are 0 for a time series without any scatter.
  if (down > 0) shift.p_higher = student_tail(shift.estimate / down, down_degrees);
  if (up > 0) shift.p_lower = student_tail(-shift.estimate / up, up_degrees);
  return shift;
}

// The terms on which all metrics are judged.
struct Terms {
  double confidence;
  double finest_level;         // one-sided, that a test has to reach
  std::vector<RunPair> pairs;  // none: the sides as they are
};

// These functions return the reason why the difference could not be judged; empty if it was.

std::string_view judge_single_runs(MetricDifference& difference, const Result& base,
                                   const Result& new_run, double confidence) {
  if (!difference.is_relative) return "one run per side is not enough for a metric that can be 0";
  const WithinRun base_error = error_within_run(difference.metric, base);
  const WithinRun new_error = error_within_run(difference.metric, new_run);
  if (!base_error.error) return base_error.reason;
  if (!new_error.error) return new_error.reason;
  take_shift(difference,
             shift_of_figures(std::log(*difference.base_median), *base_error.error,
                              std::log(*difference.new_median), *new_error.error, confidence),
             Method::within_run);
  return {};
}

// Judges by the rank test if it can reach the level, else by Student's test.
std::string_view judge_by(MetricDifference& difference, bool ranks_suffice, bool has_no_scatter,
                          const auto& by_ranks, Method ranks, const auto& by_student,
                          Method student) {
  const double resolution = resolution_of(difference);
  if (ranks_suffice)
    take_shift(difference, by_ranks(), ranks);
  else if (resolution == 0 && has_no_scatter)
    return "all values of a side are equal, so the variation between runs is unknown";
  else
    take_shift(difference, by_student(resolution), student);
  return {};
}

std::string_view judge_several_runs(MetricDifference& difference, const Terms& terms) {
  const std::vector<double> base = known(difference.base_values, difference.is_relative);
  const std::vector<double> new_values = known(difference.new_values, difference.is_relative);
  if (base.size() + new_values.size() < 3) return "too few runs have a value";
  return judge_by(
      difference, rank_test_p_least(base.size(), new_values.size()) <= terms.finest_level,
      are_equal(base) && are_equal(new_values) && base.front() != new_values.front(),
      [&] { return rank_shift(base, new_values, terms.confidence); }, Method::ranks,
      [&](double resolution) {
        return student_shift(base, new_values, terms.confidence, resolution);
      },
      Method::student);
}

// Ignores pairs in which a run has no value.
std::string_view judge_pairs(MetricDifference& difference, const Terms& terms) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < difference.base_values.size(); ++i) {
    if (!difference.base_values[i] || !difference.new_values[i]) continue;
    differences.push_back(on_scale(*difference.new_values[i], difference.is_relative) -
                          on_scale(*difference.base_values[i], difference.is_relative));
  }
  if (differences.size() < 2) return "too few pairs have a value on both sides";
  return judge_by(
      difference, signed_rank_p_least(differences.size()) <= terms.finest_level,
      are_equal(differences) && differences.front() != 0,
      [&] { return signed_rank_shift(differences, terms.confidence); }, Method::signed_ranks,
      [&](double resolution) {
        return paired_student_shift(differences, terms.confidence, resolution);
      },
      Method::paired_student);
}

void take_values(MetricDifference& difference, std::span<const Result> base,
                 std::span<const Result> new_runs, const std::vector<RunPair>& pairs) {
  const Metric& metric = difference.metric;
  for (const RunPair& pair : pairs) {
    difference.base_values.push_back(metric.value(base[pair.base]));
    difference.new_values.push_back(metric.value(new_runs[pair.new_run]));
  }
  if (!pairs.empty()) return;
  for (const Result& run : base) difference.base_values.push_back(metric.value(run));
  for (const Result& run : new_runs) difference.new_values.push_back(metric.value(run));
}

MetricDifference difference_of(const Metric& metric, std::span<const Result> base,
                               std::span<const Result> new_runs, const Terms& terms) {
  MetricDifference difference{.metric = metric};
  take_values(difference, base, new_runs, terms.pairs);
  const std::vector<double> base_values = known(difference.base_values, false);
  const std::vector<double> new_values = known(difference.new_values, false);
  const auto is_positive = [](double value) { return value > 0; };
  difference.is_relative =
      std::ranges::all_of(base_values, is_positive) && std::ranges::all_of(new_values, is_positive);
  if (!base_values.empty()) difference.base_median = measure::median_of(base_values);
  if (!new_values.empty()) difference.new_median = measure::median_of(new_values);
  if (base_values.empty() || new_values.empty()) {
    difference.is_relative = false;
    difference.reason = base_values.empty() && new_values.empty() ? "not measured"
                        : base_values.empty()                     ? "not measured in base"
                                                                  : "not measured in new";
    return difference;
  }
  difference.change = difference.is_relative
                          ? (*difference.new_median / *difference.base_median - 1) * 100
                          : *difference.new_median - *difference.base_median;
  if (!terms.pairs.empty()) {
    difference.reason = judge_pairs(difference, terms);
  } else if (base.size() == 1 && new_runs.size() == 1) {
    difference.reason =
        judge_single_runs(difference, base.front(), new_runs.front(), terms.confidence);
  } else {
    difference.reason = judge_several_runs(difference, terms);
  }
  return difference;
}

// Returns the change in the unit of the limit; nothing if it has no percentage.
std::optional<double> change_for(const Limit& limit, const MetricDifference& difference) {
  const double base = *difference.base_median;
  if (limit.kind == Limit::Kind::change)
    return difference.is_relative ? base * *difference.change / 100 : *difference.change;
  if (difference.is_relative) return difference.change;
  if (base > 0) return *difference.change / base * 100;
  if (*difference.change == 0) return 0.0;
  return std::nullopt;
}

// " ms"; empty for a plain number.
std::string unit_text(const Metric& metric) {
  return metric.unit().empty() ? "" : fmt::format(" {}", metric.unit());
}

std::string figures_text(const Limit& limit, const MetricDifference& difference,
                         std::optional<double> change) {
  const std::string medians = fmt::format(
      "{} went from {} to {}{}", difference.metric.name(), number_text(*difference.base_median),
      number_text(*difference.new_median), unit_text(difference.metric));
  if (!change) return medians;
  // The change of pairs may differ from that of the medians in the same sentence.
  const bool is_paired =
      difference.method == Method::signed_ranks || difference.method == Method::paired_student;
  const std::string_view paired = is_paired ? ", paired" : "";
  if (limit.kind == Limit::Kind::percent_change)
    return fmt::format("{} ({:+.1f}%{})", medians, *change, paired);
  return fmt::format("{} ({}{}{})", medians, *change < 0 ? "" : "+", number_text(*change), paired);
}

// Judges a limit on the value itself, without a test.
LimitVerdict judge_value(const Limit& limit, const MetricDifference& difference) {
  if (!difference.new_median) return {limit, State::not_judged, "not measured in new"};
  return {
      limit, limit.is_beyond(*difference.new_median) ? State::broken : State::kept,
      fmt::format("{} is {}{} in new{}", limit.metric.name(), number_text(*difference.new_median),
                  unit_text(limit.metric), difference.new_values.size() > 1 ? " (median)" : "")};
}

// Judges without significance, which is decided for all limits together.
LimitVerdict judge_change(const Limit& limit, const MetricDifference& difference) {
  if (!difference.change) return {limit, State::not_judged, difference.reason};
  const std::optional<double> change = change_for(limit, difference);
  const std::string figures = figures_text(limit, difference, change);
  // A change from 0 exceeds any percentage.
  const bool beyond = change ? limit.is_beyond(*change) : limit.above == (*difference.change > 0);
  if (!beyond) return {limit, State::kept, figures};
  if (difference.method == Method::none)
    return {limit, State::not_judged, fmt::format("{}, but {}", figures, difference.reason)};
  return {limit, State::broken, figures};
}

// Holm's procedure over all limits on changes: the smallest p is compared with the level divided by
// their number, the next one with the level divided by the number of the rest, until one is too
// large.
std::vector<bool> significant_ones(const std::vector<double>& p, double level) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&p](std::size_t i) { return p[i]; });
  std::vector<bool> significant(p.size(), false);
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    // Exact probabilities are sums of roundings.
    if (p[order[rank]] > level / static_cast<double>(p.size() - rank) * (1 + 1e-9)) break;
    significant[order[rank]] = true;
  }
  return significant;
}

// A change that is not significant does not break the limit.
void judge_significance(LimitVerdict& verdict, bool significant, double p, double level,
                        std::size_t limits) {
  const std::string chance = p < 0.0001 ? std::string("below 0.0001") : fmt::format("{:.4f}", p);
  if (significant) {
    verdict.sentence += fmt::format(", significant (one-sided p {})", chance);
    return;
  }
  verdict.state = State::not_significant;
  verdict.sentence +=
      fmt::format(", not significant (one-sided p {}, required: at most {:.4f}{}). Make more runs",
                  chance, level / static_cast<double>(limits),
                  limits > 1 ? ", or slightly more because of the other limits" : "");
}

std::vector<LimitVerdict> judge_limits(const std::vector<Limit>& limits,
                                       const std::vector<MetricDifference>& differences,
                                       double level) {
  std::vector<LimitVerdict> verdicts;
  std::vector<double> p;
  for (const Limit& limit : limits) {
    const MetricDifference& difference =
        *std::ranges::find(differences, limit.metric, &MetricDifference::metric);
    const bool is_value = limit.kind == Limit::Kind::value;
    verdicts.push_back(is_value ? judge_value(limit, difference) : judge_change(limit, difference));
    // A limit without a test has a p that is never significant.
    if (!is_value) p.push_back(limit.above ? difference.p_higher : difference.p_lower);
  }
  const std::vector<bool> significant = significant_ones(p, level);
  std::size_t next = 0;
  for (LimitVerdict& verdict : verdicts) {
    if (verdict.limit.kind != Limit::Kind::value) {
      const std::size_t index = next++;
      if (verdict.state == State::broken)
        judge_significance(verdict, significant[index], p[index], level, p.size());
    }
    constexpr std::string_view states[] = {"kept", "exceeded, but not significant", "BROKEN",
                                           "NOT JUDGED"};
    verdict.sentence =
        fmt::format("{}: {}: {}", verdict.limit.text(),
                    states[static_cast<std::size_t>(verdict.state)], verdict.sentence);
  }
  return verdicts;
}

SideDescription describe(std::span<const Result> runs) {
  const auto starts = std::ranges::minmax(
      runs | std::views::transform([](const Result& one) { return one.summary.measure_start_ts; }));
  return {.runs = runs.size(),
          .tool = tool_text(runs.front()),
          .server = server_text(runs.front()),
          .first_start_ts = starts.min,
          .last_start_ts = starts.max};
}

std::vector<Metric> wanted_metrics(const CompareOptions& options, const Result& first) {
  std::vector<Metric> metrics = options.metrics.empty() ? default_metrics(first) : options.metrics;
  for (const Limit& limit : options.limits)
    if (std::ranges::find(metrics, limit.metric) == metrics.end()) metrics.push_back(limit.metric);
  return metrics;
}

std::string several_limits_text(std::size_t tested_limits) {
  return tested_limits > 1 ? fmt::format(" ({} limits)", tested_limits) : "";
}

// Notes the assumptions of Student's test.
std::string belief_text(const Comparison& comparison, std::string_view of_what) {
  return fmt::format(
      "assumes that {} {}", of_what,
      comparison.by_scale_of_student("log-normally", "normally",
                                     "log-normally (normally for metrics that are sometimes 0)"));
}

void add_notes_on_pairs(Comparison& comparison, std::size_t tested_limits, double level) {
  if (signed_rank_p_least(comparison.pairs) <= level) return;
  std::size_t enough = comparison.pairs;
  while (signed_rank_p_least(enough) > level) ++enough;
  comparison.notes.push_back(
      fmt::format("{} pairs are too few for the signed-rank test at significance level {:.4f}{}. "
                  "Student's t test of the pairs is used instead, which {}. Make {} or more pairs.",
                  comparison.pairs, level, several_limits_text(tested_limits),
                  belief_text(comparison, "the differences of pairs are distributed"), enough));
}

void add_notes(Comparison& comparison, std::size_t tested_limits, double level, double shortest_s) {
  const SideDescription& base = comparison.base;
  const SideDescription& other = comparison.new_side;
  auto& notes = comparison.notes;
  if (base.runs == 1 && other.runs == 1) {
    notes.push_back(
        "One run per side: the intervals include only the variation within a run. The variation "
        "between runs is unknown and usually larger. Make 5 or more runs per side.");
    if (shortest_s < seconds_enough_for_batches) {
      notes.push_back(
          fmt::format("A run measured only {} s. Consecutive seconds are usually correlated, so "
                      "the intervals are "
                      "too narrow. Measure 2 minutes or longer.",
                      text::figure_text(shortest_s)));
    }
    return;
  }
  if (rank_test_p_least(base.runs, other.runs) > level) {
    std::size_t enough = 2;
    while (rank_test_p_least(enough, enough) > level) ++enough;
    notes.push_back(
        fmt::format("{} and {} runs are too few for the rank test at significance level {:.4f}{}. "
                    "Student's t test is used instead, which {}. Make {} or more runs per side.",
                    base.runs, other.runs, level, several_limits_text(tested_limits),
                    belief_text(comparison, "runs are distributed"), enough));
  }
  if (base.last_start_ts < other.first_start_ts || other.last_start_ts < base.first_start_ts) {
    notes.push_back(
        "All runs of one side were made before all runs of the other side, so a drift of the "
        "machine looks like a change. Alternate the runs.");
  }
}

}  // namespace

double MetricDifference::p() const {
  if (method == Method::none) return 1;
  return std::min(1.0, 2 * std::min(p_lower, p_higher));
}

bool MetricDifference::is_better() const {
  if (!change || *change == 0) return false;
  return (*change > 0) == metric.higher_is_better();
}

MetricVerdict MetricDifference::verdict(double confidence) const {
  if (method == Method::none) return MetricVerdict::not_judged;
  if (!is_significant(confidence) || *change == 0) return MetricVerdict::no_difference;
  return is_better() ? MetricVerdict::better : MetricVerdict::worse;
}

std::string_view Comparison::by_scale_of_student(std::string_view logarithms,
                                                 std::string_view values,
                                                 std::string_view both) const {
  bool of_ratios = false;
  bool of_differences = false;
  for (const MetricDifference& one : differences) {
    if (one.method != Method::student && one.method != Method::paired_student) continue;
    (one.is_relative ? of_ratios : of_differences) = true;
  }
  return !of_differences ? logarithms : !of_ratios ? values : both;
}

bool Comparison::fails() const {
  return !obstacles.empty() || std::ranges::any_of(limits, &LimitVerdict::fails);
}

Comparison compare(std::span<const Result> base, std::span<const Result> new_runs,
                   const CompareOptions& options) {
  Comparison comparison;
  comparison.confidence = options.confidence;
  comparison.base = describe(base);
  comparison.new_side = describe(new_runs);
  const Sides sides{{base, options.base_names}, {new_runs, options.new_names}};
  std::vector<std::string> allowed;
  for (Obstacle& obstacle : find_obstacles(sides))
    if (is_allowed(obstacle.key, options.allow_different))
      allowed.push_back(fmt::format("Allowed: {}.", obstacle.text));
    else
      comparison.obstacles.push_back(std::move(obstacle));
  if (!comparison.obstacles.empty()) return comparison;

  const auto tested_limits = static_cast<std::size_t>(std::ranges::count_if(
      options.limits, [](const Limit& limit) { return limit.kind != Limit::Kind::value; }));
  const double level = 1 - options.confidence;
  // The interval has two ends; the first of several limits has the strictest level.
  const double finest_level =
      std::min(level / 2, level / static_cast<double>(std::max<std::size_t>(tested_limits, 1)));
  Terms terms{options.confidence, finest_level, {}};
  if (options.is_paired) terms.pairs = pair_runs(sides);
  comparison.pairs = terms.pairs.size();
  for (const Metric& metric : wanted_metrics(options, base.front()))
    comparison.differences.push_back(difference_of(metric, base, new_runs, terms));
  comparison.limits = judge_limits(options.limits, comparison.differences, level);
  if (options.is_paired) {
    add_notes_on_pairs(comparison, tested_limits, finest_level);
  } else {
    add_notes(comparison, tested_limits, finest_level, measured_times(sides).min);
    if (base.size() >= pairs_worth_a_hint && are_in_turns(sides)) {
      comparison.notes.emplace_back(
          "The runs alternate, so --paired can be used. It detects smaller changes if the machine "
          "drifts.");
    }
  }
  if (std::string note = wait_events_note(base, new_runs); !note.empty())
    comparison.notes.push_back(std::move(note));
  for (std::string& note : allowed) comparison.notes.push_back(std::move(note));
  for (const std::string& note : find_other_differences(sides))
    comparison.notes.push_back(fmt::format("Also different: {}.", note));
  return comparison;
}

}  // namespace drover::report
