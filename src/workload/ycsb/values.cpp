#include "workload/ycsb/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "random/rng.h"
#include "text/plain_text.h"
#include "text/utf8.h"

namespace drover::ycsb {
namespace {

using random::Rng;

constexpr std::uint64_t each_byte = 0x0101010101010101ULL;

// The digits of base 64 are in ASCII three runs: ./0-9, A-Z and a-z. So a digit becomes a character by adding '.', and
// the gaps before the runs that it is not below.
constexpr std::uint64_t first_letter = 12;
constexpr std::uint64_t first_small_letter = 38;
constexpr std::uint64_t letter_gap = 'A' - '9' - 1;
constexpr std::uint64_t small_letter_gap = 'a' - 'Z' - 1;

// Eight digits at a time, each in a byte of its own: no sum carries into the next byte.
constexpr std::uint64_t characters_of(std::uint64_t random_word) {
  const std::uint64_t digits = random_word & (each_byte * 0x3f);
  const std::uint64_t letters = ((digits + each_byte * (0x80 - first_letter)) >> 7) & each_byte;
  const std::uint64_t small_letters =
      ((digits + each_byte * (0x80 - first_small_letter)) >> 7) & each_byte;
  return digits + each_byte * '.' + letters * letter_gap + small_letters * small_letter_gap;
}

constexpr char character_of(std::uint64_t digit) {
  return static_cast<char>(characters_of(digit) & 0xff);
}

// 64 of what is no digit.
constexpr std::array<std::uint8_t, 256> digit_table() {
  std::array<std::uint8_t, 256> table{};
  table.fill(64);
  for (std::uint8_t digit = 0; digit < 64; ++digit) {
    table[static_cast<unsigned char>(character_of(digit))] = digit;
  }
  return table;
}

constexpr std::array<std::uint8_t, 256> digit_of = digit_table();

// Eight characters as they lie in memory, whichever end the machine puts first.
std::uint64_t next_characters(Rng& rng) {
  const std::uint64_t characters = characters_of(rng.next());
  return std::endian::native == std::endian::little ? characters : __builtin_bswap64(characters);
}

Rng stream_of(FieldPlace place) {
  return Rng(place.key).child(place.field);
}

Rng stream_of(FieldPlace place, std::uint64_t stamp) {
  return stream_of(place).child(stamp);
}

void write_tail(Rng rng, std::span<char> out) {
  char* at = out.data();
  std::size_t left = out.size();
  for (; left >= 8; left -= 8, at += 8) {
    const std::uint64_t characters = next_characters(rng);
    std::memcpy(at, &characters, 8);
  }
  if (left == 0) return;
  const std::uint64_t characters = next_characters(rng);
  std::memcpy(at, &characters, left);
}

// The first of up to eight characters that differs; `size` if none does.
std::size_t first_difference_in(std::string_view text, std::uint64_t characters) {
  std::array<char, 8> expected;
  std::memcpy(expected.data(), &characters, 8);
  const auto difference = std::mismatch(text.begin(), text.end(), expected.begin()).first;
  return static_cast<std::size_t>(difference - text.begin());
}

// The first character that differs from the tail; nothing if none does.
std::optional<std::size_t> first_difference(Rng rng, std::string_view text) {
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    const std::uint64_t expected = next_characters(rng);
    std::uint64_t found = 0;
    std::memcpy(&found, text.data() + at, 8);
    if (found != expected) return at + first_difference_in(text.substr(at, 8), expected);
  }
  if (at == text.size()) return std::nullopt;
  at += first_difference_in(text.substr(at), next_characters(rng));
  return at == text.size() ? std::nullopt : std::optional(at);
}

void write_version(char* out, std::uint64_t version) {
  for (std::size_t i = version_size; i > 0; --i) {
    out[i - 1] = static_cast<char>('0' + version % 10);
    version /= 10;
  }
}

// The first bits of a stream of a place and a stamp are the stamp's check; its tail follows.
std::uint64_t take_check(Rng& rng) {
  return rng.next() >> 56;
}

// 6 digits of 36 bits each.
constexpr int half_bits = 36;
constexpr std::size_t half_digits = 6;

void write_half(char* out, std::uint64_t half) {
  for (std::size_t i = half_digits; i > 0; --i) {
    out[i - 1] = character_of(half & 0x3f);
    half >>= 6;
  }
}

void write_stamp(char* out, std::uint64_t check, std::uint64_t stamp) {
  write_half(out, check << (64 - half_bits) | stamp >> half_bits);
  write_half(out + half_digits, stamp);
}

struct CheckedStamp {
  std::uint64_t check;
  std::uint64_t stamp;
};

std::optional<CheckedStamp> read_stamp(std::string_view text) {
  std::uint64_t check = 0;
  std::uint64_t stamp = 0;
  for (const char c : text) {
    const std::uint64_t digit = digit_of[static_cast<unsigned char>(c)];
    if (digit == 64) return std::nullopt;
    check = (check << 6 | stamp >> 58) & 0xff;
    stamp = stamp << 6 | digit;
  }
  return CheckedStamp{.check = check, .stamp = stamp};
}

std::optional<std::uint64_t> read_stamp_of(std::string_view text, FieldPlace place) {
  const std::optional<CheckedStamp> read = read_stamp(text);
  if (!read) return std::nullopt;
  Rng rng = stream_of(place, read->stamp);
  if (take_check(rng) != read->check) return std::nullopt;
  return read->stamp;
}

std::optional<std::uint64_t> read_version(std::string_view text) {
  std::uint64_t version = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    version = version * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return version;
}

std::string place_text(FieldPlace place) {
  return fmt::format("field {} of the row {}", place.field, place.key);
}

std::string tail_message(std::string_view text, std::size_t at, Rng rng, std::size_t tail_begin) {
  constexpr std::size_t context = 12;
  const std::size_t size = std::min(context, text.size() - at);
  std::string expected(text.size() - tail_begin, '\0');
  write_tail(rng, expected);
  return fmt::format("from character {} of {} on, the value is \"{}\" instead of \"{}\"", at + 1,
                     text.size(), text::shown(text.substr(at, size)),
                     expected.substr(at - tail_begin, size));
}

std::optional<ValueMismatch> verify_tail(std::string_view text, FieldPlace place, Rng rng,
                                         std::size_t tail_begin, const std::string& whose) {
  const std::optional<std::size_t> at = first_difference(rng, text.substr(tail_begin));
  if (!at) return std::nullopt;
  return ValueMismatch{
      .part = ValuePart::tail,
      .message = fmt::format("{}{}: {}", place_text(place), whose,
                             tail_message(text, tail_begin + *at, rng, tail_begin))};
}

}  // namespace

