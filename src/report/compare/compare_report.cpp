// Shows comparisons: as text, as Markdown and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "report/compare/compare.h"
#include "report/document/result_json.h"
#include "report/model/model.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

using nlohmann::json;

constexpr std::string_view method_names[] = {"none",       "ranks",        "student",
                                             "within_run", "signed_ranks", "paired_student"};
constexpr std::string_view state_names[] = {"kept", "not_significant", "broken", "not_judged"};
constexpr std::string_view verdict_names[] = {"not_judged", "no_difference", "better", "worse"};

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
          {"verdict", verdict_names[static_cast<std::size_t>(one.verdict(confidence))]}};
}

std::string change_text(double change, bool is_relative) {
  if (std::isinf(change)) return change < 0 ? "-inf" : "+inf";
  if (!is_relative) return (change < 0 ? "" : "+") + number_text(change);
  if (std::abs(change) >= 1000) return fmt::format("{:+.0f}%", std::min(change, 1e6));
  return fmt::format("{:+.1f}%", change);
}

std::string change_cell(const MetricDifference& difference) {
  if (!difference.change) return {};
  std::string text = change_text(*difference.change, difference.is_relative);
  if (difference.is_relative || difference.metric.unit().empty()) return text;
  return fmt::format("{} {}", text, difference.metric.unit());
}

std::string median_cell(const std::optional<double>& median) {
  return median ? number_text(*median) : "-";
}

Wording verdict_cell(MetricVerdict verdict) {
  static const Wording cells[] = {"?", {}, "better", {"WORSE", "**worse**"}};
  return cells[static_cast<std::size_t>(verdict)];
}

bool is_zero_everywhere(const MetricDifference& difference) {
  const auto is_zero = [](const std::optional<double>& value) { return !value || *value == 0; };
  return std::ranges::all_of(difference.base_values, is_zero) &&
         std::ranges::all_of(difference.new_values, is_zero);
}

constexpr std::size_t name_width_most = 24;

std::vector<Cell> cells_of(const MetricDifference& difference, double confidence) {
  std::string interval;
  std::string p;
  if (difference.method != Method::none && !is_zero_everywhere(difference)) {
    interval = fmt::format("{} to {}", change_text(difference.low, difference.is_relative),
                           change_text(difference.high, difference.is_relative));
    p = difference.p() < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", difference.p());
  }
  const std::string& name = difference.metric.name();
  // The names of TPC-C's metrics need no escapes, and their underscores would get some.
  const bool is_plain = name.find_first_of("\\`*{}[]()!|~&<>@#:") == std::string::npos;
  return {Wording(end_of_name(name, name_width_most), is_plain ? name : markdown_sentence(name)),
          median_cell(difference.base_median),
          median_cell(difference.new_median),
          std::string(difference.metric.unit()),
          change_cell(difference),
          std::move(interval),
          Wording(p, markdown_sentence(p)),
          verdict_cell(difference.verdict(confidence))};
}

Table table_of(const Comparison& comparison) {
  Table table{.columns = {{"metric", false},
                          {.title = "base", .width = 9},
                          {.title = "new", .width = 9},
                          {.title = " ", .is_number = false, .width = 4},
                          {.title = {"change", comparison.pairs > 0 ? "change, paired" : "change"},
                           .width = 9},
                          {.title = fmt::format("{:g}% interval", comparison.confidence * 100),
                           .is_number = false,
                           .width = 23,
                           .gap = 2},
                          {.title = "p", .width = 7},
                          {.title = " ", .is_number = false, .gap = 2}},
              .name_width_least = 18,
              .name_width_most = name_width_most};
  for (const MetricDifference& one : comparison.differences)
    table.add(cells_of(one, comparison.confidence));
  return table;
}

std::string side_text(const SideDescription& side) {
  std::string text = fmt::format("{} of {}", text::counted(side.runs, "run"), side.tool);
  if (!side.server.empty()) text += " on " + side.server;
  std::string first = text::moment_text(side.first_start_ts);
  if (side.last_start_ts == side.first_start_ts) return text + ", " + first;
  if (first.ends_with(" UTC")) first.resize(first.size() - 4);
  return fmt::format("{}, {} to {}", text, first, text::moment_text(side.last_start_ts));
}

