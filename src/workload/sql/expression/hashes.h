// hash_fnv1a, hash_murmur2 and permute of scripts: the same numbers as those of PostgreSQL 15 and later, so that a
// script that spreads its keys by them touches the same rows here. Pure functions.
#pragma once

#include <cstdint>

namespace drover::sql {

// FNV-1a of the eight bytes, the lowest first; the seed is mixed into the basis.
std::int64_t hash_fnv1a(std::int64_t value, std::int64_t seed) noexcept;

// MurmurHash2 (64A) of the eight bytes.
std::int64_t hash_murmur2(std::int64_t value, std::int64_t seed) noexcept;

// Where the value goes in a permutation of 0 … size - 1 that the seed selects: no two values of that range go to the
// same place. Values outside of it are taken modulo the size. Requires: size > 0.
std::int64_t permute(std::int64_t value, std::int64_t size, std::int64_t seed) noexcept;

}  // namespace drover::sql
