// What a check says: on a terminal how far it is, and at its end what it has found, as a person reads it, and as
// one JSON document, of which docs/checks.md describes every field.
#pragma once

#include <cstddef>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "workload/tpcc/check/check_work.h"

namespace drover::cli {

// The line on a terminal: percent, time left, the condition that begins. It overwrites itself and is gone with the
// object. Where the stream is no terminal, nothing is ever written: a log has no use for it. One thread.
class CheckProgressLine {
 public:
  explicit CheckProgressLine(std::FILE* stream);
  CheckProgressLine(const CheckProgressLine&) = delete;
  CheckProgressLine& operator=(const CheckProgressLine&) = delete;
  ~CheckProgressLine();

  void show(const tpcc::CheckProgress& progress);
  void clear();

  // At most 79 characters, so that no terminal breaks it.
  static std::string text(const tpcc::CheckProgress& progress);

 private:
  void write(const std::string& text);

  std::FILE* stream_;
  bool terminal_;
  std::size_t width_ = 0;  // of what stands there
};

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
