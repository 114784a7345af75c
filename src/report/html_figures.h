// Figures in words, as tables and tiles of a report have them. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "report/result.h"

namespace drover::report {

std::string ms_text(std::uint64_t ns);               // "0.85", "31.4", "4,666": without the unit
std::string latency_text(std::uint64_t ns);          // "31.4 ms", "4.67 s"
std::string rate_text(double per_second);            // "1,190", "24.5"
std::string length_text(double seconds);             // "4.3 s", "2 min 0 s", "1 h 2 min 3 s"
std::string bytes_text(std::uint64_t bytes);         // "16.4 MiB"
std::string moment_text(std::int64_t unix_seconds);  // "2026-11-21 17:29:05 UTC"
std::string share_text(double share);                // "15%", "0.25%"
std::string yes_or_no(bool value);

// A percentile in milliseconds, 100 for the maximum: "–" if there is none, and "≥ " before it where
// those without an answer may raise it.
std::string bounded_ms_text(const measure::HistogramSnapshot& latency,
                            const measure::HistogramSnapshot& unanswered, double percent);

// "TPC-C, 10 warehouses, PostgreSQL 15.8"
std::string title_of(const Result& result);

// "NewOrder" as index 0 and so on: which of the colours t0 to t4 it has.
std::string transaction_colour(std::size_t index);

}  // namespace drover::report
