// A histogram that was written down: taken only if it can be one, and then it can be asked, added
// and taken away. The input is numbers: overflow, sum, min, max, then pairs of bucket and count.
#include "measure/histogram.h"

#include <charconv>

#include "fuzz.h"

using namespace drover;
using measure::HistogramSnapshot;
using measure::SparseHistogram;

namespace {

// Numbers with anything between them.
std::vector<std::uint64_t> numbers_in(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at != end) {
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error == std::errc()) numbers.push_back(number);
    at = rest == at ? at + 1 : rest;
  }
  return numbers;
}

SparseHistogram sparse_of(const std::vector<std::uint64_t>& numbers) {
  SparseHistogram sparse;
  if (numbers.size() < 4) return sparse;
  sparse.overflow = numbers[0];
  sparse.sum_ns = numbers[1];
  sparse.min_ns = numbers[2];
  sparse.max_ns = numbers[3];
  for (std::size_t i = 4; i + 1 < numbers.size(); i += 2) {
    sparse.buckets.emplace_back(numbers[i], numbers[i + 1]);
  }
  return sparse;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const SparseHistogram sparse = sparse_of(numbers_in(fuzz::text_of(data, size)));
  const auto histogram = HistogramSnapshot::from_sparse(sparse);
  if (!histogram) return 0;
  std::uint64_t before = 0;
  for (const double percent : {-1.0, 0.0, 0.1, 25.0, 50.0, 90.0, 95.0, 99.0, 99.9, 100.0, 200.0}) {
    const std::uint64_t value = histogram->percentile_ns(percent);
    fuzz::require(value >= before, "percentiles rise");
    if (!histogram->empty()) {
      fuzz::require(value >= sparse.min_ns && value <= sparse.max_ns,
                    "they are within the extremes");
    }
    before = value;
  }
  (void)histogram->mean_ns();
  if (!histogram->empty()) {
    const SparseHistogram again = histogram->to_sparse();
    fuzz::require(again.buckets == sparse.buckets && again.overflow == sparse.overflow &&
                      again.sum_ns == sparse.sum_ns && again.min_ns == sparse.min_ns &&
                      again.max_ns == sparse.max_ns,
                  "it is written as it was read");
  }
  HistogramSnapshot sum = *histogram;
  sum.merge(*histogram);
  sum.subtract(*histogram);
  return 0;
}
