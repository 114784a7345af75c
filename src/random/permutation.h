// Permutation: a bijection of [0, size) that looks random: it scatters what was drawn from a skewed distribution over
// all of the keys, so that the hot ones are no neighbours. It has no seed: the same size gives the same permutation on
// every host and in every run.
//
// Numbers of b bits, where 2^b is the smallest power of two that is not below the size, are mixed by steps that can each
// be undone: to add, to multiply by an odd number, to xor a number with its own upper bits. A result that is not below
// the size is mixed again until it is (J. Black, P. Rogaway: Ciphers with Arbitrary Finite Domains, 2002: "cycle
// walking"); that is less than twice on the average. This hides nothing from an adversary.
//
// Another size gives another permutation: between two powers of two a few images change with each number that is
// added, and at a power of two all of them. For a set that grows, keep the permutation of its first size and leave
// what is added where it is.
//
// Thread safety: immutable.
#pragma once

#include <bit>
#include <cstdint>
#include <stdexcept>

namespace drover::random {

class Permutation {
 public:
  // Throws std::invalid_argument of size 0.
  explicit constexpr Permutation(std::uint64_t size)
      : size_(size != 0 ? size : throw std::invalid_argument("a permutation of nothing")),
        mask_(size == 1 ? 0 : ~std::uint64_t{0} >> std::countl_zero(size - 1)),
        shift_(static_cast<int>(std::bit_width(mask_) + 1) / 2) {}

  [[nodiscard]] constexpr std::uint64_t size() const noexcept { return size_; }

  // Requires index < size().
  [[nodiscard]] constexpr std::uint64_t operator()(std::uint64_t index) const noexcept {
    do {
      index = mixed(index);
    } while (index >= size_);
    return index;
  }

 private:
  [[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t x) const noexcept {
    x = ((x + 0x9e3779b97f4a7c15ULL) * 0xd1342543de82ef95ULL) & mask_;
    x ^= x >> shift_;
    x = (x * 0xbf58476d1ce4e5b9ULL) & mask_;
    x ^= x >> shift_;
    x = (x * 0x94d049bb133111ebULL) & mask_;
    return x ^ (x >> shift_);
  }

  std::uint64_t size_;
  std::uint64_t mask_;
  int shift_;
};

}  // namespace drover::random
