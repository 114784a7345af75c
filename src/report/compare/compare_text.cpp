#include "report/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "report/model/chart.h"
#include "text/plain_text.h"
#include "text/wrapped_text.h"

namespace drover::report {
namespace {

// What a cell of each row says.
struct Row {
  std::string name;
  std::string base;
  std::string new_value;
  std::string unit;
  std::string change;
  std::string interval;
  std::string p;
  std::string verdict;
};

std::string median_text(const std::optional<double>& median) {
  return median ? number_text(*median) : "-";
}

std::string change_text(double change, bool is_relative) {
  if (std::isinf(change)) return change < 0 ? "-inf" : "+inf";
  if (!is_relative) return (change < 0 ? "" : "+") + number_text(change);
  // What is doubled and more needs no tenths.
  if (std::abs(change) >= 1000) return fmt::format("{:+.0f}%", std::min(change, 1e6));
  return fmt::format("{:+.1f}%", change);
}

// With the unit where it is no percentage.
std::string change_with_unit(const MetricDifference& difference) {
  std::string text = change_text(*difference.change, difference.is_relative);
  if (difference.is_relative || difference.metric.unit().empty()) return text;
  return fmt::format("{} {}", text, difference.metric.unit());
}

bool is_zero_everywhere(const MetricDifference& difference) {
  const auto is_zero = [](const std::optional<double>& value) { return !value || *value == 0; };
  return std::ranges::all_of(difference.base_values, is_zero) &&
         std::ranges::all_of(difference.new_values, is_zero);
}

Row row_of(const MetricDifference& difference, double confidence) {
  Row row;
  row.name = difference.metric.name();
  row.base = median_text(difference.base_median);
  row.new_value = median_text(difference.new_median);
  row.unit = difference.metric.unit();
  if (difference.change) row.change = change_with_unit(difference);
  constexpr std::string_view verdicts[] = {"?", "", "better", "WORSE"};
  row.verdict = verdicts[static_cast<std::size_t>(difference.finding(confidence))];
  if (difference.method == Method::none || is_zero_everywhere(difference)) return row;
  row.interval = fmt::format("{} to {}", change_text(difference.low, difference.is_relative),
                             change_text(difference.high, difference.is_relative));
  row.p = difference.p() < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", difference.p());
  return row;
}

std::string side_text(const SideDescription& side) {
  std::string text = fmt::format("{} of {}", text::counted(side.runs, "run"), side.tool);
  if (!side.server.empty()) text += " on " + side.server;
  std::string first = text::moment_text(side.first_start_ts);
  if (side.last_start_ts == side.first_start_ts) return text + ", " + first;
  // One "UTC" is enough.
  if (first.ends_with(" UTC")) first.resize(first.size() - 4);
  return fmt::format("{}, {} to {}", text, first, text::moment_text(side.last_start_ts));
}

std::string pairs_text(std::size_t pairs) {
  return fmt::format("paired: {} pairs, each of a base run and the new run just before or after it",
                     pairs);
}

// Where a row has no percentage, which nobody would expect of a figure that is mostly above 0.
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

// Each reason why rows could not be judged, with these rows.
std::vector<std::string> reason_sentences(const Comparison& comparison) {
  std::vector<std::pair<std::string, std::string>> names_by_reason;
  for (const MetricDifference& one : comparison.differences) {
    if (one.method != Method::none) continue;
    auto known =
        std::ranges::find(names_by_reason, one.reason, [](auto& entry) { return entry.first; });
    if (known == names_by_reason.end()) {
      names_by_reason.emplace_back(one.reason, one.metric.name());
    } else {
      known->second += ", " + one.metric.name();
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [reason, names] : names_by_reason) {
    sentences.push_back(fmt::format("? {}: {}", names, reason));
  }
  return sentences;
}

// What could not be judged, a sentence for each method that was used, and one about how many rows
// chance marks.
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
      "on logarithms, and on the values themselves where one of them is 0");
  const std::string_view means = comparison.by_scale_of_student(
      "geometric means", "means", "geometric means, or of the means where a value is 0");
  const std::pair<Method, std::string> explained[] = {
      {Method::ranks,
       "Base and new are medians of the runs. Change and interval: the median of all pairs of runs "
       "(Hodges and Lehmann), so the change can differ from that of the medians; p: rank test "
       "(Mann and Whitney), two-sided."},
      {Method::student,
       fmt::format("Base and new are medians of the runs. Change: of the {}, so it can differ from "
                   "the change of the medians. Interval and p (two-sided): Student's t test {}.",
                   means, scale)},
      {Method::signed_ranks,
       "Base and new are medians of the runs. Change and interval, paired: the median of the means "
       "of any two pairs (Hodges and Lehmann); p: signed-rank test (Wilcoxon), two-sided."},
      {Method::paired_student,
       fmt::format("Base and new are medians of the runs. Change, paired: of the {}, so it can "
                   "differ from the change of the medians. Interval and p (two-sided): Student's t "
                   "test of the pairs, {}.",
                   means, scale)},
      {Method::within_run,
       "Intervals and p: from the seconds and the histograms of the two runs. They do not include "
       "the variation between runs."}};
  for (const auto& [method, sentence] : explained) {
    if (methods.contains(method)) sentences.push_back(sentence);
  }
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

std::string interval_heading(double confidence) {
  return fmt::format("{:g}% interval", confidence * 100);
}

void append_table(std::string& out, const Comparison& comparison) {
  constexpr std::size_t names_width_least = 18;
  constexpr std::size_t names_width_most = 24;
  constexpr auto line = "{:<{}} {:>9} {:>9} {:<4} {:>9}  {:<23} {:>7}  {}";
  std::size_t names_width = names_width_least;
  for (const MetricDifference& one : comparison.differences) {
    names_width = std::clamp(text::text_width(one.metric.name()), names_width, names_width_most);
  }
  const auto append = [&out, names_width](const Row& row) {
    std::string text =
        fmt::format(fmt::runtime(line), end_of_name(row.name, names_width), names_width, row.base,
                    row.new_value, row.unit, row.change, row.interval, row.p, row.verdict);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  append({"metric", "base", "new", "", "change", interval_heading(comparison.confidence), "p", ""});
  for (const MetricDifference& one : comparison.differences) {
    append(row_of(one, comparison.confidence));
  }
}

// Text of others for Markdown: shown as it is written.
std::string markdown_escaped(std::string_view text) {
  // A @ would call somebody, a # would link an issue, and a colon makes an address, which is a link
  // without any brackets.
  constexpr std::string_view signs = "\\`*_{}[]()!|~";
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '@' || c == '#' || c == ':') {
      result += fmt::format("&#{};", static_cast<int>(c));
    } else {
      if (signs.find(c) != std::string_view::npos) result += '\\';
      result += c < ' ' && c >= 0 ? ' ' : c;
    }
  }
  return result;
}

void append_table_markdown(std::string& out, const Comparison& comparison) {
  out += fmt::format("| metric | base | new | | {} | {} | p | |\n",
                     comparison.pairs > 0 ? "change, paired" : "change",
                     interval_heading(comparison.confidence));
  out += "|---|--:|--:|---|--:|---|--:|---|\n";
  for (const MetricDifference& one : comparison.differences) {
    const Row row = row_of(one, comparison.confidence);
    const std::string verdict = row.verdict == "WORSE" ? "**worse**" : row.verdict;
    // The names of TPC-C's metrics need no escapes.
    const bool is_plain = row.name.find_first_of("\\`*{}[]()!|~&<>@#:") == std::string::npos;
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n",
                       is_plain ? row.name : markdown_escaped(row.name), row.base, row.new_value,
                       row.unit, row.change, row.interval,
                       row.p.starts_with('<') ? "&lt;0.0001" : row.p, verdict);
  }
}

}  // namespace

