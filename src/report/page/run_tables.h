// The tables of a run's result, each described once for its summary, its Markdown and its page.
// Pure functions; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "report/document/result.h"
#include "report/model/model.h"

namespace drover::report {

// Rows of a list whose length the result decides; further ones are only in the result file.
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

}  // namespace drover::report
