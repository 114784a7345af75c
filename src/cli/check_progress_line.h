// The line on a terminal that says how far a check is: percent, time left, the condition that
// begins. It overwrites itself and is gone with the object. Where the stream is no terminal,
// nothing is ever written: a log has no use for it.
//
// Belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

#include "workload/tpcc/check/check_report.h"

namespace drover::cli {

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

}  // namespace drover::cli
