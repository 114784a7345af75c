// Suggestions for misspelt names. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drover::text {

// Returns the number of letters that must be inserted, removed, replaced, or swapped with their
// neighbour: the distance of Damerau and Levenshtein without a second edit of a substring.
std::size_t edit_distance(std::string_view one, std::string_view other);

// Returns the nearest name (the first of equally near names) if at most a third of the letters
// differ, or the single name that begins with `written`.
std::optional<std::string> nearest_name(std::string_view written,
                                        const std::vector<std::string>& names);

// Returns "; did you mean --warehouses?", or an empty text.
std::string did_you_mean(std::string_view written, const std::vector<std::string>& names);

}  // namespace drover::text
