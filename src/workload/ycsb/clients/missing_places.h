// MissingPlaces: the empty places of a sequence, and the position of its n-th full place. Uses
// memory per gap, independent of the gap's length. One owner at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace drover::ycsb {

class MissingPlaces {
 public:
  // Adds the empty places [begin, end). Requires: they are above all places that were added before.
  void add(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t full = begin - count();
    if (gaps_.empty() || gaps_.back().full_before != full) gaps_.push_back({full, count()});
    gaps_.back().empty += end - begin;
  }

  // Returns the number of empty places.
  std::uint64_t count() const noexcept { return gaps_.empty() ? 0 : gaps_.back().empty; }

  // Returns the position of the full place number `index`.
  std::uint64_t place_of(std::uint64_t index) const {
    const auto behind = std::ranges::upper_bound(gaps_, index, {}, &Gap::full_before);
    return behind == gaps_.begin() ? index : index + std::prev(behind)->empty;
  }

 private:
  struct Gap {
    std::uint64_t full_before = 0;  // full places before the gap
    std::uint64_t empty = 0;        // empty places up to the end of the gap
  };

  std::vector<Gap> gaps_;
};

}  // namespace drover::ycsb
