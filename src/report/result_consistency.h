// Whether the figures of a result go together: what one field alone cannot show.
//
// Pure functions; any thread.
#pragma once

#include <optional>
#include <string>

#include "report/result.h"

namespace drover::report {

// What contradicts what: the field, its value and what was expected; nothing if all is well. Counts
// that do not add up are none if the result's own audit says so: it is about them then, and
// somebody has to read it.
std::optional<std::string> contradiction_in(const Result& result);

}  // namespace drover::report
