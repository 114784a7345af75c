// The forms of a report: the summary that a person reads at the end of a run, Markdown for a pull request, and a
// page with charts.
//
// They are made of results alone, whatever these hold. In the summary control characters of others become spaces, and
// no line is wider than asked for. The page is one file that opens without a network, and executes nothing: there is
// no script in it, and its policy (Content-Security-Policy) forbids any, as it forbids everything else but
// its own style sheet; what comes from a result is text (html_writer.h). docs/report.md says what each part
// shows.
//
// Pure functions; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report/document/result.h"
#include "report/model/model.h"

namespace drover::report {

// Ends with a newline. Requires: a width of at least 60.
std::string summary_text(const Result& result, std::size_t width = 100);

// `drover report --markdown`, the short form: the verdict, the table of the transactions, and differences from the
// first if there are several results. Requires: at least one.
std::string markdown_report(const std::vector<NamedResult>& results);

// Beyond these, curves cannot be told apart any more.
inline constexpr std::size_t report_results_max = 24;

// What a page has to say before its result, such as a search the answer that it found.
struct Introduction {
  std::string title;
  Literal style;                           // added to the style sheet
  std::function<void(HtmlWriter&)> write;  // sections, at the beginning of the <main> element
};
// Requires: 1 to report_results_max results, and 1 behind an introduction. Differences are against
// the first.
std::string html_report(const std::vector<NamedResult>& results,
                        const Introduction* introduction = nullptr);

}  // namespace drover::report
