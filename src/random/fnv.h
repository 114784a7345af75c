// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo) of a number's eight octets, the least significant first. A seed changes what
// it begins with; 0 is the function as published.
#pragma once

#include <cstdint>

namespace drover::random {

constexpr std::uint64_t fnv1a_64(std::uint64_t number, std::uint64_t seed = 0) {
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ seed;
  for (int octet = 0; octet < 8; ++octet) {
    hash = (hash ^ (number & 0xff)) * 1'099'511'628'211ULL;
    number >>= 8;
  }
  return hash;
}

// Java's Math.abs of 64 bits: -2^63 stays what it is, for its absolute value has no place there.
constexpr std::int64_t without_sign(std::uint64_t bits) {
  return static_cast<std::int64_t>(bits >> 63 != 0 ? 0 - bits : bits);
}

constexpr std::int64_t fnv1a_64_absolute(std::uint64_t number) {
  return without_sign(fnv1a_64(number));
}

}  // namespace drover::random
