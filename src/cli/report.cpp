// `drover report`: what stored results say, as text, numbers, HTML or Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/commands.h"
#include "cli/help_format.h"
#include "cli/result_files.h"
#include "cli/standard_output.h"
#include "cli/usage_error.h"
#include "report/atomic_file.h"
#include "report/bounded_file.h"
#include "report/html_report.h"
#include "report/markdown_report.h"
#include "report/metric.h"
#include "report/metric_table.h"
#include "report/result_read.h"
#include "report/summary_text.h"

namespace drover::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t files_most = 1'000;  // a folder may hold other documents, too

enum class Format : std::uint8_t { text, html, markdown };

struct Options {
  std::vector<std::string> paths;
  std::string output;  // empty or "-": the standard output
  bool html = false;
  bool markdown = false;
  std::vector<std::string> metrics;

  bool writes_file() const { return !output.empty() && output != "-"; }
};

std::string_view name_of(Format format) {
  switch (format) {
    case Format::html:
      return "HTML";
    case Format::markdown:
      return "Markdown";
    case Format::text:
      break;
  }
  return "text";
}

// Nothing if it says nothing.
std::optional<Format> format_of_suffix(const fs::path& path) {
  std::string suffix = path.extension().string();
  std::ranges::transform(suffix, suffix.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (suffix == ".html" || suffix == ".htm") return Format::html;
  if (suffix == ".md" || suffix == ".markdown") return Format::markdown;
  if (suffix == ".txt") return Format::text;
  return std::nullopt;
}

Format choose_format(const Options& options) {
  std::optional<Format> asked;
  if (options.html) asked = Format::html;
  if (options.markdown) asked = Format::markdown;
  if (!options.writes_file()) return asked.value_or(Format::text);
  const std::optional<Format> suffix = format_of_suffix(options.output);
  const std::string output = report::shown(options.output, 300);
  if (asked && suffix && *asked != *suffix) {
    throw UsageError(
        fmt::format("--output: \"{}\" is a name for {}, and --{} asks for {}; leave one out",
                    output, name_of(*suffix), options.html ? "html" : "markdown", name_of(*asked)));
  }
  if (asked) return *asked;
  if (suffix) return *suffix;
  throw UsageError(
      fmt::format("--output: \"{}\" does not say which format it is to have; expected a name that "
                  "ends in .html, .md or .txt, or --html or --markdown",
                  output));
}

std::vector<report::Metric> parse_asked_metrics(const Options& options) {
  std::vector<report::Metric> metrics;
  for (const std::string& text : options.metrics) {
    try {
      for (const report::Metric& metric : report::parse_metrics(text)) metrics.push_back(metric);
    } catch (const report::MetricError& error) {
      throw UsageError(fmt::format("--metric: {}", error.what()));
    }
  }
  return metrics;
}

// A report in place of the result would be the end of the result.
void require_other_file(const Options& options, const std::vector<fs::path>& files) {
  if (!options.writes_file()) return;
  for (const fs::path& path : files) {
    std::error_code ignored;
    if (fs::equivalent(path, options.output, ignored)) {
      throw UsageError(fmt::format("--output: \"{}\" is one of the results; name another file",
                                   report::shown(options.output, 300)));
    }
  }
}

void require_sound(const Options& options) {
  if (options.html && options.markdown) {
    throw UsageError("--html and --markdown exclude each other; run the command twice");
  }
  if (!options.metrics.empty() && (options.html || options.markdown || options.writes_file())) {
    throw UsageError(
        "--metric prints numbers to the standard output; leave out --output, --html "
        "and --markdown");
  }
}

// A folder stands for what is in it. A file that is not there is one that cannot be read.
std::vector<fs::path> files_of(const std::vector<std::string>& paths) {
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    std::error_code unknown;
    if (!fs::is_directory(path, unknown)) {
      files.emplace_back(path);
      continue;
    }
    for (fs::path& file : find_result_files({path}, files_most)) files.push_back(std::move(file));
  }
  return files;
}

