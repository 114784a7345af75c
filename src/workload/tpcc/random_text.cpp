#include "workload/tpcc/random_text.h"

#include <cstring>

namespace drover::tpcc {

namespace {

constexpr std::string_view alphanumerics =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
constexpr std::string_view digits = "0123456789";

template <size_t count>
using Pairs = std::array<std::array<char, 2>, count * count>;

template <size_t count>
constexpr Pairs<count> make_pairs(std::string_view alphabet) {
  Pairs<count> pairs{};
  for (size_t first = 0; first < count; ++first) {
    for (size_t second = 0; second < count; ++second) {
      pairs[first * count + second] = {alphabet[first], alphabet[second]};
    }
  }
  return pairs;
}

constexpr Pairs<62> alphanumeric_pairs = make_pairs<62>(alphanumerics);
constexpr Pairs<10> digit_pairs = make_pairs<10>(digits);

// A random number is a binary fraction in [0, 1). Multiplied by the number of pairs, its whole part
// is an index and its fraction the next random number.
template <size_t count>
void fill_with_pairs(Rng& shared_rng, const std::array<std::array<char, 2>, count>& pairs,
                     char* out, size_t size) {
  Rng rng = shared_rng;  // a copy, which no write through `out` can be thought to change
  for (size_t written = 0; written < size; written += 8) {
    uint64_t fraction = rng.next();
    for (size_t pair = 0; pair < 4; ++pair) {
      const Uint128 product = static_cast<Uint128>(fraction) * count;
      std::memcpy(out + written + 2 * pair, pairs[static_cast<size_t>(product >> 64)].data(), 2);
      fraction = static_cast<uint64_t>(product);
    }
  }
  shared_rng = rng;
}

}  // namespace

void random_alphanumeric(Rng& rng, char* out, size_t size) {
  fill_with_pairs(rng, alphanumeric_pairs, out, size);
}

void random_digits(Rng& rng, char* out, size_t size) {
  fill_with_pairs(rng, digit_pairs, out, size);
}

}  // namespace drover::tpcc
