#include "workload/ycsb/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "file/bounded_file.h"
#include "random/rng.h"
#include "text/plain_text.h"
#include "text/utf8.h"

namespace drover::ycsb {
namespace {

using random::Rng;

constexpr std::uint64_t each_byte = 0x0101010101010101ULL;

// In ASCII, the digits of base 64 form three runs: ./0-9, A-Z and a-z. The character of a digit is
// the sum of '.', the digit, and the gaps between the runs up to that of the digit.
constexpr std::uint64_t first_letter = 12;
constexpr std::uint64_t first_small_letter = 38;
constexpr std::uint64_t letter_gap = 'A' - '9' - 1;
constexpr std::uint64_t small_letter_gap = 'a' - 'Z' - 1;

// Converts eight digits at a time, one per byte. No sum carries into the next byte.
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

// Maps characters to digits, and other bytes to 64.
constexpr std::array<std::uint8_t, 256> digit_table() {
  std::array<std::uint8_t, 256> table{};
  table.fill(64);
  for (std::uint8_t digit = 0; digit < 64; ++digit) {
    table[static_cast<unsigned char>(character_of(digit))] = digit;
  }
  return table;
}

constexpr std::array<std::uint8_t, 256> digit_of = digit_table();

// Returns eight characters in memory order, independent of the machine's byte order.
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

// Returns the index of the first character that differs, or the size of `text` (at most 8) if none
// does.
std::size_t first_difference_in(std::string_view text, std::uint64_t characters) {
  std::array<char, 8> expected;
  std::memcpy(expected.data(), &characters, 8);
  const auto difference = std::mismatch(text.begin(), text.end(), expected.begin()).first;
  return static_cast<std::size_t>(difference - text.begin());
}

// Returns the index of the first character that differs from the tail, or nothing.
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

// Takes the stamp's check bits, with which the random stream of a place and a stamp begins. The
// tail follows in the stream.
std::uint64_t take_check(Rng& rng) {
  return rng.next() >> 56;
}

// A stamp with its check consists of two halves of 36 bits, which are 6 digits each.
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

namespace {

constexpr std::uint64_t length_stream = 0x6c656e677468;
constexpr double length_skew = 0.99;
constexpr std::uint64_t bucket_count_max = std::uint64_t{1} << 40;

[[noreturn]] void refuse_histogram(std::size_t line, std::string_view what) {
  throw PropertyError(fmt::format("line {}: {}", line, what));
}

struct HistogramLine {
  std::string_view first;
  std::string_view second;
};

HistogramLine words_of(std::string_view line) {
  const std::size_t end = line.find_first_of(" \t");
  if (end == std::string_view::npos) return {.first = line, .second = {}};
  return {.first = line.substr(0, end), .second = text::trimmed(line.substr(end))};
}

std::uint64_t block_size_of(HistogramLine words, std::size_t line) {
  const auto size = text::number_of<std::uint64_t>(words.second);
  if (words.first == "BlockSize" && size && *size >= 1 && *size <= field_length_max) return *size;
  refuse_histogram(
      line, fmt::format("expected BlockSize, a blank and a number from 1 to {}", field_length_max));
}

LengthCount bucket_of(HistogramLine words, std::uint64_t block_size, std::size_t line) {
  const auto bucket = text::number_of<std::uint64_t>(words.first);
  const auto count = text::number_of<std::uint64_t>(words.second);
  if (!bucket || !count || *count > bucket_count_max) {
    refuse_histogram(line, "expected the number of a bucket, a blank and a count of at most 2^40");
  }
  if (*bucket >= field_length_max / block_size) {
    refuse_histogram(line, fmt::format("a field of this bucket would be longer than {} characters",
                                       field_length_max));
  }
  return {.length = (*bucket + 1) * block_size, .count = *count};
}

std::vector<LengthCount> read_length_histogram(const std::string& path) {
  const std::string origin =
      fmt::format("the histogram of lengths \"{}\" (fieldlengthhistogram)", text::shown(path, 300));
  try {
    return parse_length_histogram(file::read_bounded_file(path, property_file_bytes_max));
  } catch (const file::UnreadableFile& error) {
    throw PropertyError(fmt::format("{}: {}", origin, error.what()));
  } catch (const PropertyError& error) {
    throw PropertyError(fmt::format("{}, {}", origin, error.what()));
  }
}

}  // namespace

std::vector<LengthCount> parse_length_histogram(std::string_view text) {
  std::vector<LengthCount> histogram;
  std::optional<std::uint64_t> block_size;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const HistogramLine words = words_of(text::trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.first.empty()) continue;
    if (!block_size) {
      block_size = block_size_of(words, number);
      continue;
    }
    const LengthCount bucket = bucket_of(words, *block_size, number);
    if (bucket.count > 0) histogram.push_back(bucket);
  }
  if (histogram.empty()) refuse_histogram(number, "expected a bucket with a count above 0");
  return histogram;
}

FieldLengths::FieldLengths(const Properties& properties)
    : distribution_(properties.field_length_distribution),
      min_(static_cast<std::size_t>(properties.field_length_min)),
      max_(static_cast<std::size_t>(properties.field_length)) {
  switch (distribution_) {
    case FieldLengthDistribution::constant:
      min_ = max_;
      break;
    case FieldLengthDistribution::uniform:
      break;
    case FieldLengthDistribution::zipfian:
      zipfian_.emplace(max_ - min_ + 1, length_skew);
      break;
    case FieldLengthDistribution::histogram:
      take_histogram(read_length_histogram(properties.field_length_histogram));
      break;
  }
}

FieldLengths::FieldLengths(const std::vector<LengthCount>& histogram)
    : distribution_(FieldLengthDistribution::histogram) {
  take_histogram(histogram);
}

void FieldLengths::take_histogram(const std::vector<LengthCount>& histogram) {
  std::uint64_t sum = 0;
  for (const auto& [length, count] : histogram) {
    if (count == 0) continue;
    sum += count;
    lengths_.push_back(length);
    counts_up_to_.push_back(sum);
  }
  if (sum == 0) throw PropertyError("the histogram of lengths has no count above 0");
  const auto [shortest, longest] = std::ranges::minmax(lengths_);
  min_ = shortest;
  max_ = longest;
}

std::size_t FieldLengths::length(FieldPlace place, std::uint64_t stamp) const {
  if (min_ == max_) return max_;
  random::Rng rng = random::Rng(place.key).child(place.field).child(stamp).child(length_stream);
  switch (distribution_) {
    case FieldLengthDistribution::constant:
      return max_;
    case FieldLengthDistribution::uniform:
      return rng.uniform64(min_, max_);
    case FieldLengthDistribution::zipfian:
      return min_ + zipfian_->draw(rng);
    case FieldLengthDistribution::histogram:
      break;
  }
  const std::uint64_t count = rng.below(counts_up_to_.back());
  const auto bucket = std::ranges::upper_bound(counts_up_to_, count);
  return lengths_[static_cast<std::size_t>(bucket - counts_up_to_.begin())];
}

std::optional<ValueMismatch> FieldLengths::verify(std::string_view text, FieldPlace place) const {
  std::optional<ValueMismatch> mismatch = verify_value(text, place);
  if (mismatch) return mismatch;
  std::string expected;
  if (const std::optional<ValueHead> head = value_head(text, place)) {
    const std::size_t written = length(place, head->stamp);
    if (text.size() == written) return std::nullopt;
    expected = fmt::format("the {} that the writer {:016x} wrote", written, head->stamp);
  } else {
    if (text.size() >= min_ && text.size() <= max_) return std::nullopt;
    expected = min_ == max_ ? fmt::to_string(max_) : fmt::format("{} to {}", min_, max_);
  }
  return ValueMismatch{
      .part = ValuePart::length,
      .message = fmt::format("field {} of the row {} has {} instead of {}", place.field, place.key,
                             text::counted(text.size(), "character"), expected)};
}

}  // namespace drover::ycsb
