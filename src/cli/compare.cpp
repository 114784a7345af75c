// `drover compare`: the regression gate over stored results.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/result_files.h"
#include "cli/standard_output.h"
#include "cli/usage_error.h"
#include "report/atomic_file.h"
#include "report/bounded_file.h"
#include "report/compare.h"
#include "report/compare_json.h"
#include "report/compare_text.h"
#include "report/result_json.h"
#include "report/run_pairs.h"

namespace drover::cli {
namespace {

constexpr std::size_t runs_most = 100;  // a side; a result takes half a megabyte and more
constexpr std::string_view json_to_stdout = "-";

struct Arguments {
  std::vector<std::string> positional;
  std::vector<std::string> base;
  std::vector<std::string> new_runs;
  std::vector<std::string> metrics;
  std::vector<std::string> limits;
  std::vector<std::string> allow_different;
  std::string confidence = "95%";
  std::string json;
  bool markdown = false;
  bool is_paired = false;
};

struct Side {
  std::vector<report::Result> runs;
  std::vector<std::string> names;
};

// One message for both sides: whoever mends a file wants to know of all.
std::pair<Side, Side> read_sides(const Arguments& arguments) {
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

double parse_confidence(std::string_view text) {
  std::string_view digits = text;
  if (digits.ends_with('%')) digits.remove_suffix(1);
  double percent = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), percent,
                                            std::chars_format::fixed);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  if (!whole || !(percent >= 50 && percent <= 99.9)) {
    throw UsageError(fmt::format(
        "--confidence {}: expected a percentage from 50 to 99.9, such as 95", report::shown(text)));
  }
  return percent / 100;
}

void require_keys(const std::vector<std::string>& keys) {
  const auto known = report::obstacle_keys();
  for (const std::string& key : keys) {
    if (key == "all" || std::find(known.begin(), known.end(), key) != known.end()) continue;
    throw UsageError(fmt::format("--allow-different {}: expected all, or some of {}",
                                 report::shown(key), fmt::join(known, ", ")));
  }
}

report::CompareOptions options_of(const Arguments& arguments) {
  report::CompareOptions options;
  options.confidence = parse_confidence(arguments.confidence);
  options.is_paired = arguments.is_paired;
  require_keys(arguments.allow_different);
  options.allow_different = arguments.allow_different;
  try {
    for (const std::string& name : arguments.metrics) {
      options.metrics.push_back(report::Metric::parse(name));
    }
  } catch (const report::MetricError& error) {
    throw UsageError(fmt::format("--metric: {}", error.what()));
  }
  for (const std::string& text : arguments.limits) {
    try {
      options.limits.push_back(report::Limit::parse(text));
    } catch (const report::LimitError& error) {
      throw UsageError(fmt::format("--fail-if: {}", error.what()));
    } catch (const report::MetricError& error) {
      throw UsageError(fmt::format("--fail-if '{}': {}", report::shown(text), error.what()));
    }
  }
  return options;
}

// Either two positional words, or both options.
void require_two_sides(Arguments& arguments) {
  const bool named = !arguments.base.empty() || !arguments.new_runs.empty();
  if (named && !arguments.positional.empty()) {
    throw UsageError(fmt::format(
        "compare: {} beside --base and --new: which side is it of? Expected two results, or --base "
        "and --new with all of them",
        report::shown(arguments.positional.front())));
  }
  if (!named && arguments.positional.size() == 2) {
    arguments.base = {arguments.positional[0]};
    arguments.new_runs = {arguments.positional[1]};
    return;
  }
  if (arguments.base.empty() || arguments.new_runs.empty()) {
    throw UsageError(fmt::format(
        "compare: expected two results or folders of results, or several as --base A B --new C D; "
        "found {}",
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
  text += fmt::format("\nTo compare them all the same: --allow-different {}", fmt::join(keys, ","));
  return report::terminal_text(text);
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

int perform(Arguments arguments) {
  require_two_sides(arguments);
  const report::CompareOptions options = options_of(arguments);
  const bool to_stdout = arguments.json == json_to_stdout;
  const report::WantedFile file{arguments.json, "JSON file"};
  if (!arguments.json.empty() && !to_stdout) report::check_can_write(file);
  const auto [base, new_side] = read_sides(arguments);
  const report::Comparison comparison = compare_sides(base, new_side, options);
  if (!arguments.json.empty()) {
    const std::string document = report::document_text(report::compare_json(comparison));
    if (to_stdout) {
      print(document, "the JSON document");
    } else {
      report::write_atomically(file, document);
    }
  }
  if (!comparison.obstacles.empty()) throw UsageError(refusal(comparison));
  const std::string text =
      arguments.markdown ? report::compare_markdown(comparison) : report::compare_text(comparison);
  print(to_stdout ? stderr : stdout, report::terminal_text(text), "the comparison");
  return comparison.fails() ? exit_failure : exit_success;
}

void add_judgement_options(CLI::App& command, Arguments& arguments) {
  command
      .add_option("--fail-if", arguments.limits,
                  "Exit code 1 if this is so, and by more than chance. METRIC < BOUND or\n"
                  "METRIC > BOUND. A bound in percent (-3%, +10%) or with a sign (+5) is a change\n"
                  "from base to new; one without (20) is the new value itself")
      ->type_name("LIMIT")
      ->allow_extra_args(false)
      ->group("What to judge");
  command
      .add_option("--metric", arguments.metrics,
                  "The rows, separated by commas: tpmC, efficiency, throughput, failed, retries,\n"
                  "unavailable_s, client.cpu_us, client.memory, or new_order, payment,\n"
                  "order_status, delivery, stock_level, all, deferred with .p50, .p99.9, .mean,\n"
                  ".max, .ok (a second), .failed")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group("What to judge");
  command
      .add_option("--confidence", arguments.confidence,
                  "Of the intervals, 50 to 99.9. A change is significant for a limit if\n"
                  "chance does it in at most the rest of all cases")
      ->capture_default_str()
      ->type_name("PERCENT")
      ->group("What to judge");
  command
      .add_option("--allow-different", arguments.allow_different,
                  "Compare although these differ, separated by commas: " +
                      fmt::format("{}", fmt::join(report::obstacle_keys(), ", ")) + "; or all")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group("What to judge");
}

}  // namespace

void add_compare(CLI::App& app, std::function<int()>& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "compare",
      "Compare results of 'drover tpcc run --json': is the new build slower than the old one?\n"
      "Medians, changes with confidence intervals, and limits that fail. Make 12 runs a side, in\n"
      "turns, and compare them --paired; 5 a side are enough where the machine is quiet. A folder\n"
      "stands for all results (*.json) in it. Exit code 0: no limit is broken; 1: one is, and by\n"
      "more than chance, or could not be judged; 2: the results are not comparable (other\n"
      "warehouses, isolation, pacing, …; the message says what differs).");
  command->footer(
      "Examples:\n"
      "  drover compare old.json new.json\n"
      "  drover compare results/old results/new --paired --fail-if 'tpmC < -3%'\n"
      "  drover compare --base a1.json a2.json a3.json a4.json a5.json --new b*.json \\\n"
      "      --fail-if 'tpmC < -3%' --fail-if 'new_order.p99 > +10%' --markdown\n"
      "\n"
      "docs/compare.md explains the methods, what is comparable, and the JSON document.");
  command
      ->add_option("results", arguments->positional,
                   "Base and new: two results, or two folders of results")
      ->type_name("BASE NEW");
  command->add_option("--base", arguments->base, "Results or folders of the base, several")
      ->type_name("FILE...")
      ->group("What to compare");
  command->add_option("--new", arguments->new_runs, "Results or folders of the new side, several")
      ->type_name("FILE...")
      ->group("What to compare");
  command
      ->add_flag("--paired", arguments->is_paired,
                 "Compare each base run with the new run beside it in time, so that a slow drift\n"
                 "of the machine cancels. The runs have to be made in turns (base, new, new,\n"
                 "base, …), as many of each")
      ->group("What to compare");
  add_judgement_options(*command, *arguments);
  command->add_flag("--markdown", arguments->markdown, "Print Markdown, for a pull request")
      ->group("Output");
  command
      ->add_option("--json", arguments->json,
                   "Writes the comparison to this file as JSON; '-': to the standard output, and\n"
                   "the text for people to the error stream")
      ->type_name("FILE")
      ->group("Output");
  command->callback([arguments, &chosen] { chosen = [arguments] { return perform(*arguments); }; });
}

}  // namespace drover::cli
