// Sequential: one number after the other, and from the beginning again. Several with the steps of one another cover
// all numbers together: of `count` such, the one `index` draws index, index + count, and so on.
// Thread safety: belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace drover::random {

class Sequential {
 public:
  // Throws std::invalid_argument unless index < count.
  explicit Sequential(std::uint32_t index = 0, std::uint32_t count = 1)
      : next_(index), step_(count) {
    if (index >= count) throw std::invalid_argument("a sequence of an index beyond the count");
  }

  // In [0, items). Requires: items is in [1, 2^62].
  std::uint64_t draw(std::uint64_t items) {
    const std::uint64_t number = next_ % items;
    next_ = number + step_;
    return number;
  }

 private:
  std::uint64_t next_;
  std::uint32_t step_;
};

}  // namespace drover::random