void write_value(std::span<char> out, FieldPlace place, ValueHead head) {
  if (out.size() < value_head_size) {
    write_tail(stream_of(place), out);
    return;
  }
  Rng rng = stream_of(place, head.stamp);
  write_version(out.data(), head.version);
  write_stamp(out.data() + version_size, take_check(rng), head.stamp);
  write_tail(rng, out.subspan(value_head_size));
}

std::optional<ValueHead> value_head(std::string_view text, FieldPlace place) {
  if (text.size() < value_head_size) return std::nullopt;
  const std::optional<std::uint64_t> version = read_version(text.substr(0, version_size));
  const std::optional<std::uint64_t> stamp =
      read_stamp_of(text.substr(version_size, stamp_size), place);
  if (!version || !stamp) return std::nullopt;
  return ValueHead{.version = *version, .stamp = *stamp};
}

std::optional<ValueMismatch> verify_value(std::string_view text, FieldPlace place) {
  if (text.size() < value_head_size) return verify_tail(text, place, stream_of(place), 0, "");
  const std::string_view version = text.substr(0, version_size);
  if (!read_version(version)) {
    return ValueMismatch{.part = ValuePart::version,
                         .message = fmt::format("{}: expected a version of 10 digits, found \"{}\"",
                                                place_text(place), text::shown(version))};
  }
  const std::string_view stamp_text = text.substr(version_size, stamp_size);
  const std::optional<std::uint64_t> stamp = read_stamp_of(stamp_text, place);
  if (!stamp) {
    return ValueMismatch{
        .part = ValuePart::stamp,
        .message = fmt::format(
            "{}: \"{}\" is not a stamp of this field. The value may belong to another field",
            place_text(place), text::shown(stamp_text))};
  }
  Rng rng = stream_of(place, *stamp);
  take_check(rng);
  return verify_tail(text, place, rng, value_head_size,
                     fmt::format(", written by the writer {:016x}", *stamp));
}

}  // namespace drover::ycsb
