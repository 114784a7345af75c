// Texts of figures for people. Pure functions, for any thread.
#pragma once

#include <cstdint>
#include <string>

#include "coro/clock.h"

namespace drover::ui {

using coro::seconds_of;

// 0:07, 12:34, 1:02:03; whole seconds, rounded down. Below zero: 0:00.
std::string clock_text(coro::Duration duration);

// 12,345
std::string count_text(std::uint64_t count);
std::string count_text(double count);  // rounded; below zero: 0

// 3.46, 37.7, 1,204
std::string milliseconds_text(double milliseconds);

// Like milliseconds_text(), but "-" for 0, the percentile of an empty histogram.
std::string latency_text(double milliseconds);

// 0.8, 12.3, 1,204
std::string rate_text(double per_second);

// 11.9 MiB, 1.20 GiB
std::string bytes_text(double bytes);

}  // namespace drover::ui
