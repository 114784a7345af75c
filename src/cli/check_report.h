// What a check has found, as a person reads it, and as one JSON document, of which docs/checks.md describes every
// field. Pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "workload/tpcc/check/check_report.h"

namespace drover::cli {

// Raised when a field changes its meaning or goes away; a new field alone does not raise it.
inline constexpr int check_schema_version = 1;

// What the report itself does not know.
struct CheckCircumstances {
  std::string database;  // for people; never a password
  std::string kind;      // of database: "PostgreSQL"
  std::string schema;    // empty: as the search path has it
  double seconds = 0;
  std::string finished;  // the instant, in UTC, as ISO 8601 has it
};

nlohmann::json check_document(const tpcc::CheckReport& report,
                              const CheckCircumstances& circumstances);

// A line a condition, and under those that do not hold the first offenders.
std::string check_text(const tpcc::CheckReport& report, const CheckCircumstances& circumstances);

}  // namespace drover::cli
