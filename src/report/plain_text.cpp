#include "report/plain_text.h"

#include <fmt/format.h>

#include <cmath>

namespace drover::report {

std::string plural(std::uint64_t count, std::string_view noun) {
  if (count == 1) return std::string(noun);
  const bool changes_y = noun.ends_with('y') && !noun.ends_with("ay") && !noun.ends_with("ey");
  if (changes_y) return fmt::format("{}ies", noun.substr(0, noun.size() - 1));
  return fmt::format("{}s", noun);
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}", count, plural(count, noun));
}

std::string figure_text(double value) {
  const double size = std::abs(value);
  if (size >= 999.5) return fmt::format("{:.0f}", value);
  // Below that fmt would write an exponent.
  if (size < 0.0001) return size < 0.00005 ? "0" : "0.0001";
  return fmt::format("{:.3g}", value);
}

}  // namespace drover::report
