#include "report/compare_json.h"

#include <cmath>
#include <optional>
#include <utility>

#include "report/compare_text.h"

namespace drover::report {

namespace {

using nlohmann::json;

json number(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

json number(const std::optional<double>& value) {
  return value ? number(*value) : json(nullptr);
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
  const bool significant = judged && one.is_significant(confidence) && *one.change != 0;
  return {{"metric", one.metric.name()},
          {"unit", one.metric.unit()},
          {"higher_is_better", one.metric.higher_is_better()},
          {"base_values", numbers(one.base_values)},
          {"new_values", numbers(one.new_values)},
          {"base_median", number(one.base_median)},
          {"new_median", number(one.new_median)},
          {"change_unit", one.is_relative ? std::string("%") : std::string(one.metric.unit())},
          {"change", number(one.change)},
          {"low", judged ? number(one.low) : json(nullptr)},
          {"high", judged ? number(one.high) : json(nullptr)},
          {"p_lower", judged ? number(one.p_lower) : json(nullptr)},
          {"p_higher", judged ? number(one.p_higher) : json(nullptr)},
          {"method", method_name(one.method)},
          {"reason", judged ? json(nullptr) : json(one.reason)},
          {"verdict", !judged           ? "not_judged"
                      : !significant    ? "no_difference"
                      : one.is_better() ? "better"
                                        : "worse"}};
}

}  // namespace

nlohmann::json compare_json(const Comparison& comparison) {
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
                      {"state", state_name(one.state)},
                      {"fails", one.fails()},
                      {"text", one.sentence}});
  }
  return {{"schema_version", compare_schema_version},
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
          {"sentence", compare_sentence(comparison)}};
}

}  // namespace drover::report
