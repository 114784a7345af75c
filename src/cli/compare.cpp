// `drover compare`: compares stored results of two versions.
#include <fmt/format.h>

#include <memory>
#include <stdexcept>

#include "cli/commands.h"
#include "cli/result_files.h"
#include "cli/standard_output.h"
#include "report/compare/comparability.h"
#include "report/compare/compare.h"
#include "text/utf8.h"

namespace drover::cli {
namespace {

constexpr std::size_t runs_most = 100;  // a side; a result takes half a megabyte and more

struct CompareArguments {
  std::vector<std::string> positional;
  std::vector<std::string> base;
  std::vector<std::string> new_runs;
  std::vector<std::string> metrics;
  std::vector<std::string> limits;
  std::vector<std::string> allow_different;
  double confidence = 0.95;
  std::string json;
  bool markdown = false;
  bool is_paired = false;
};

struct Side {
  std::vector<report::Result> runs;
  std::vector<std::string> names;
};

// Throws one error about all files of both sides.
std::pair<Side, Side> read_sides(const CompareArguments& arguments) {
  std::pair<Side, Side> sides;
  std::string unreadable;
  const auto read = [&](const std::vector<std::string>& paths, Side& side) {
    try {
      require_result_files(find_result_files(paths, runs_most),
                           [&](const std::filesystem::path& file, report::Result result) {
                             side.names.push_back(file.native());
                             side.runs.push_back(std::move(result));
                           });
    } catch (const UsageError&) {
      throw;
    } catch (const std::runtime_error& error) {
      unreadable += fmt::format("{}{}", unreadable.empty() ? "" : "\n", error.what());
    }
  };
  read(arguments.base, sides.first);
  read(arguments.new_runs, sides.second);
  if (!unreadable.empty()) throw std::runtime_error(unreadable);
  return sides;
}

report::CompareOptions options_of(const CompareArguments& arguments) {
  report::CompareOptions options;
  options.confidence = arguments.confidence;
  options.is_paired = arguments.is_paired;
  require_obstacle_keys(arguments.allow_different);
  options.allow_different = arguments.allow_different;
  options.metrics = metrics_of(arguments.metrics, arguments.base);
  const report::MetricVocabulary vocabulary =
      arguments.limits.empty() ? report::MetricVocabulary() : vocabulary_of_files(arguments.base);
  for (const std::string& text : arguments.limits) {
    try {
      options.limits.push_back(report::Limit::parse(text, vocabulary));
    } catch (const report::LimitError& error) {
      throw UsageError(fmt::format("--fail-if: {}", error.what()));
    } catch (const report::MetricError& error) {
      throw UsageError(fmt::format("--fail-if '{}': {}", text::shown(text), error.what()));
    }
  }
  return options;
}

// Requires either two arguments, or both options.
void require_two_sides(CompareArguments& arguments) {
  const bool named = !arguments.base.empty() || !arguments.new_runs.empty();
  if (named && !arguments.positional.empty()) {
    throw UsageError(
        fmt::format("compare: {} belongs to neither --base nor --new. Either give two results "
                    "without these options, or name all results after --base or --new",
                    text::shown(arguments.positional.front())));
  }
  if (!named && arguments.positional.size() == 2) {
    arguments.base = {arguments.positional[0]};
    arguments.new_runs = {arguments.positional[1]};
    return;
  }
  if (arguments.base.empty() || arguments.new_runs.empty()) {
    throw UsageError(fmt::format(
        "compare: expected two results or two folders of results, or several results as --base A B "
        "--new C D. Found {}",
        named ? fmt::format("no {}", arguments.base.empty() ? "--base" : "--new")
              : fmt::format("{} without --base and --new", arguments.positional.size())));
  }
}

// Names each obstacle and the words that allow it.
std::string refusal(const report::Comparison& comparison) {
  std::string text = "these results are not comparable:";
  std::vector<std::string> keys;
  for (const report::Obstacle& one : comparison.obstacles) {
    text += fmt::format("\n  {} [{}]", one.text, one.key);
    if (std::find(keys.begin(), keys.end(), one.key) == keys.end()) keys.push_back(one.key);
  }
  text += fmt::format("\nTo compare them anyway, add --allow-different {}", fmt::join(keys, ","));
  return text::terminal_text(text);
}

report::Comparison compare_sides(const Side& base, const Side& new_side,
                                 report::CompareOptions options) {
  options.base_names = base.names;
  options.new_names = new_side.names;
  try {
    return report::compare(base.runs, new_side.runs, options);
  } catch (const report::NoPairs& error) {
    throw UsageError(fmt::format("--paired: {}", error.what()));
  }
}

int perform(CompareArguments arguments) {
  require_two_sides(arguments);
  const report::CompareOptions options = options_of(arguments);
  const OutputFile json{arguments.json};
  json.check();
  const auto [base, new_side] = read_sides(arguments);
  const report::Comparison comparison = compare_sides(base, new_side, options);
  json.write([&] { return report::compare_json(comparison); });
  if (!comparison.obstacles.empty()) throw UsageError(refusal(comparison));
  const std::string text =
      arguments.markdown ? report::compare_markdown(comparison) : report::compare_text(comparison);
  print(json.for_people(), text::terminal_text(text), "the comparison");
  return comparison.fails() ? exit_failure : exit_success;
}

}  // namespace

void add_compare(Command& app) {
  const auto arguments = std::make_shared<CompareArguments>();
  Command& command = app.add_command(
      "compare",
      "Compare results of two versions, with confidence intervals and limits. Alternate 12 runs\n"
      "per side and use --paired; on a quiet machine 5 runs per side are enough. A folder stands\n"
      "for all results (*.json) in it. Exit code 0: no limit is broken; 1: a limit is broken by\n"
      "more than chance, or could not be judged; 2: the results are not comparable (different\n"
      "warehouses, isolation, pace, …).",
      "Examples:\n"
      "  drover compare old.json new.json\n"
      "  drover compare results/old results/new --paired --fail-if 'tpmC < -3%'\n"
      "  drover compare --base a1.json a2.json a3.json a4.json a5.json --new b*.json \\\n"
      "      --fail-if 'tpmC < -3%' --fail-if 'new_order.p99 > +10%' --markdown\n"
      "\n"
      "docs/compare.md describes the method, comparable results and the JSON document.");
  command.add_options(
      "Input",
      {{"results", &arguments->positional, "BASE NEW",
        "The base and the new side: a result or a folder of results each"},
       {"--base", &arguments->base, "FILE...", "Results, or folders of results, of the base",
        several_words + input_file + common_option},
       {"--new", &arguments->new_runs, "FILE...", "Results, or folders of results, of the new side",
        several_words + input_file + common_option},
       {"--paired", &arguments->is_paired, "",
        "Compare neighbouring runs in pairs, so that a slow drift of the machine cancels out. "
        "Requires alternating runs (base, new, new, base, …) and equally many runs on both sides",
        common_option}});
  command.add_options(
      "Limits and metrics",
      {{"--fail-if", &arguments->limits, "LIMIT",
        "Exit with code 1 if LIMIT is true by more than chance. LIMIT: METRIC < BOUND or METRIC > "
        "BOUND. A BOUND with a sign (-3%, +5) is a change from base to new; without a sign (20), a "
        "value of the new side",
        common_option},
       {"--metric", &arguments->metrics, "LIST",
        "Metrics to show, e.g. tpmC,failed,new_order.p99 (list: docs/compare.md)",
        comma_list + common_option},
       {"--confidence", OptionTarget(&arguments->confidence, percent_syntax(50, 99.9, "95")),
        "PERCENT", "Confidence level of the intervals and limits, 50 to 99.9"},
       {"--allow-different", &arguments->allow_different, "LIST",
        "Compare results although they differ in LIST: warehouses, isolation, duration, … (list: "
        "docs/compare.md), or all",
        comma_list}});
  command.add_options(
      output_group,
      {{"--markdown", &arguments->markdown, "", "Print Markdown, for a pull request",
        common_option},
       {"--json", &arguments->json, "FILE",
        "Write the comparison to FILE as JSON. -: JSON to the standard output, text to "
        "the error stream",
        common_option}});
  command.action = [arguments] { return perform(*arguments); };
}

}  // namespace drover::cli
