// Figures of a result in words, for its summary and its reports. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/document/result.h"
#include "report/model/model.h"

namespace drover::report {

std::string ms_text(std::uint64_t ns);         // "0.85", "31.4", "4,666": without the unit
std::string plain_ms(std::uint64_t ns);        // the same without thousands separators
std::string latency_text(std::uint64_t ns);    // "31.4 ms", "4.67 s"
std::string signed_label(std::int64_t count);  // "-1,234"
std::string rate_text(double per_second);      // "1,190", "24.5"
std::string share_text(double share);          // "15%", "0.25%"

// "12345" and "12,345"
Wording count_wording(std::uint64_t count);

// A percentile in milliseconds, 100 for the maximum; a dash if there is none.
Wording ms_wording(const measure::HistogramSnapshot& histogram, double percent);

// A percentile of the latency in milliseconds. It begins with ">" or "≥" if transactions without
// an answer may raise it.
Wording bounded_ms_wording(const TransactionResult& one, double percent);

// Returns the settings with which a crash may lose committed transactions, such as
// "fsync = off, full_page_writes = off"; empty if there is none.
std::string settings_without_durability(const Result& result);

// Returns the limit of the 90th percentile and `held` or `broken`: "1.5 s ✓"; "–" without a limit.
std::string limit_text(const TransactionResult& one, std::string_view held,
                       std::string_view broken);

// "TPC-C, 10 warehouses, PostgreSQL 15.8"
std::string title_of(const Result& result);

// The audit's verdict in a sentence, with an icon and a class of the style sheet.
struct VerdictBadge {
  std::string icon;
  std::string style;  // "good", "warn", "bad", "none"
  std::string sentence;
};
VerdictBadge badge_of(const Result& result);

// With a capital as its first letter.
std::string capitalised(std::string text);

// The first figure of a result: tpmC, or the throughput of another workload than TPC-C.
struct HeadlineFigure {
  std::string name;  // "tpmC", "tx/s"
  std::string text;  // "1,190"
};
HeadlineFigure headline_figure(const Result& result);

// Returns the sentence that TPC-C's results must not be compared with published ones; empty for
// other workloads.
std::string_view disclaimer_of(const Result& result);

// Returns the style classes of a transaction type: one of the colours t0 to t4, and dashes.
std::string transaction_colour(std::size_t index);

}  // namespace drover::report