std::string pairs_text(std::size_t pairs) {
  return fmt::format("paired: {} pairs, each of a base run and the new run just before or after it",
                     pairs);
}

// Adds a sentence that explains why rows have no percentage.
void add_sentence_on_units(std::vector<std::string>& sentences, const Comparison& comparison) {
  std::string names;
  for (const MetricDifference& one : comparison.differences) {
    if (one.is_relative || !one.change || *one.change == 0) continue;
    names += (names.empty() ? "" : ", ") + one.metric.name();
  }
  if (names.empty()) return;
  sentences.push_back(fmt::format(
      "The change of {} is a difference, not a percentage, because a run has the value 0.", names));
}

// Returns a sentence for each reason why rows could not be judged, with these rows.
std::vector<std::string> reason_sentences(const Comparison& comparison) {
  std::vector<std::pair<std::string, std::string>> names_by_reason;
  for (const MetricDifference& one : comparison.differences) {
    if (one.method != Method::none) continue;
    auto known =
        std::ranges::find(names_by_reason, one.reason, [](auto& entry) { return entry.first; });
    if (known == names_by_reason.end())
      names_by_reason.emplace_back(one.reason, one.metric.name());
    else
      known->second += ", " + one.metric.name();
  }
  std::vector<std::string> sentences;
  for (const auto& [reason, names] : names_by_reason)
    sentences.push_back(fmt::format("? {}: {}", names, reason));
  return sentences;
}

// Returns what could not be judged, a sentence for each method that was used, and one about how
// many rows chance marks.
std::vector<std::string> method_sentences(const Comparison& comparison) {
  std::set<Method> methods;
  std::size_t judged = 0;
  for (const MetricDifference& one : comparison.differences) {
    methods.insert(one.method);
    if (one.method != Method::none) ++judged;
  }
  std::vector<std::string> sentences = reason_sentences(comparison);
  const std::string_view scale = comparison.by_scale_of_student(
      "on logarithms", "on the values themselves",
      "on logarithms, or on the values themselves for metrics with a value of 0");
  const std::string_view means = comparison.by_scale_of_student(
      "geometric means", "means", "geometric means, or of the means where a value is 0");
  const std::pair<Method, std::string> explained[] = {
      {Method::ranks,
       "Base and new are medians of the runs. Change and interval come from all pairs of a base "
       "run and a new run (median, by Hodges and Lehmann), so the change can differ from that of "
       "the medians. p is two-sided, from the rank test of Mann and Whitney."},
      {Method::student,
       fmt::format(
           "Base and new are medians of the runs. Change is that of the {}, so it can differ from "
           "the change of the medians. Interval and p (two-sided) come from Student's t test {}.",
           means, scale)},
      {Method::signed_ranks,
       "Base and new are medians of the runs. Change and interval come from the changes within "
       "pairs (median of the means of any two pairs, by Hodges and Lehmann). p is two-sided, from "
       "the signed-rank test of Wilcoxon."},
      {Method::paired_student,
       fmt::format("Base and new are medians of the runs. Change, in pairs, is that of the {}, so "
                   "it can differ from the change of the medians. Interval and p (two-sided) come "
                   "from Student's t test of the pairs, {}.",
                   means, scale)},
      {Method::within_run,
       "Intervals and p come from the seconds and the histograms of the two runs. They do not "
       "include the variation between runs."}};
  for (const auto& [method, sentence] : explained)
    if (methods.contains(method)) sentences.push_back(sentence);
  add_sentence_on_units(sentences, comparison);
  const double by_chance = static_cast<double>(judged) * (1 - comparison.confidence);
  if (by_chance >= 0.45) {
    sentences.push_back(
        fmt::format("Chance alone marks about {1:.0f} of {0} rows as better or worse. Only limits "
                    "(--fail-if) decide "
                    "whether a comparison fails.",
                    judged, std::max(1.0, by_chance)));
  }
  return sentences;
}

Items sentence_items(const std::vector<std::string>& sentences) {
  Items items;
  for (const std::string& sentence : sentences)
    items.items.emplace_back(sentence_wording(sentence));
  return items;
}

