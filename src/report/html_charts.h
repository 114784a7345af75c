// The charts of a report: over time, and the latency distribution; of one result, or of several on
// top of each other. Any thread.
#pragma once

#include <string>
#include <vector>

#include "report/html_writer.h"
#include "report/named_result.h"

namespace drover::report {

// `id` is of ours, and begins the ids of what is written.
void write_time_chart(HtmlWriter& html, const Result& result, const std::string& id, int level);
void write_spectrum_chart(HtmlWriter& html, const Result& result, const std::string& id, int level);

// Of each result a curve, with the class of-K of the result K, counted from 1.
void write_time_overlay(HtmlWriter& html, const std::vector<NamedResult>& results);
void write_spectrum_overlay(HtmlWriter& html, const std::vector<NamedResult>& results);

// The classes of a result's curves: a colour, dashes, and of-K.
std::string result_classes(std::size_t index);

}  // namespace drover::report
