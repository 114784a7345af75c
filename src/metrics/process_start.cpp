#include "metrics/process_start.h"

#include <time.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>

namespace drover::metrics {

// The second field is the name of the program, and may have anything in it, ")" and blanks too.
std::optional<double> start_ticks_of(std::string_view stat) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  stat.remove_prefix(name_end + 1);
  constexpr int fields_before = 19;  // of the third to the 22nd
  for (int i = 0; i <= fields_before; ++i) {
    const std::size_t blank = stat.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    stat.remove_prefix(blank + 1);
  }
  double ticks = 0;
  const auto [rest, error] = std::from_chars(stat.data(), stat.data() + stat.size(), ticks);
  if (error != std::errc()) return std::nullopt;
  return ticks;
}

double process_start_unix_s() {
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  std::ifstream file("/proc/self/stat");
  const std::string stat(std::istreambuf_iterator<char>(file), {});
  const auto ticks = start_ticks_of(stat);
  timespec since_boot{};
  if (!ticks || clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0) return now;
  const double uptime =
      static_cast<double>(since_boot.tv_sec) + static_cast<double>(since_boot.tv_nsec) * 1e-9;
  return now - uptime + *ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace drover::metrics