std::string compare_sentence(const Comparison& comparison) {
  if (!comparison.obstacles.empty()) return "Not comparable.";
  const auto of_state = [&](LimitVerdict::State state) {
    return static_cast<std::size_t>(
        std::ranges::count(comparison.limits, state, &LimitVerdict::state));
  };
  if (comparison.limits.empty()) {
    const auto found = [&](Finding finding) {
      return std::ranges::count(comparison.differences, finding, [&](const MetricDifference& one) {
        return one.finding(comparison.confidence);
      });
    };
    return fmt::format("Of {}: {} significantly worse, {} better. No limits were set.",
                       text::counted(comparison.differences.size(), "metric"),
                       found(Finding::worse), found(Finding::better));
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
  std::string out;
  text::append_folded(out, "base: " + side_text(comparison.base));
  text::append_folded(out, "new:  " + side_text(comparison.new_side));
  if (comparison.pairs > 0) text::append_folded(out, pairs_text(comparison.pairs));
  out += "\n";
  if (!comparison.obstacles.empty()) {
    text::append_folded(out, "These results are not comparable:");
    for (const Obstacle& one : comparison.obstacles) {
      text::append_folded(out, fmt::format("- {} [{}]", one.text, one.key));
    }
    return out;
  }
  append_table(out, comparison);
  out += "\n";
  for (const std::string& sentence : method_sentences(comparison))
    text::append_folded(out, sentence);
  for (const std::string& note : comparison.notes) text::append_folded(out, "- " + note);
  out += "\n";
  for (const LimitVerdict& verdict : comparison.limits) text::append_folded(out, verdict.sentence);
  text::append_folded(out, compare_sentence(comparison));
  return out;
}

std::string compare_markdown(const Comparison& comparison) {
  std::string out = fmt::format("**{}**\n\n", compare_sentence(comparison));
  if (!comparison.obstacles.empty()) {
    for (const Obstacle& one : comparison.obstacles) {
      out += fmt::format("- {} (`{}`)\n", markdown_escaped(one.text), one.key);
    }
    return out;
  }
  for (const LimitVerdict& verdict : comparison.limits) {
    out += fmt::format("- {}\n", markdown_escaped(verdict.sentence));
  }
  if (!comparison.limits.empty()) out += "\n";
  append_table_markdown(out, comparison);
  out += fmt::format("\nbase: {}<br>\nnew: {}", markdown_escaped(side_text(comparison.base)),
                     markdown_escaped(side_text(comparison.new_side)));
  if (comparison.pairs > 0) out += "<br>\n" + pairs_text(comparison.pairs);
  out += "\n\n";
  out += "<details><summary>How it was compared</summary>\n\n";
  for (const std::string& sentence : method_sentences(comparison)) {
    out += fmt::format("- {}\n", markdown_escaped(sentence));
  }
  for (const std::string& note : comparison.notes) {
    out += fmt::format("- {}\n", markdown_escaped(note));
  }
  return out + "\n</details>\n";
}

}  // namespace drover::report
