// `drover history`: a metric over many stored results.
#include <fmt/format.h>

#include <memory>
#include <stdexcept>

#include "cli/commands.h"
#include "cli/result_files.h"
#include "cli/standard_output.h"
#include "report/compare/comparability.h"
#include "report/history/history.h"
#include "text/utf8.h"

namespace drover::cli {
namespace {

constexpr std::size_t results_most = 10'000;

struct HistoryArguments {
  std::vector<std::string> paths;
  std::string metric = "tpmC";
  std::vector<std::string> allow_different;
  std::string html;
  std::string json;
};

// Lists unreadable files instead of failing, because some of thousands of files may be truncated.
report::History read_history(const HistoryArguments& arguments, const report::Metric& metric) {
  std::vector<report::HistoryEntry> entries;
  std::vector<report::LeftOut> unreadable;
  const auto add = [&](const std::filesystem::path& file, report::Result result) {
    entries.push_back(report::history_entry(file.native(), std::move(result), metric));
  };
  for (const UnreadResult& one :
       read_result_files(find_result_files(arguments.paths, results_most), add)) {
    unreadable.push_back({text::shown(one.file.native(), 300), one.reason});
  }
  report::History history =
      report::make_history(std::move(entries), metric, arguments.allow_different);
  history.left_out.insert(history.left_out.end(), unreadable.begin(), unreadable.end());
  return history;
}

// Without --metric, results of YCSB and scripts show their throughput.
report::Metric metric_of(const HistoryArguments& arguments) {
  const report::MetricVocabulary vocabulary = vocabulary_of_files(arguments.paths);
  try {
    const bool is_default = arguments.metric == HistoryArguments().metric;
    return report::Metric::parse(
        is_default && !vocabulary.has_tpmc ? "throughput" : arguments.metric, vocabulary);
  } catch (const report::MetricError& error) {
    throw UsageError(fmt::format("--metric: {}", error.what()));
  }
}

int perform(const HistoryArguments& arguments) {
  const report::Metric metric = metric_of(arguments);
  require_obstacle_keys(arguments.allow_different);
  const OutputFile json{arguments.json};
  const OutputFile html{arguments.html, "HTML file", false};
  json.check();
  html.check();
  const report::History history = read_history(arguments, metric);
  const std::string text = text::terminal_text(report::history_text(history));
  write_each({[&] { json.write([&] { return report::history_json(history); }); },
              [&] { html.write([&] { return report::history_html(history); }); },
              [&] { print(json.for_people(), text, "the history"); }});
  if (history.points.empty()) {
    throw std::runtime_error("no result can be shown in the chart. The list above has the reasons");
  }
  return exit_success;
}

}  // namespace

void add_history(Command& app) {
  const auto arguments = std::make_shared<HistoryArguments>();
  Command& command = app.add_command(
      "history",
      "Chart a metric over many results, and mark where it changed. A folder stands for all\n"
      "results (*.json) in it. The chart shows the largest group of comparable results and lists\n"
      "the results left out. Exit code 1: there is no result to show.",
      "Examples:\n"
      "  drover history results/\n"
      "  drover history results/ --metric new_order.p99 -o history.html\n"
      "\n"
      "docs/compare.md describes the method and the JSON document.");
  command.add_options(
      {{"results", &arguments->paths, "FILE...", "Results or folders of results",
        required_option + input_file},
       {"--metric", &arguments->metric, "METRIC",
        "Metric to show: tpmC, efficiency, throughput, failed, new_order.p99, … (see "
        "docs/compare.md)"},
       {"--allow-different", &arguments->allow_different, "LIST",
        "Combine results although they differ in LIST: warehouses, isolation, duration, … (list: "
        "docs/compare.md), or all",
        comma_list}});
  command.add_options(
      output_group,
      {{"-o,--output", &arguments->html, "FILE", "Write the chart to FILE as HTML"},
       {"--json", &arguments->json, "FILE",
        "Write the history to FILE as JSON. -: JSON to the standard output, text to the error "
        "stream"}});
  command.action = [arguments] { return perform(*arguments); };
}

}  // namespace drover::cli
