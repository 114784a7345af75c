#include "lab/counted_work.h"

namespace drover::lab {

std::uint64_t compute(std::uint64_t steps, std::uint64_t value) noexcept {
  for (; steps > 0; --steps) {
    value ^= value << 13;
    value ^= value >> 7;
    value ^= value << 17;
  }
  return value;
}

}  // namespace drover::lab
