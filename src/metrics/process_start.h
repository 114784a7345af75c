// When this process was started, as the kernel knows it.
#pragma once

#include <optional>
#include <string_view>

namespace drover::metrics {

// Unix time in seconds; now, if the kernel does not say. Any thread.
double process_start_unix_s();

// The field "starttime" of the text of /proc/self/stat: clock ticks since the machine was booted.
std::optional<double> start_ticks_of(std::string_view stat);

}  // namespace drover::metrics
