// For tests of the audit: an honest result, and what the audit says of one.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/audit/audit.h"
#include "report/audit/simulated_result_test.h"

namespace drover::report {

inline Verdict line_named(const std::vector<Verdict>& lines, const std::string& name) {
  for (const Verdict& line : lines) {
    if (line.name == name) return line;
  }
  ADD_FAILURE() << "no line " << name;
  return {};
}

inline Verdict line_of(const Result& result, const std::string& name) {
  return line_named(audit(result), name);
}

inline std::string all_text(const std::vector<Verdict>& lines) {
  std::string text;
  for (const Verdict& line : lines) {
    text += line.name + " " + std::string(judgement_name(line.judgement)) + ": " + line.text + "\n";
  }
  return text;
}

inline std::string sentence_of(const Result& result) {
  return summarise(audit(result)).sentence;
}

// An honest run of 100 warehouses for two minutes, made once.
inline const Result& honest() {
  static const Result result = [] {
    SimulatedRun run;
    run.warehouses = 100;
    run.interval_s = 120;
    return simulate_result(run);
  }();
  return result;
}

}  // namespace drover::report
