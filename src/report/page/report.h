// The reports of results: the summary at the end of a run, Markdown for a pull request, and a page
// with charts. docs/report.md says what each part shows.
//
// They are made of results alone, whatever these contain. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/document/result.h"
#include "report/model/model.h"

namespace drover::report {

// Returns lines of at most `width` columns, and a newline at the end. Requires: a width of at least
// 60.
std::string summary_text(const Result& result, std::size_t width = 100);

// Returns `drover report --markdown`, the short form: the verdict, the table of the transactions,
// and differences from the first result if there are several. Requires: at least one.
std::string markdown_report(const std::vector<NamedResult>& results);

// More curves than this cannot be told apart.
inline constexpr std::size_t report_results_max = 24;

// Sections before the result of a page, such as the answer of a search.
struct Introduction {
  std::string title;
  Blocks blocks;
};
// Requires: 1 to report_results_max results, and 1 with an introduction. Differences are against
// the first result.
std::string html_report(const std::vector<NamedResult>& results,
                        const Introduction* introduction = nullptr);

}  // namespace drover::report
