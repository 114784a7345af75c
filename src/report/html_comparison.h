// The parts of a report that are about several results at once. Any thread.
#pragma once

#include <vector>

#include "report/html_writer.h"
#include "report/named_result.h"

namespace drover::report {

// A row a result: what it is, its verdict, its headline, and a link to its own part.
void write_results_table(HtmlWriter& html, const std::vector<NamedResult>& results);

// The default metrics, and how far each result is from the first.
void write_differences(HtmlWriter& html, const std::vector<NamedResult>& results);

// The curves, on top of each other, with a switch for each result.
void write_overlays(HtmlWriter& html, const std::vector<NamedResult>& results);

}  // namespace drover::report
