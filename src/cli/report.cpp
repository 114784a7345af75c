// `drover report`: shows stored results as text, numbers, HTML or Markdown.
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <memory>
#include <system_error>

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

constexpr std::size_t folder_files_most = 1'000;  // not all of them need to be results

enum class Format : std::uint8_t { text, html, markdown };
constexpr std::array<std::string_view, 3> format_names = {"text", "HTML", "Markdown"};

constexpr std::pair<std::string_view, Format> suffixes[] = {{".html", Format::html},
                                                            {".htm", Format::html},
                                                            {".md", Format::markdown},
                                                            {".markdown", Format::markdown},
                                                            {".txt", Format::text}};

struct ReportArguments {
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

std::optional<Format> format_of_suffix(const fs::path& path) {
  std::string suffix = path.extension().string();
  std::ranges::transform(suffix, suffix.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [text, format] : suffixes) {
    if (text == suffix) return format;
  }
  return std::nullopt;
}

Format choose_format(const ReportArguments& options) {
  std::optional<Format> asked;
  if (options.html) asked = Format::html;
  if (options.markdown) asked = Format::markdown;
  if (!options.writes_file()) return asked.value_or(Format::text);
  const std::optional<Format> suffix = format_of_suffix(options.output);
  const std::string output = text::shown(options.output, 300);
  if (asked && suffix && *asked != *suffix) {
    throw UsageError(
        fmt::format("--output: the name \"{}\" means {}, but --{} means {}. Change the name or "
                    "leave out the option",
                    output, name_of(*suffix), options.html ? "html" : "markdown", name_of(*asked)));
  }
  if (asked) return *asked;
  if (suffix) return *suffix;
  throw UsageError(
      fmt::format("--output: the name \"{}\" does not determine the format. Use a name that ends "
                  "in .html, .md or .txt, or add --html or --markdown",
                  output));
}

void require_sound(const ReportArguments& options) {
  if (options.html && options.markdown) {
    throw UsageError(
        "--html and --markdown cannot be combined. Run the command once for each format");
  }
  if (!options.metrics.empty() && (options.html || options.markdown || options.writes_file())) {
    throw UsageError(
        "--metric prints numbers to the standard output. Leave out --output, --html and "
        "--markdown");
  }
}

// Returns the files, with folders replaced by the files in them. A missing file is an error of the
// reader.
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

// Names results after their files, with the folder if two files have the same name.
std::vector<report::NamedResult> read_results(const std::vector<fs::path>& files) {
  std::vector<report::NamedResult> results;
  require_result_files(files, [&](const fs::path& file, report::Result result) {
    const auto same_name = std::ranges::count_if(
        files, [&](const fs::path& other) { return other.filename() == file.filename(); });
    std::string name = same_name > 1 ? file.string() : file.filename().string();
    if (same_name == 1 && name.ends_with(".json")) name.resize(name.size() - 5);
    results.push_back({std::move(name), std::move(result)});
    if (results.size() <= report::report_results_max) return;
    throw UsageError(
        fmt::format("a report shows at most {} results, and the {} files have more. Name fewer "
                    "files, or use 'drover history'",
                    report::report_results_max, files.size()));
  });
  return results;
}

// Returns one line per metric, with one number per result.
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
  // Results may contain control characters.
  return text::terminal_text(text_of(results));
}

int perform(const ReportArguments& options) {
  require_sound(options);
  const std::vector<report::Metric> metrics = metrics_of(options.metrics, options.paths);
  const std::vector<fs::path> files = files_of(options.paths);
  if (options.writes_file()) {
    require_other_file("--output", options.output, files, "results to read");
  }
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
  const auto options = std::make_shared<ReportArguments>();
  Command& command = app.add_command(
      "report",
      "Show stored results: summary, table, HTML page or Markdown. One result gives its summary, "
      "several results a table. The HTML page contains charts and needs no network. Exit code 1: a "
      "file cannot be read or is not a result, or the report cannot be written.",
      "Examples:\n"
      "  drover report result.json                            summary of a run\n"
      "  drover report before.json after.json -o report.html  charts of both\n"
      "  drover report before.json after.json --markdown      table\n"
      "  drover report result.json --metric new_order.p99.95  one number");
  command.add_options(
      {{"results", &options->paths, "FILE...",
        "Results, or folders of results (*.json). Changes are relative to the first result",
        required_option + input_file},
       {"-o,--output", &options->output, "FILE",
        "Write the report to FILE. The end of the name sets the format: .html, .md or .txt. -: "
        "standard output"},
       {"--html", &options->html, "", "Write HTML, regardless of the file name"},
       {"--markdown", &options->markdown, "", "Write Markdown, for a pull request"},
       {"--metric", &options->metrics, "NAME",
        "Print only this metric, such as tpmC or new_order.p99.95. Drover prints one line per "
        "result, with a number or n/a"}});
  command.action = [options] { return perform(*options); };
}

}  // namespace drover::cli
