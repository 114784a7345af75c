#include "report/compare/compare.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "report/document/result_json.h"

namespace drover::report {
namespace {

using nlohmann::json;

constexpr std::string_view method_names[] = {"none",       "ranks",        "student",
                                             "within_run", "signed_ranks", "paired_student"};
constexpr std::string_view state_names[] = {"kept", "not_significant", "broken", "not_judged"};
constexpr std::string_view finding_names[] = {"not_judged", "no_difference", "better", "worse"};

// A number that is not finite is written as null.
json number(const std::optional<double>& value) {
  return value ? json(*value) : json();
}

json numbers(const std::vector<std::optional<double>>& values) {
  json list = json::array();
  for (const auto& value : values) list.push_back(number(value));
  return list;
}

json side(const SideDescription& description) {
  return {{"runs", description.runs},
          {"tool", description.tool},
          {"server", description.server.empty() ? json(nullptr) : json(description.server)},
          {"first_start_ts", description.first_start_ts},
          {"last_start_ts", description.last_start_ts}};
}

json row(const MetricDifference& one, double confidence) {
  const bool judged = one.method != Method::none;
  const auto if_judged = [judged](double value) { return judged ? json(value) : json(); };
  return {{"metric", one.metric.name()},
          {"unit", one.metric.unit()},
          {"higher_is_better", one.metric.higher_is_better()},
          {"base_values", numbers(one.base_values)},
          {"new_values", numbers(one.new_values)},
          {"base_median", number(one.base_median)},
          {"new_median", number(one.new_median)},
          {"change_unit", one.is_relative ? "%" : one.metric.unit()},
          {"change", number(one.change)},
          {"low", if_judged(one.low)},
          {"high", if_judged(one.high)},
          {"p_lower", if_judged(one.p_lower)},
          {"p_higher", if_judged(one.p_higher)},
          {"method", method_names[static_cast<std::size_t>(one.method)]},
          {"reason", judged ? json() : json(one.reason)},
          {"verdict", finding_names[static_cast<std::size_t>(one.finding(confidence))]}};
}

}  // namespace

std::string compare_json(const Comparison& comparison) {
  json obstacles = json::array();
  for (const Obstacle& one : comparison.obstacles) {
    obstacles.push_back({{"key", one.key}, {"text", one.text}});
  }
  json rows = json::array();
  for (const MetricDifference& one : comparison.differences) {
    rows.push_back(row(one, comparison.confidence));
  }
  json limits = json::array();
  for (const LimitVerdict& one : comparison.limits) {
    limits.push_back({{"limit", one.limit.text()},
                      {"state", state_names[static_cast<std::size_t>(one.state)]},
                      {"fails", one.fails()},
                      {"text", one.sentence}});
  }
  return document_text({{"schema_version", compare_schema_version},
                        {"document", "drover compare"},
                        {"confidence", comparison.confidence},
                        {"base", side(comparison.base)},
                        {"new", side(comparison.new_side)},
                        {"paired", comparison.pairs > 0},
                        {"pairs", comparison.pairs > 0 ? json(comparison.pairs) : json(nullptr)},
                        {"comparable", comparison.obstacles.empty()},
                        {"obstacles", std::move(obstacles)},
                        {"metrics", std::move(rows)},
                        {"limits", std::move(limits)},
                        {"notes", comparison.notes},
                        {"fails", comparison.fails()},
                        {"sentence", compare_sentence(comparison)}});
}

}  // namespace drover::report
