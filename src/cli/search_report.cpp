#include "cli/search_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "report/atomic_file.h"
#include "report/html_report.h"
#include "report/result_read.h"
#include "search/page.h"

namespace drover::cli {
namespace {

// The last confirmation, or the last run if there is none.
const search::RecordedRun& deciding_run(const search::Record& record) {
  const auto confirmation =
      std::ranges::find_if(record.runs.rbegin(), record.runs.rend(),
                           [](const auto& run) { return run.probe.confirmation; });
  return confirmation == record.runs.rend() ? record.runs.back() : *confirmation;
}

}  // namespace

void write_search_report(const std::filesystem::path& page, const search::Record& record,
                         const std::filesystem::path& folder) {
  const search::RecordedRun& deciding = deciding_run(record);
  const report::Result result = report::read_result_file(folder / deciding.file);
  const report::Introduction introduction{
      .title = fmt::format("Search for the largest number of {}", record.unit),
      .style = search::search_style,
      .write = [&](report::HtmlWriter& html) { search::write_search_section(html, record); }};
  report::write_atomically({page, "report"},
                           report::html_report({{deciding.file, result}}, introduction));
}

}  // namespace drover::cli
