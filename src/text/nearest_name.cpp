#include "text/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>

namespace drover::text {
namespace {

// Longest text that is compared, because the work grows with the square of the length.
constexpr std::size_t name_bytes_max = 100;

}  // namespace

std::size_t edit_distance(std::string_view one, std::string_view other) {
  const std::size_t width = other.size() + 1;
  std::vector<std::size_t> distance((one.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return distance[i * width + j];
  };
  for (std::size_t i = 0; i <= one.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= other.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t replaced = at(i - 1, j - 1) + (one[i - 1] == other[j - 1] ? 0 : 1);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replaced});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return at(one.size(), other.size());
}

std::optional<std::string> nearest_name(std::string_view written,
                                        const std::vector<std::string>& names) {
  if (written.size() > name_bytes_max) return std::nullopt;
  std::optional<std::string> nearest;
  std::size_t least = std::max<std::size_t>(1, written.size() / 3) + 1;
  for (const std::string& name : names) {
    if (name.size() > name_bytes_max) continue;
    // The distance is at least the difference of the lengths.
    if (std::max(name.size(), written.size()) - std::min(name.size(), written.size()) >= least) {
      continue;
    }
    const std::size_t distance = edit_distance(written, name);
    // Not a name of which all letters differ.
    if (distance < least && distance < name.size()) {
      least = distance;
      nearest = name;
    }
  }
  if (nearest) return nearest;
  const auto begins = [&](const std::string& name) { return name.starts_with(written); };
  if (written.empty() || std::ranges::count_if(names, begins) != 1) return std::nullopt;
  return *std::ranges::find_if(names, begins);
}

std::string did_you_mean(std::string_view written, const std::vector<std::string>& names) {
  const auto nearest = nearest_name(written, names);
  return nearest ? fmt::format("; did you mean {}?", *nearest) : std::string();
}

}  // namespace drover::text
