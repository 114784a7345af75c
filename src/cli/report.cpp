// `drover report`: what stored results say, as text, numbers, HTML or Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/help/help.h"
#include "cli/result_files.h"
#include "cli/standard_output.h"
#include "file/atomic_file.h"
#include "report/document/result_json.h"
#include "report/page/report.h"
#include "text/utf8.h"

namespace drover::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t folder_files_most = 1'000;  // a folder may hold other documents, too

enum class Format : std::uint8_t { text, html, markdown };
constexpr std::array<std::string_view, 3> format_names = {"text", "HTML", "Markdown"};

constexpr std::pair<std::string_view, Format> suffixes[] = {{".html", Format::html},
                                                            {".htm", Format::html},
                                                            {".md", Format::markdown},
                                                            {".markdown", Format::markdown},
                                                            {".txt", Format::text}};

struct Options {
  std::vector<std::string> paths;
  std::string output;  // empty or "-": the standard output
  bool html = false;
  bool markdown = false;
  std::vector<std::string> metrics;

  bool writes_file() const { return !output.empty() && output != "-"; }
};

std::string_view name_of(Format format) {
  return format_names[static_cast<std::size_t>(format)];
}

// Nothing if it says nothing.
std::optional<Format> format_of_suffix(const fs::path& path) {
  std::string suffix = path.extension().string();
  std::ranges::transform(suffix, suffix.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [text, format] : suffixes) {
    if (text == suffix) return format;
  }
  return std::nullopt;
}

Format choose_format(const Options& options) {
  std::optional<Format> asked;
  if (options.html) asked = Format::html;
  if (options.markdown) asked = Format::markdown;
  if (!options.writes_file()) return asked.value_or(Format::text);
  const std::optional<Format> suffix = format_of_suffix(options.output);
  const std::string output = text::shown(options.output, 300);
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

// A report in place of the result would be the end of the result.
void require_other_file(const Options& options, const std::vector<fs::path>& files) {
  if (!options.writes_file()) return;
  for (const fs::path& path : files) {
    std::error_code ignored;
    if (fs::equivalent(path, options.output, ignored)) {
      throw UsageError(fmt::format("--output: \"{}\" is one of the results; name another file",
                                   text::shown(options.output, 300)));
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
    for (fs::path& file : find_result_files({path}, folder_files_most))
      files.push_back(std::move(file));
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
      results, report::make_metric_table(results, report::default_metrics(results[0].result)),
      summary_width());
}

std::string document(const std::vector<report::NamedResult>& results, Format format) {
  if (format == Format::html) return report::html_report(results);
  if (format == Format::markdown) return report::markdown_report(results);
  // The files may come from anywhere: nothing in them may act upon a terminal.
  return text::terminal_text(text_of(results));
}

int perform(const Options& options) {
  require_sound(options);
  const std::vector<report::Metric> metrics = metrics_of(options.metrics, options.paths);
  const std::vector<fs::path> files = files_of(options.paths);
  require_other_file(options, files);
  if (!metrics.empty()) {
    print(metric_lines(read_results(files), metrics), "the figures");
    return exit_success;
  }
  const Format format = choose_format(options);
  const file::WantedFile file{options.output, "report"};
  if (options.writes_file()) file::check_can_write(file);
  const std::string text = document(read_results(files), format);
  if (options.writes_file()) {
    file::write_atomically(file, text);
  } else {
    print(text, format == Format::text ? "the summary" : "the report");
  }
  return exit_success;
}

}  // namespace

void add_report(Command& app) {
  const auto options = std::make_shared<Options>();
  Command& command = app.add_command(
      "report",
      "Show what results that 'drover tpcc run --json FILE' wrote say: the summary of one, a table "
      "of several, or a report with charts as one file of HTML that needs no network. A folder "
      "stands for all results (*.json) in it; other documents of Drover are skipped. Exit code 1 "
      "if a file cannot be read, is no such result, or the report cannot be written.",
      "Examples: the summary, as at the end of a run:\n"
      "  drover report result.json\n"
      "Charts, to be opened in a browser; those of several results lie on top of each other:\n"
      "  drover report result.json -o report.html\n"
      "  drover report before.json after.json -o report.html\n"
      "A table for a pull request:\n"
      "  drover report before.json after.json --markdown\n"
      "A number for a script:\n"
      "  drover report result.json --metric new_order.p99.95");
  command.add_options(
      {{"results", &options->paths, "FILE...",
        "The result documents, or folders that stand for all results (*.json) in them; "
        "the first is what others are compared with",
        required_option},
       {"-o,--output", &options->output, "FILE",
        "Write to this file, replaced in one step; its name says the format: .html, "
        ".md or .txt. '-': to the standard output"},
       {"--html", &options->html, "", "As HTML, whatever the file is called"},
       {"--markdown", &options->markdown, "", "As Markdown, short enough for a pull request"},
       {"--metric", &options->metrics, "NAME",
        "Print this figure and nothing else, such as tpmC or new_order.p99.95; may be "
        "given several times. A line a figure, a number a result, n/a if there is none"}});
  command.action = [options] { return perform(*options); };
}

}  // namespace drover::cli
