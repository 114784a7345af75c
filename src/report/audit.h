// The audit: what a result says about itself, a verdict a line.
//
// Some lines are rules of the specification (their clause is named): where one is broken, the
// figures are true, and not compliant. Others ask whether the figures can be trusted at all: where
// one says invalid, the client was the bottleneck, or the counts contradict the data. Statistical
// lines judge by chance: a rule is broken when an honest run would miss it less than once in ten
// thousand. docs/audit.md has each line's bound and its reason.
//
// Pure functions of the result: no clock, no I/O; for any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/result.h"

namespace drover::report {

// Every line, in the same order each time, those that are not judged included. Result::audit is
// not read.
std::vector<Verdict> audit(const Result& result);

struct AuditSummary {
  bool valid = true;      // no line is invalid
  bool compliant = true;  // none is broken either; says nothing of those that were not judged
  std::string sentence;
};

// The sentence is one of
//   valid: all 21 rules judged hold (5 not judged)
//   valid, but not compliant: 2 of 21 rules do not hold: keying, think
//   INVALID: client overloaded: <figure and knob>
//   INVALID: too few connections: <figure and knob>
//   INVALID: <figure>
//   not judged: nothing was measured
AuditSummary summarise(const std::vector<Verdict>& verdicts);

// "held", "broken", "invalid", "not_judged": the words of the result document.
std::string_view judgement_name(Judgement judgement);

}  // namespace drover::report
