#include "workload/tpcc/random.h"

#include <array>
#include <cassert>
#include <cstdlib>
#include <cstring>

namespace drover::tpcc {

namespace {

struct LastName {
  std::array<char, last_name_size_max> letters{};
  uint8_t size = 0;
};

constexpr std::array<std::string_view, 10> syllables = {"BAR", "OUGHT", "ABLE",  "PRI",   "PRES",
                                                        "ESE", "ANTI",  "CALLY", "ATION", "EING"};

constexpr std::array<LastName, 1000> make_last_names() {
  std::array<LastName, 1000> names{};
  for (size_t number = 0; number < names.size(); ++number) {
    LastName& name = names[number];
    for (const size_t digit : {number / 100, number / 10 % 10, number % 10}) {
      for (const char letter : syllables[digit]) name.letters[name.size++] = letter;
    }
  }
  return names;
}

constexpr std::array<LastName, 1000> last_names = make_last_names();

}  // namespace

NurandConstants load_constants(uint64_t seed) {
  Rng rng = Rng::stream(seed, RandomPurpose::LoadConstants);
  NurandConstants constants;
  constants.c_last = rng.uniform(0, nurand_a_c_last);
  constants.c_id = rng.uniform(0, nurand_a_c_id);
  constants.ol_i_id = rng.uniform(0, nurand_a_ol_i_id);
  return constants;
}

NurandConstants run_constants(uint64_t seed, const NurandConstants& load) {
  assert(load.c_last >= 0 && load.c_last <= nurand_a_c_last);
  Rng rng = Rng::stream(seed, RandomPurpose::RunConstants);
  NurandConstants constants;
  // At least 15% of the candidates are valid for any C-Load, so the loop ends soon.
  do {
    constants.c_last = rng.uniform(0, nurand_a_c_last);
  } while (!c_last_delta_valid(load.c_last, constants.c_last));
  constants.c_id = rng.uniform(0, nurand_a_c_id);
  constants.ol_i_id = rng.uniform(0, nurand_a_ol_i_id);
  return constants;
}

bool c_last_delta_valid(int32_t c_load, int32_t c_run) {
  const int32_t delta = std::abs(c_run - c_load);
  return delta >= 65 && delta <= 119 && delta != 96 && delta != 112;
}

std::string_view last_name(int32_t number) {
  assert(number >= 0 && number < 1000);
  const LastName& name = last_names[static_cast<size_t>(number)];
  return {name.letters.data(), name.size};
}

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
