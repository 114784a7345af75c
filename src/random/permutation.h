// Functions that scatter numbers: a permutation and a hash. Both have no state that changes.
#pragma once

#include <bit>
#include <cstdint>
#include <stdexcept>

namespace drover::random {

// A bijection of [0, size) that looks random. It scatters numbers drawn from a skewed distribution
// over all keys, so that the hot keys are no neighbours. It has no seed: the same size gives the
// same permutation on every host and in every run. It hides nothing from an adversary.
//
// Numbers of b bits, where 2^b is the smallest power of two not below the size, are mixed by
// invertible steps: an addition, a multiplication by an odd number, an xor with the number's own
// upper bits. A result that is not below the size is mixed again (J. Black, P. Rogaway: Ciphers
// with Arbitrary Finite Domains, 2002: "cycle walking"), less than twice on average.
//
// Another size gives another permutation: between two powers of two a few images change with each
// added number, and at a power of two all. For a set that grows, keep the permutation of its first
// size and do not permute added numbers.
class Permutation {
 public:
  // Throws std::invalid_argument for size 0.
  explicit constexpr Permutation(std::uint64_t size)
      : size_(size != 0 ? size : throw std::invalid_argument("a permutation of nothing")),
        mask_(size == 1 ? 0 : ~std::uint64_t{0} >> std::countl_zero(size - 1)),
        shift_(static_cast<int>(std::bit_width(mask_) + 1) / 2) {}

  [[nodiscard]] constexpr std::uint64_t size() const noexcept { return size_; }

  // Requires: index < size().
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

// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo) of a number's eight octets, the least significant first.
// The seed changes the initial value; 0 gives the function as published.
constexpr std::uint64_t fnv1a_64(std::uint64_t number, std::uint64_t seed = 0) {
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ seed;
  for (int octet = 0; octet < 8; ++octet) {
    hash = (hash ^ (number & 0xff)) * 1'099'511'628'211ULL;
    number >>= 8;
  }
  return hash;
}

// Java's Math.abs of 64 bits: -2^63 stays -2^63.
constexpr std::int64_t without_sign(std::uint64_t bits) {
  return static_cast<std::int64_t>(bits >> 63 != 0 ? 0 - bits : bits);
}

constexpr std::int64_t fnv1a_64_absolute(std::uint64_t number) {
  return without_sign(fnv1a_64(number));
}

}  // namespace drover::random
