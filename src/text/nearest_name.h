// Which name somebody meant who wrote another one. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drover::text {

// How many letters have to be inserted, left out, replaced, or swapped with their neighbour; the
// distance of Damerau and Levenshtein in which no piece is edited twice.
std::size_t edit_distance(std::string_view one, std::string_view other);

// The nearest of the names, if it is near enough to be meant: at most a third of the letters
// differ, or the written one is the beginning of a single name. The first of several that are as
// near.
std::optional<std::string> nearest_name(std::string_view written,
                                        const std::vector<std::string>& names);

// "; did you mean --warehouses?", or nothing.
std::string did_you_mean(std::string_view written, const std::vector<std::string>& names);

}  // namespace drover::text
