// What a person reads at the end of a run: plain text, no line wider than asked for.
//
// Figures come of the Result alone. Text from outside (settings, errors, lines of the audit) is
// wrapped or cut to fit the width, and control characters in it become spaces.
#pragma once

#include <cstddef>
#include <string>

#include "report/document/result.h"

namespace drover::report {

inline constexpr std::size_t summary_columns = 100;
inline constexpr std::size_t summary_columns_least = 60;

// Ends with a newline. Requires: a width of at least summary_columns_least.
std::string summary_text(const Result& result, std::size_t width = summary_columns);

}  // namespace drover::report
