// `drover history`: a figure over many stored results.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/result_files.h"
#include "cli/standard_output.h"
#include "cli/usage_error.h"
#include "report/atomic_file.h"
#include "report/bounded_file.h"
#include "report/comparability.h"
#include "report/history.h"
#include "report/history_html.h"
#include "report/history_text.h"
#include "report/result_json.h"

namespace drover::cli {
namespace {

constexpr std::size_t results_most = 10'000;
constexpr std::string_view json_to_stdout = "-";

struct Arguments {
  std::vector<std::string> paths;
  std::string metric = "tpmC";
  std::vector<std::string> allow_different;
  std::string html;
  std::string json;
};

report::Metric parse_metric(const std::string& text) {
  try {
    return report::Metric::parse(text);
  } catch (const report::MetricError& error) {
    throw UsageError(fmt::format("--metric: {}", error.what()));
  }
}

void require_keys(const std::vector<std::string>& keys) {
  const auto known = report::obstacle_keys();
  for (const std::string& key : keys) {
    if (key == "all" || std::find(known.begin(), known.end(), key) != known.end()) continue;
    throw UsageError(fmt::format("--allow-different {}: expected all, or some of {}",
                                 report::shown(key), fmt::join(known, ", ")));
  }
}

// Among thousands of files some may be cut or of another kind: they are listed, not fatal.
report::History read_history(const Arguments& arguments, const report::Metric& metric) {
  std::vector<report::HistoryEntry> entries;
  std::vector<report::LeftOut> unreadable;
  const auto add = [&](const std::filesystem::path& file, report::Result result) {
    entries.push_back(report::history_entry(file.native(), std::move(result), metric));
  };
  for (const UnreadResult& one :
       read_result_files(find_result_files(arguments.paths, results_most), add)) {
    unreadable.push_back({report::shown(one.file.native(), 300), one.reason});
  }
  report::History history =
      report::make_history(std::move(entries), metric, arguments.allow_different);
  history.left_out.insert(history.left_out.end(), unreadable.begin(), unreadable.end());
  return history;
}

int perform(const Arguments& arguments) {
  const report::Metric metric = parse_metric(arguments.metric);
  require_keys(arguments.allow_different);
  const bool to_stdout = arguments.json == json_to_stdout;
  const report::WantedFile json_file{arguments.json, "JSON file"};
  const report::WantedFile html_file{arguments.html, "HTML file"};
  if (!arguments.json.empty() && !to_stdout) report::check_can_write(json_file);
  if (!arguments.html.empty()) report::check_can_write(html_file);

  const report::History history = read_history(arguments, metric);
  const std::string text = report::terminal_text(report::history_text(history));
  const auto write_document = [&] {
    if (arguments.json.empty()) return;
    const std::string document = report::document_text(report::history_json(history));
    if (to_stdout) return print(document, "the JSON document");
    report::write_atomically(json_file, document);
  };
  const auto write_page = [&] {
    if (arguments.html.empty()) return;
    report::write_atomically(html_file, report::history_html(history));
  };
  write_each({write_document, write_page,
              [&] { print(to_stdout ? stderr : stdout, text, "the history"); }});
  if (history.points.empty()) {
    throw std::runtime_error("none of the results can be drawn; the list says why");
  }
  return exit_success;
}

}  // namespace

void add_history(CLI::App& app, std::function<int()>& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "history",
      "Draw a metric over many results of 'drover tpcc run --json' in the order of time, and mark\n"
      "where it changed its level. A folder stands for all results (*.json) in it. Only\n"
      "comparable results are drawn, the largest group of them; others are listed with the\n"
      "reason. Exit code 0: drawn; 1: no result can be drawn.");
  command->footer(
      "Examples:\n"
      "  drover history results/\n"
      "  drover history results/ --metric new_order.p99 -o history.html\n"
      "\n"
      "docs/compare.md explains the method and the JSON document.");
  command->add_option("results", arguments->paths, "Results or folders of results")
      ->required()
      ->type_name("FILE...");
  command
      ->add_option("--metric", arguments->metric,
                   "What is drawn: tpmC, efficiency, throughput, failed, new_order.p99, …: see\n"
                   "'drover compare --help'")
      ->capture_default_str()
      ->type_name("METRIC");
  command
      ->add_option("--allow-different", arguments->allow_different,
                   "Draw together although these differ, separated by commas: " +
                       fmt::format("{}", fmt::join(report::obstacle_keys(), ", ")) + "; or all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST");
  command->add_option("-o,--output", arguments->html, "Writes the chart to this file, as HTML")
      ->type_name("FILE")
      ->group("Output");
  command
      ->add_option("--json", arguments->json,
                   "Writes the history to this file as JSON; '-': to the standard output, and the\n"
                   "chart for people to the error stream")
      ->type_name("FILE")
      ->group("Output");
  command->callback([arguments, &chosen] { chosen = [arguments] { return perform(*arguments); }; });
}

}  // namespace drover::cli