Items obstacle_items(const Comparison& comparison) {
  Items items;
  for (const Obstacle& one : comparison.obstacles) {
    items.items.emplace_back(
        Wording(fmt::format("{} [{}]", one.text, one.key),
                fmt::format("{} (`{}`)", markdown_sentence(one.text), one.key)));
  }
  return items;
}

}  // namespace

std::string compare_sentence(const Comparison& comparison) {
  if (!comparison.obstacles.empty()) return "Not comparable.";
  const auto of_state = [&](LimitVerdict::State state) {
    return static_cast<std::size_t>(
        std::ranges::count(comparison.limits, state, &LimitVerdict::state));
  };
  if (comparison.limits.empty()) {
    const auto found = [&](MetricVerdict finding) {
      return std::ranges::count(comparison.differences, finding, [&](const MetricDifference& one) {
        return one.verdict(comparison.confidence);
      });
    };
    return fmt::format(
        "Of {}, significantly worse: {}, significantly better: {}. No limits were set.",
        text::counted(comparison.differences.size(), "metric"), found(MetricVerdict::worse),
        found(MetricVerdict::better));
  }
  const std::size_t broken = of_state(LimitVerdict::State::broken);
  const std::size_t unjudged = of_state(LimitVerdict::State::not_judged);
  const std::size_t unsure = of_state(LimitVerdict::State::not_significant);
  std::string text = comparison.fails() ? "FAILS: " : "Passes: ";
  text += fmt::format("{} of {} broken", broken, text::counted(comparison.limits.size(), "limit"));
  if (unjudged > 0) text += fmt::format(", {} not judged", unjudged);
  if (unsure > 0) text += fmt::format(", {} exceeded but not significant", unsure);
  return text + ".";
}

std::string compare_text(const Comparison& comparison) {
  Blocks blocks = {Paragraph{"base: " + side_text(comparison.base)},
                   Paragraph{"new:  " + side_text(comparison.new_side)}};
  if (comparison.pairs > 0) blocks.emplace_back(Paragraph{pairs_text(comparison.pairs)});
  blocks.emplace_back(Gap{});
  if (!comparison.obstacles.empty()) {
    append(blocks, {Paragraph{"These results are not comparable:"}, obstacle_items(comparison)});
    return render_terminal(blocks);
  }
  append(blocks, {table_of(comparison), Gap{}});
  for (const std::string& one : method_sentences(comparison)) blocks.emplace_back(Paragraph{one});
  append(blocks, {sentence_items(comparison.notes), Gap{}});
  for (const LimitVerdict& one : comparison.limits) blocks.emplace_back(Paragraph{one.sentence});
  blocks.emplace_back(Paragraph{compare_sentence(comparison)});
  return render_terminal(blocks);
}

std::string compare_markdown(const Comparison& comparison) {
  Blocks blocks = {Paragraph{fmt::format("**{}**", compare_sentence(comparison))}};
  if (!comparison.obstacles.empty()) {
    blocks.emplace_back(obstacle_items(comparison));
    return render_markdown(blocks);
  }
  std::string sides =
      fmt::format("base: {}<br>\nnew: {}", markdown_sentence(side_text(comparison.base)),
                  markdown_sentence(side_text(comparison.new_side)));
  if (comparison.pairs > 0) sides += "<br>\n" + pairs_text(comparison.pairs);
  std::vector<std::string> method = method_sentences(comparison);
  method.insert(method.end(), comparison.notes.begin(), comparison.notes.end());
  Items limits;
  for (const LimitVerdict& one : comparison.limits)
    limits.items.emplace_back(sentence_wording(one.sentence));
  append(blocks, {std::move(limits), table_of(comparison), Paragraph{std::move(sides)},
                  Details{"How it was compared", {sentence_items(method)}}});
  return render_markdown(blocks);
}

std::string compare_json(const Comparison& comparison) {
  json obstacles = json::array();
  for (const Obstacle& one : comparison.obstacles)
    obstacles.push_back({{"key", one.key}, {"text", one.text}});
  json rows = json::array();
  for (const MetricDifference& one : comparison.differences)
    rows.push_back(row(one, comparison.confidence));
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
