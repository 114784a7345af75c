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

#include <vector>

#include "report/document/result.h"

namespace drover::report {

// Every line, in the same order each time, those that are not judged included. Result::audit is
// not read.
std::vector<Verdict> audit(const Result& result);

}  // namespace drover::report
