// The reports of results: the summary at the end of a run, Markdown for a pull request, and a page
// with charts. docs/report.md says what each part shows.
//
// A report uses nothing but the results, and accepts any content of them. Pure functions; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "measure/histogram.h"
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

// The figures of a run in the formats of YCSB, for scripts and tools that read them.
//
// The latency under the name of an operation: from the time at which the client had a connection
// (YCSB's "op"), or from the intended start; or both, the second one as "Intended-READ". In a
// closed loop they are equal.
enum class YcsbInterval : std::uint8_t { op, intended, both };

// Returns the lines that YCSB prints at its end: "[READ], 95thPercentileLatency(us), 1234".
// Latencies are whole microseconds, except the mean.
std::string ycsb_lines(const Result& result, YcsbInterval interval,
                       const std::vector<double>& percentiles);

// Returns a histogram log for HdrHistogram's tools (HistogramLogWriter 1.3, encoding V2 compressed)
// with one interval: the measured one. `start` is Unix time in seconds.
//
// Values are whole microseconds with three digits, as YCSB records them. Drover's come from buckets
// less than 1.6% wide, each counted at its middle; the smallest and the largest value are exact.
std::string hdr_log(const measure::HistogramSnapshot& latency, std::int64_t start, double seconds);

// Returns the last column of the line: the compressed histogram in base64.
std::string hdr_encoded(const measure::HistogramSnapshot& latency);

}  // namespace drover::report
