// The bytes are variable-length numbers: overflow, sum, minimum, maximum, then the counts of the
// buckets from index 0 to the last bucket that has samples. A count of 0 is followed by the number
// of empty buckets after it, so that a run of empty buckets takes two numbers.
#include "measure/histogram_bytes.h"

#include <cstddef>

namespace drover::measure {
namespace {

// Seven bits a byte, the lowest first; the highest bit of a byte says that there is another one.
void put(std::vector<std::uint8_t>& bytes, std::uint64_t value) {
  while (value >= 0x80) {
    bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  bytes.push_back(static_cast<std::uint8_t>(value));
}

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool at_end() const { return at_ == bytes_.size(); }
  // Returns the next number. After bytes that are none it returns 0 and the reader has failed.
  std::uint64_t take() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !at_end(); shift += 7) {
      const std::uint8_t byte = bytes_[at_++];
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    failed_ = true;
    return 0;
  }
  bool failed() const { return failed_; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace

std::vector<std::uint8_t> histogram_bytes(const SparseHistogram& histogram) {
  std::vector<std::uint8_t> bytes;
  put(bytes, histogram.overflow);
  put(bytes, histogram.sum_ns);
  put(bytes, histogram.min_ns);
  put(bytes, histogram.max_ns);
  std::size_t next = 0;
  for (const auto& [index, count] : histogram.buckets) {
    if (index > next) {
      put(bytes, 0);
      put(bytes, index - next - 1);
    }
    put(bytes, count);
    next = index + 1;
  }
  return bytes;
}

std::optional<SparseHistogram> histogram_of(std::span<const std::uint8_t> bytes) {
  ByteReader reader(bytes);
  SparseHistogram histogram;
  histogram.overflow = reader.take();
  histogram.sum_ns = reader.take();
  histogram.min_ns = reader.take();
  histogram.max_ns = reader.take();
  std::size_t next = 0;
  while (!reader.at_end() && !reader.failed()) {
    if (next >= bucket_count) return std::nullopt;
    if (const std::uint64_t count = reader.take()) {
      histogram.buckets.emplace_back(next++, count);
    } else if (const std::uint64_t more = reader.take(); more < bucket_count - next) {
      next += more + 1;
    } else {
      return std::nullopt;
    }
  }
  if (reader.failed()) return std::nullopt;
  return histogram;
}

}  // namespace drover::measure