// The name of a file says enough, unless another result has it, too.
std::vector<report::NamedResult> read_results(const std::vector<fs::path>& files) {
  std::vector<report::NamedResult> results;
  require_result_files(files, [&](const fs::path& file, report::Result result) {
    const auto same_name = std::ranges::count_if(
        files, [&](const fs::path& other) { return other.filename() == file.filename(); });
    std::string name = same_name > 1 ? file.string() : file.filename().string();
    if (same_name == 1 && name.ends_with(".json")) name.resize(name.size() - 5);
    results.push_back({std::move(name), std::move(result)});
    if (results.size() <= report::report_results_max) return;
    throw UsageError(fmt::format(
        "at most {} results at a time, and there are more in {} files; more than that nobody can "
        "tell apart: see 'drover history'",
        report::report_results_max, files.size()));
  });
  return results;
}

// A line a metric; in it, a number a result.
std::string metric_lines(const std::vector<report::NamedResult>& results,
                         const std::vector<report::Metric>& metrics) {
  std::string out;
  for (const report::Metric& metric : metrics) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::optional<double> value = metric.value(results[i].result);
      out += i == 0 ? "" : "\t";
      out += value ? fmt::format("{:.10g}", *value) : "n/a";
    }
    out += '\n';
  }
  return out;
}

std::string text_of(const std::vector<report::NamedResult>& results) {
  if (results.size() == 1) return report::summary_text(results[0].result, summary_width());
  return report::metric_table_text(
      results, report::make_metric_table(results, report::default_metrics()), summary_width());
}

std::string document(const std::vector<report::NamedResult>& results, Format format) {
  switch (format) {
    case Format::html:
      return report::html_report(results);
    case Format::markdown:
      return report::markdown_report(results);
    case Format::text:
      break;
  }
  // The files may come from anywhere: nothing in them may act upon a terminal.
  return report::terminal_text(text_of(results));
}

int perform(const Options& options) {
  require_sound(options);
  const std::vector<report::Metric> metrics = parse_asked_metrics(options);
  const std::vector<fs::path> files = files_of(options.paths);
  require_other_file(options, files);
  if (!metrics.empty()) {
    print(metric_lines(read_results(files), metrics), "the figures");
    return exit_success;
  }
  const Format format = choose_format(options);
  const report::WantedFile file{options.output, "report"};
  if (options.writes_file()) report::check_can_write(file);
  const std::string text = document(read_results(files), format);
  if (options.writes_file()) {
    report::write_atomically(file, text);
  } else {
    print(text, format == Format::text ? "the summary" : "the report");
  }
  return exit_success;
}

}  // namespace

void add_report(CLI::App& app, std::function<int()>& chosen) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "report",
      "Show what results that 'drover tpcc run --json FILE' wrote say: the summary of one, a "
      "table\n"
      "of several, or a report with charts as one file of HTML that needs no network. A folder\n"
      "stands for all results (*.json) in it; other documents of Drover are skipped. Exit code 1 "
      "if\n"
      "a file cannot be read, is no such result, or the report cannot be written.");
  command
      ->add_option("results", options->paths,
                   "The result documents, or folders that stand for all results (*.json) in them;\n"
                   "the first is what others are compared with")
      ->required()
      ->type_name("FILE...");
  command
      ->add_option("-o,--output", options->output,
                   "Write to this file, replaced in one step; its name says the format: .html,\n"
                   ".md or .txt. '-': to the standard output")
      ->type_name("FILE");
  command->add_flag("--html", options->html, "As HTML, whatever the file is called");
  command->add_flag("--markdown", options->markdown,
                    "As Markdown, short enough for a pull request");
  command
      ->add_option("--metric", options->metrics,
                   "Print this figure and nothing else, such as tpmC or new_order.p99.95; may be\n"
                   "given several times. A line a figure, a number a result, n/a if there is none")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->footer(
      "Examples: the summary, as at the end of a run:\n"
      "  drover report result.json\n"
      "Charts, to be opened in a browser; those of several results lie on top of each other:\n"
      "  drover report result.json -o report.html\n"
      "  drover report before.json after.json -o report.html\n"
      "A table for a pull request:\n"
      "  drover report before.json after.json --markdown\n"
      "A number for a script:\n"
      "  drover report result.json --metric new_order.p99.95");
  command->callback([options, &chosen] { chosen = [options] { return perform(*options); }; });
}

}  // namespace drover::cli
