// The audit: a verdict on a result for each rule.
//
// Rules with a clause are those of the specification: if one is broken, the figures are true but
// not compliant. The other rules decide whether the figures can be trusted: if one is invalid, the
// client was the bottleneck, or the counts contradict the data. Statistical rules allow for chance:
// an honest run breaks one less than once in ten thousand runs. docs/audit.md has each rule's bound
// and its reason.
//
// Pure functions of the result: no clock, no I/O; for any thread.
#pragma once

#include <vector>

#include "report/document/result.h"

namespace drover::report {

// Returns a verdict for every rule, in a fixed order. Does not read Result::audit.
std::vector<Verdict> audit(const Result& result);

}  // namespace drover::report
