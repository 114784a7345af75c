// `drover report … -o report.html`: one file that opens without a network, and executes nothing.
//
// There is no script in it, and its policy (Content-Security-Policy) forbids any, as it forbids
// everything else but its own style sheet. What comes from a result is text, whatever it holds: see
// html_writer.h. docs/report.md says what each part shows.
//
// Pure function; any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/html_writer.h"
#include "report/named_result.h"

namespace drover::report {

// Beyond these, curves cannot be told apart any more.
inline constexpr std::size_t report_results_max = 24;

// Requires: 1 to report_results_max results. Differences are against the first.
std::string html_report(const std::vector<NamedResult>& results);

// What a page has to say before its results, such as a search the answer that it found.
struct Introduction {
  std::string title;
  Literal style;                           // added to the style sheet
  std::function<void(HtmlWriter&)> write;  // sections, at the beginning of the <main> element
};
std::string html_report(const std::vector<NamedResult>& results, const Introduction& introduction);

}  // namespace drover::report
