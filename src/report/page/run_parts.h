// The parts from which the reports of a run are built: figures in words, tables, charts and
// sections. Only the files of this folder use them. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/document/result.h"
#include "report/model/model.h"

namespace drover::report {

// run_tables.cpp: figures in words.
std::string plain_ms(std::uint64_t ns);      // "0.85", "31.4", "4666": without the unit
std::string latency_text(std::uint64_t ns);  // "31.4 ms", "4.67 s"
std::string rate_text(double per_second);    // "1,190", "24.5"
std::string share_text(double share);        // "15%", "0.25%"
std::string capitalised(std::string text);   // with a capital as its first letter

// "12345" and "12,345"
Wording count_wording(std::uint64_t count);

// A percentile of the latency in milliseconds; 100 for the maximum. It begins with ">" or "≥" if
// transactions without an answer may raise it.
Wording bounded_ms_wording(const TransactionResult& one, double percent);

// Returns the settings with which a crash may lose committed transactions, such as
// "fsync = off, full_page_writes = off"; empty if there is none.
std::string settings_without_durability(const Result& result);

// Returns the sentence that TPC-C's results must not be compared with published ones; empty for
// other workloads.
std::string disclaimer_of(const Result& result);

// run_tables.cpp: tables, each described once for the summary, Markdown and the page.

// The most rows of a table that are shown. The result file has all of them.
inline constexpr std::size_t shown_rows_max = 200;

// Counts and latencies of each transaction type.
Table transactions_table(const Result& result);

// Service times of an open loop: for documents, and for terminals beside the latencies.
Table service_times_table(const Result& result);
Table latency_and_service_table(const Result& result);

// Statements of scripts: one table for pages, without rows if there are none, and one for each
// script for terminals.
Table statements_table(const Result& result);
std::vector<Table> statements_tables(const Result& result);

// The hosts that generated the load. Requires: several hosts.
Table load_hosts_table(const Result& result);

// The hosts of the database over which connections were distributed.
Table server_hosts_table(const Result& result);

// Sessions in the server by wait event: the `events_most` longest ones, of which the last may be
// the sum of all others. Requires: server_stats.
Table wait_events_table(const Result& result, std::size_t events_most);

// The most expensive statements in pg_stat_statements.
Table server_statements_table(const std::vector<ServerStatement>& statements);

// run_charts.cpp: `id` begins the ids of the section and of its chart.
Section time_section(const Result& result, const std::string& id);
Section latency_section(const Result& result, const std::string& id);

// The charts of several results over each other, with a switch and a curve for each result.
Section overlay_section(const std::vector<NamedResult>& results);

// run_sections.cpp: all sections below the charts.
Blocks detail_sections(const Result& result, const std::string& id);

}  // namespace drover::report
