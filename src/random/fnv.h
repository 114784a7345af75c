// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo) of a number's eight octets, the least significant first.
#pragma once

#include <cstdint>

namespace drover::random {

constexpr std::uint64_t fnv1a_64(std::uint64_t number) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (int octet = 0; octet < 8; ++octet) {
    hash = (hash ^ (number & 0xff)) * 1'099'511'628'211ULL;
    number >>= 8;
  }
  return hash;
}

// The same as a signed number without its sign, as Java's Math.abs has it: -2^63 stays what it is, for its absolute
// value has no place in 64 bits.
constexpr std::int64_t fnv1a_64_absolute(std::uint64_t number) {
  const std::uint64_t hash = fnv1a_64(number);
  return static_cast<std::int64_t>(hash >> 63 != 0 ? 0 - hash : hash);
}

}  // namespace drover::random
