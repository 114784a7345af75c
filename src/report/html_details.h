// The tables of a report: transactions, errors, availability, audit, client, plan, the two machines
// and the ledger. Any thread.
#pragma once

#include "report/html_writer.h"
#include "report/result.h"

namespace drover::report {

// Each a section of its own, with a heading of this level.
void write_transactions(HtmlWriter& html, const Result& result, int level);
void write_errors(HtmlWriter& html, const Result& result, int level);  // nothing if there were none
void write_availability(HtmlWriter& html, const Result& result, int level);
void write_audit(HtmlWriter& html, const Result& result, int level);
void write_client(HtmlWriter& html, const Result& result, int level);
void write_ledger(HtmlWriter& html, const Result& result, int level);
void write_plan(HtmlWriter& html, const Result& result, int level);
void write_environment(HtmlWriter& html, const Result& result, int level);

// Rows of a list that somebody else has filled.
inline constexpr std::size_t shown_rows_max = 200;

}  // namespace drover::report
