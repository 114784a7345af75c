// A time of day on the command line, at which something is to begin.
#pragma once

#include <string>
#include <string_view>

#include "load/surroundings.h"

namespace drover::cli {

// Unix seconds, whole or not, or ISO 8601 with a zone, "2026-11-25T20:00:00Z"; not before `now` and at most a week
// after it. Returns Unix seconds. Throws UsageError, also for "+30s", which is another time on every host.
double parse_start_time(std::string_view name, const std::string& text,
                        double now = load::unix_time_now());

}  // namespace drover::cli
