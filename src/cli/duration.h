// Durations on the command line: a number and a unit, "90s", "1.5m", "250ms"; "0" needs no unit.
#pragma once

#include <string>
#include <string_view>

#include "coro/clock.h"

namespace drover::cli {

// Throws UsageError, saying what was expected of the option `name`.
coro::Duration parse_duration(std::string_view name, const std::string& text);

// "3m", "90s", "1.5s", "250ms": the shortest form without loss down to the millisecond.
std::string format_duration(coro::Duration duration);

}  // namespace drover::cli
