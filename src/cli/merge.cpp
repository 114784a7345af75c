// `drover merge`: merges the parts of a run on several hosts into one result.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/help/help.h"
#include "cli/result_files.h"
#include "cli/standard_output.h"
#include "report/audit/audit.h"
#include "report/document/result_json.h"
#include "report/merge/merge.h"
#include "report/page/report.h"
#include "text/utf8.h"

namespace drover::cli {
namespace {

namespace fs = std::filesystem;

struct MergeArguments {
  std::vector<std::string> parts;
  std::string json;
};

report::Result merge_files(const std::vector<fs::path>& files) {
  report::Merger merger;
  require_result_files(files, [&merger](const fs::path& file, report::Result part) {
    if (part.ranks.size() == 1) part.ranks.front().part = file.string();
    try {
      merger.add(std::move(part), file.string());
    } catch (const report::MergeError& error) {
      throw UsageError(error.what());
    }
  });
  report::Result result = merger.take();
  result.audit = report::audit(result);
  return result;
}

int perform(const MergeArguments& options) {
  const OutputFile json{options.json, "result file"};
  const std::vector<fs::path> files = find_result_files(options.parts, report::ranks_max);
  require_other_file("--json", options.json, files, "parts to merge");
  json.check();
  const report::Result result = merge_files(files);
  json.write([&result] { return report::document_text(report::to_json(result)); });
  // Parts may contain control characters.
  print(json.for_people(), text::terminal_text(report::summary_text(result, summary_width())),
        "the summary");
  if (!result.incomplete) return exit_success;
  fmt::print(stderr, "drover: error: the result is incomplete: {}\n",
             text::shown(*result.incomplete, 1'000));
  return exit_failure;
}

}  // namespace

void add_merge(Command& app) {
  const auto options = std::make_shared<MergeArguments>();
  Command& command = app.add_command(
      "merge",
      "Merge the parts of a run on several hosts into one result. Histograms, outages and audits "
      "are merged without loss. Each host writes its part: in a run that was started by hand on "
      "each host, or in a run with --hosts that was cut short. Exit code 1: the result is "
      "incomplete, because a host or warehouses are missing; 2: the parts belong to different "
      "runs.",
      "Examples:\n"
      "  drover merge a.json b.json --json result.json\n"
      "  drover merge parts/ --json result.json && drover report result.json -o result.html");
  command.add_options(
      {{"parts", &options->parts, "PART...", "Parts in any order, or folders of parts (*.json)",
        required_option},
       {"-o,--json", &options->json, "FILE",
        "Write the result to FILE. -: result to the standard output, summary to the error "
        "stream"}});
  command.action = [options] { return perform(*options); };
}

}  // namespace drover::cli
