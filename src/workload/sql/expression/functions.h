// The random_*, hash_* and permute() functions of pgbench's scripts. Pure functions, except that
// random numbers come from the given drover::random::Rng, so they differ from pgbench's.
#pragma once

#include <cstdint>

#include "random/rng.h"

namespace drover::sql {

// The *_integer() functions draw an integer from low … high, both included.
// Require: low <= high, and high - low + 1 is below 2^63.

std::int64_t uniform_integer(random::Rng& rng, std::int64_t low, std::int64_t high);

// Draws from a truncated distribution with the density exp(-parameter * (x - low) / (high - low +
// 1)). Requires: parameter > 0.
std::int64_t exponential_integer(random::Rng& rng, std::int64_t low, std::int64_t high,
                                 double parameter);

// Draws from a normal distribution that is cut at `parameter` standard deviations on both sides.
// Requires: parameter >= 2, finite.
std::int64_t gaussian_integer(random::Rng& rng, std::int64_t low, std::int64_t high,
                              double parameter);

// Draws low + k - 1 with a probability proportional to k^-parameter.
// Requires: 1.001 <= parameter <= 1000.
std::int64_t zipfian_integer(random::Rng& rng, std::int64_t low, std::int64_t high,
                             double parameter);

// Hashes and permutations equal those of PostgreSQL 15 and later, so that a script that spreads its
// keys with them touches the same rows as under pgbench.

// Returns the FNV-1a hash of the eight bytes, lowest first. The seed is mixed into the basis.
std::int64_t hash_fnv1a(std::int64_t value, std::int64_t seed) noexcept;

// Returns the MurmurHash2 (64A) of the eight bytes.
std::int64_t hash_murmur2(std::int64_t value, std::int64_t seed) noexcept;

// Returns the place of value modulo size in a permutation of 0 … size - 1 that the seed selects.
// Requires: size > 0.
std::int64_t permute(std::int64_t value, std::int64_t size, std::int64_t seed) noexcept;

}  // namespace drover::sql
