#include "workload/ycsb/properties/field_lengths.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "file/bounded_file.h"
#include "random/rng.h"
#include "text/plain_text.h"
#include "text/utf8.h"

namespace drover::ycsb {
namespace {

constexpr std::uint64_t length_stream = 0x6c656e677468;
constexpr double length_skew = 0.99;
constexpr std::uint64_t bucket_count_max = std::uint64_t{1} << 40;

[[noreturn]] void refuse_histogram(std::size_t line, std::string_view what) {
  throw PropertyError(fmt::format("line {}: {}", line, what));
}

// The two words of a line.
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
  const auto [shortest, longest] = std::minmax_element(lengths_.begin(), lengths_.end());
  min_ = *shortest;
  max_ = *longest;
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
  const auto bucket = std::upper_bound(counts_up_to_.begin(), counts_up_to_.end(), count);
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
