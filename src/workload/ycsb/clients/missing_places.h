// MissingPlaces: a row of places of which some are empty, and where the others are. One owner at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <utility>
#include <vector>

namespace drover::ycsb {

class MissingPlaces {
 public:
  MissingPlaces() = default;
  // Requires: they ascend.
  explicit MissingPlaces(std::vector<std::uint64_t> places) : places_(std::move(places)) {}

  // Requires: it is above all others.
  void add(std::uint64_t place) { places_.push_back(place); }
  std::size_t count() const noexcept { return places_.size(); }

  // The place of the one at `index` of those that are not empty. The k-th empty one has as many of them before it as
  // its place says, less k.
  std::uint64_t place_of(std::uint64_t index) const {
    const auto all = std::views::iota(std::size_t{0}, places_.size());
    return index + *std::ranges::partition_point(
                       all, [&](std::size_t k) { return places_[k] - k <= index; });
  }

 private:
  std::vector<std::uint64_t> places_;
};

}  // namespace drover::ycsb
