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

#include "report/document/result.h"
#include "report/page/html_writer.h"

namespace drover::report {

// How a report looks, and whatever is to look like one: report.css, for light and dark screens and for paper.
//
// Colours: NewOrder to Deferred (t0 to t5) and the results of a comparison (r0 to r7) are told
// apart by people with any of the common kinds of colour blindness; percentiles (p50, p90, p99) are
// one hue of three lightnesses. No colour is the only bearer of a meaning: judgements have words,
// curves have keys, and from the ninth result on curves have dashes.
Literal report_style();
inline constexpr std::size_t result_colours = 8;

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
