// Figures in words, as tables and tiles of a report have them. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/document/result.h"

namespace drover::report {

std::string ms_text(std::uint64_t ns);         // "0.85", "31.4", "4,666": without the unit
std::string latency_text(std::uint64_t ns);    // "31.4 ms", "4.67 s"
std::string signed_label(std::int64_t count);  // "-1,234"
std::string rate_text(double per_second);      // "1,190", "24.5"
std::string share_text(double share);          // "15%", "0.25%"

// A percentile of the latency in milliseconds, 100 for the maximum: "–" if there is none, and "≥ " before it where
// those without an answer may raise it.
std::string bounded_ms_text(const TransactionResult& one, double percent);

// "fsync = off, full_page_writes = off": settings with which a committed transaction may be lost in
// a crash; empty if there is none.
std::string settings_without_durability(const Result& result);

// "1.5 s ✓": a limit of the 90th percentile, and what came of it in words for either way; "–"
// without a limit.
std::string limit_text(const TransactionResult& one, std::string_view held,
                       std::string_view broken);

// "TPC-C, 10 warehouses, PostgreSQL 15.8"
std::string title_of(const Result& result);

// What the audit comes to, as an icon, a class of the style sheet and words.
struct VerdictBadge {
  std::string icon;
  std::string style;  // "good", "warn", "bad", "none"
  std::string sentence;
};
VerdictBadge badge_of(const Result& result);

// With its first letter as a capital.
std::string capitalised(std::string text);

// What a table of results begins with: tpmC, or the throughput of another benchmark.
struct HeadlineFigure {
  std::string name;  // "tpmC", "tx/s"
  std::string text;  // "1,190"
};
HeadlineFigure headline_figure(const Result& result);

// What there is to know of the bounds of what is shown; empty of a benchmark that nobody publishes results of.
std::string_view disclaimer_of(const Result& result);

// "NewOrder" as index 0 and so on: which of the colours t0 to t4 it has, and which dashes.
std::string transaction_colour(std::size_t index);

}  // namespace drover::report
