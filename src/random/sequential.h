// Sequential: yields the numbers below a limit in order, and begins again at 0 after the last one.
// All threads that draw from one object share its position. Several objects, such as one per host,
// divide the numbers: of each `total` consecutive numbers an object yields the `own` numbers that
// follow the first `before`. Thread safety: any thread may draw at any time.
#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>

namespace drover::random {

class Sequential {
 public:
  Sequential() = default;
  // Throws std::invalid_argument unless own > 0 and before + own <= total.
  Sequential(std::uint32_t before, std::uint32_t own, std::uint32_t total)
      : before_(before), own_(own), total_(total) {
    if (own == 0 || before > total || own > total - before) {
      throw std::invalid_argument("a sequence whose stripe is empty or outside of the whole");
    }
  }

  // Returns a number in [0, items). Requires: items > 0.
  std::uint64_t draw(std::uint64_t items) noexcept {
    const std::uint64_t drawn = drawn_.fetch_add(1, std::memory_order_relaxed);
    return (drawn / own_ * total_ + before_ + drawn % own_) % items;
  }

 private:
  std::uint64_t before_ = 0;
  std::uint64_t own_ = 1;
  std::uint64_t total_ = 1;
  std::atomic<std::uint64_t> drawn_ = 0;
};

}  // namespace drover::random
