// The output of `drover tpcc check`: the progress line, the report as text, and the JSON document
// that docs/checks.md describes.
#pragma once

#include <cstddef>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "workload/tpcc/check/check_work.h"

namespace drover::cli {

// A line on a terminal with percent, time left and the current condition. It overwrites itself, and
// is erased with the object. Writes nothing to a stream that is no terminal. One thread.
class CheckProgressLine {
 public:
  explicit CheckProgressLine(std::FILE* stream);
  CheckProgressLine(const CheckProgressLine&) = delete;
  CheckProgressLine& operator=(const CheckProgressLine&) = delete;
  ~CheckProgressLine() { clear(); }

  void show(const tpcc::CheckProgress& progress);
  void clear();

  // Returns at most 79 characters, so that no terminal breaks the line.
  static std::string text(const tpcc::CheckProgress& progress);

 private:
  void write(const std::string& text);

  std::FILE* stream_;
  bool is_terminal_;
  std::size_t width_ = 0;  // of the line that is shown
};

// Raised when a field changes its meaning or is removed, but not for a new field.
inline constexpr int check_schema_version = 1;

// Facts that tpcc::CheckReport does not contain.
struct CheckCircumstances {
  std::string database;  // a description without password
  std::string kind;      // of the database: "PostgreSQL"
  std::string schema;    // empty: by the search path
  double seconds = 0;
  std::string finished;  // in UTC, ISO 8601
};

nlohmann::json check_document(const tpcc::CheckReport& report,
                              const CheckCircumstances& circumstances);

// Returns one line per condition, with the first offenders of each violated condition.
std::string check_text(const tpcc::CheckReport& report, const CheckCircumstances& circumstances);

}  // namespace drover::cli
