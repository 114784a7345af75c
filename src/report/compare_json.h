// A comparison as a JSON document: docs/compare.md describes every field.
//
// Pure functions. Numbers that are not finite (an interval without an end) are null.
#pragma once

#include <nlohmann/json.hpp>

#include "report/compare.h"

namespace drover::report {

// Raised when a field changes its meaning or goes away.
inline constexpr int compare_schema_version = 1;

nlohmann::json compare_json(const Comparison& comparison);

}  // namespace drover::report
