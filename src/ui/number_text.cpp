#include "ui/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "text/plain_text.h"

namespace drover::ui {

std::string clock_text(coro::Duration duration) {
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  const auto total = std::max<std::int64_t>(whole, 0);
  if (total >= 3600) {
    return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
  }
  return fmt::format("{}:{:02}", total / 60, total % 60);
}

std::string count_text(std::uint64_t count) {
  return text::grouped(count);
}

std::string count_text(double count) {
  constexpr double most = 1e18;
  if (!(count > 0)) return "0";
  return count_text(static_cast<std::uint64_t>(std::llround(std::min(count, most))));
}

std::string milliseconds_text(double milliseconds) {
  if (milliseconds < 9.995) return fmt::format("{:.2f}", milliseconds);
  if (milliseconds < 999.95) return fmt::format("{:.1f}", milliseconds);
  return count_text(milliseconds);
}

std::string latency_text(double milliseconds) {
  return milliseconds > 0 ? milliseconds_text(milliseconds) : "-";
}

std::string rate_text(double per_second) {
  if (per_second < 999.95) return fmt::format("{:.1f}", per_second);
  return count_text(per_second);
}

std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < std::size(units)) {
    bytes /= 1024;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f} B", bytes);
  return fmt::format("{:.{}f} {}", bytes, bytes < 9.995 ? 2 : 1, units[unit]);
}

}  // namespace drover::ui
