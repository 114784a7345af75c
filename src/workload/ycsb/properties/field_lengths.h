// How long each field is: a function of its place and of the stamp of who wrote it, so that a reader can tell whether
// a field was cut.
// Thread safety: immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "random/zipfian.h"
#include "workload/ycsb/properties/properties.h"
#include "workload/ycsb/values.h"

namespace drover::ycsb {

struct LengthCount {
  std::uint64_t length = 0;
  std::uint64_t count = 0;
};

// The text of a histogram of lengths: the line "BlockSize" and the size of a block, then, a line each, the number of a
// bucket, from 0, and a count, with blanks between. A field of the bucket i has (i + 1) blocks. In the order of the
// text, without buckets that have no count. Throws PropertyError, whose message begins with the line.
std::vector<LengthCount> parse_length_histogram(std::string_view text);

class FieldLengths {
 public:
  // Reads the histogram, if there is to be one. Throws PropertyError.
  explicit FieldLengths(const Properties& properties);
  // Throws PropertyError where there is no count.
  explicit FieldLengths(const std::vector<LengthCount>& histogram);

  [[nodiscard]] std::size_t length(FieldPlace place, std::uint64_t stamp) const;
  [[nodiscard]] std::size_t length_min() const noexcept { return min_; }
  [[nodiscard]] std::size_t length_max() const noexcept { return max_; }

  // verify_value(), and whether the field is as long as its writer made it. Who wrote a short one is not known: it must
  // be as long as some field can be.
  [[nodiscard]] std::optional<ValueMismatch> verify(std::string_view text, FieldPlace place) const;

 private:
  void take_histogram(const std::vector<LengthCount>& histogram);

  FieldLengthDistribution distribution_;
  std::size_t min_ = 0;
  std::size_t max_ = 0;
  std::optional<random::Zipfian> zipfian_;
  // Of the histogram: lengths, and how many counts there are up to and with each.
  std::vector<std::size_t> lengths_;
  std::vector<std::uint64_t> counts_up_to_;
};

}  // namespace drover::ycsb
