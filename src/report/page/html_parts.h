// The parts of a report, in the order of the page. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/document/result.h"
#include "report/model/html_writer.h"

namespace drover::report {

// html_charts.cpp: over time, and the latency distribution; of one result, or of several on top of
// each other.

// `id` is of ours, and begins the ids of what is written.
void write_time_chart(HtmlWriter& html, const Result& result, const std::string& id, int level);
void write_spectrum_chart(HtmlWriter& html, const Result& result, const std::string& id, int level);

// A curve for each result, with the class of-K of the result K, counted from 1.
void write_time_overlay(HtmlWriter& html, const std::vector<NamedResult>& results);
void write_spectrum_overlay(HtmlWriter& html, const std::vector<NamedResult>& results);

// html_details.cpp: the tables.

// What stands in a section, below its heading.
void write_transactions(HtmlWriter& html, const Result& result);
bool has_errors(const Result& result);
void write_errors(HtmlWriter& html, const Result& result);
void write_availability(HtmlWriter& html, const Result& result);
void write_audit(HtmlWriter& html, const Result& result);
void write_client(HtmlWriter& html, const Result& result);
void write_ledger(HtmlWriter& html, const Result& result);

// html_server.cpp: what the server was doing, where somebody looked.
void write_server_stats(HtmlWriter& html, const Result& result);
void write_hosts(HtmlWriter& html, const Result& result);

// load_hosts.cpp: the hosts that made the load together.
void write_load_hosts(HtmlWriter& html, const Result& result);

// html_others.cpp: what only benchmarks other than TPC-C have.
void write_service_times(HtmlWriter& html, const Result& result);
void write_statements(HtmlWriter& html, const Result& result);
void write_accounts(HtmlWriter& html, const Result& result);  // in place of the ledger
void write_plan(HtmlWriter& html, const Result& result);
void write_environment(HtmlWriter& html, const Result& result);

// Rows of a list that somebody else has filled.
inline constexpr std::size_t shown_rows_max = 200;

// html_comparison.cpp: what is about several results at once.

// A row a result: what it is, its verdict, its headline, and a link to its own part.
void write_results_table(HtmlWriter& html, const std::vector<NamedResult>& results);

// The default metrics, and how far each result is from the first.
void write_differences(HtmlWriter& html, const std::vector<NamedResult>& results);

// The curves, on top of each other, with a switch for each result.
void write_overlays(HtmlWriter& html, const std::vector<NamedResult>& results);

}  // namespace drover::report
