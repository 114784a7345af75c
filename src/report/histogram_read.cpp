#include "report/histogram_read.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "report/bounded_file.h"
#include "report/result_read.h"

namespace drover::report {

namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
// What follows from other figures is written without rounding; other versions may have rounded.
constexpr double rounding_share = 0.001;

constexpr std::array<std::pair<std::string_view, double>, 5> written_percentiles = {
    {{"50", 50}, {"90", 90}, {"95", 95}, {"99", 99}, {"99.9", 99.9}}};

double to_ms(std::uint64_t ns) {
  return static_cast<double>(ns) * 1e-6;
}

std::uint64_t read_count(JsonReader& json) {
  return json.whole_number(result_count_max);
}

std::pair<std::size_t, std::uint64_t> read_bucket(JsonReader& json) {
  std::pair<std::size_t, std::uint64_t> bucket;
  std::size_t length = 0;
  json.array([&](std::size_t index) {
    if (index == 0) bucket.first = json.whole_number(measure::bucket_count - 1);
    if (index == 1) bucket.second = read_count(json);
    if (index >= 2) json.refuse("an index and a count", "more");
    ++length;
  });
  if (length != 2) json.refuse("an index and a count", "less");
  return bucket;
}

// The sum and the extremes were counted apart from the buckets, and have to lie in them.
void require_fitting_figures(const JsonReader& json, const measure::SparseHistogram& sparse) {
  if (sparse.buckets.empty() && sparse.overflow == 0) return;
  const bool has_buckets = !sparse.buckets.empty();
  const std::uint64_t min_least =
      has_buckets ? measure::bucket_first_ns(sparse.buckets.front().first) : measure::range_end_ns;
  const std::uint64_t min_most =
      has_buckets ? measure::bucket_last_ns(sparse.buckets.front().first) : unlimited;
  const bool overflows = sparse.overflow > 0;
  const std::uint64_t max_least =
      overflows ? measure::range_end_ns : measure::bucket_first_ns(sparse.buckets.back().first);
  const std::uint64_t max_most =
      overflows ? unlimited : measure::bucket_last_ns(sparse.buckets.back().first);
  const auto require = [&json](std::string_view name, std::uint64_t found, std::uint64_t least,
                               std::uint64_t most) {
    if (found >= least && found <= most) return;
    json.refuse(fmt::format("{} from {} to {}, as the buckets say", name, least, most),
                fmt::format("{}", found));
  };
  require("a min", sparse.min_ns, min_least, min_most);
  require("a max", sparse.max_ns, max_least, max_most);
  if (sparse.sum_ns == unlimited) return;  // it stops there
  double least = static_cast<double>(sparse.overflow) * static_cast<double>(measure::range_end_ns);
  double most = static_cast<double>(sparse.overflow) * static_cast<double>(sparse.max_ns);
  for (const auto& [index, samples] : sparse.buckets) {
    const auto count = static_cast<double>(samples);
    least += count * static_cast<double>(measure::bucket_first_ns(index));
    most += count * static_cast<double>(measure::bucket_last_ns(index));
  }
  constexpr double rounding = 1e-9;
  const auto sum = static_cast<double>(sparse.sum_ns);
  if (sum >= least * (1 - rounding) && sum <= most * (1 + rounding)) return;
  json.refuse(fmt::format("a sum from {:.10g} to {:.10g}, as the buckets say", least, most),
              fmt::format("{}", sparse.sum_ns));
}

}  // namespace

void Repeated::require(std::string_view name, double expected) const {
  for (const auto& [read, found] : values_) {
    if (read != name || std::abs(found - expected) <= rounding_share * expected) continue;
    json_.refuse(fmt::format("{}{} to be {:.10g}, as it follows from the other figures", prefix_,
                             name, expected),
                 fmt::format("{:.10g}", found));
  }
}

void RepeatedFigures::read_percentiles() {
  read_object(json_, percentiles_.field("50", ms_max), percentiles_.field("90", ms_max),
              percentiles_.field("95", ms_max), percentiles_.field("99", ms_max),
              percentiles_.field("99.9", ms_max));
}

void RepeatedFigures::require(const measure::HistogramSnapshot& histogram) const {
  for (const auto& [name, percent] : written_percentiles) {
    percentiles_.require(name, to_ms(histogram.percentile_ns(percent)));
  }
  figures_.require("mean_ms", histogram.mean_ns() * 1e-6);
  figures_.require("min_ms", to_ms(histogram.min_ns()));
  figures_.require("max_ms", to_ms(histogram.max_ns()));
}

measure::HistogramSnapshot read_histogram(JsonReader& json) {
  measure::SparseHistogram sparse;
  std::string unit;
  std::uint64_t division = 0;
  std::uint64_t count = 0;
  const auto read_buckets = [&] {
    json.array([&](std::size_t index) {
      if (index == measure::bucket_count) json.refuse("as many buckets as there are", "more");
      sparse.buckets.push_back(read_bucket(json));
    });
  };
  read_object(json, Field{"unit", [&] { unit = json.text(json_name_bytes_max); }},
              Field{"sub_buckets_per_octave", [&] { division = json.whole_number(unlimited); }},
              Field{"count", [&] { count = read_count(json); }},
              Field{"sum", [&] { sparse.sum_ns = json.whole_number(unlimited); }},
              Field{"min", [&] { sparse.min_ns = json.whole_number(unlimited); }},
              Field{"max", [&] { sparse.max_ns = json.whole_number(unlimited); }},
              Field{"overflow", [&] { sparse.overflow = read_count(json); }},
              Field{"buckets", read_buckets});
  if (unit != "ns") json.refuse("the unit ns", fmt::format("\"{}\"", shown(unit)));
  if (division != measure::sub_buckets_per_octave) {
    json.refuse(fmt::format("{} sub_buckets_per_octave", measure::sub_buckets_per_octave),
                fmt::format("{}", division));
  }
  // No sum of these overflows: each is at most result_count_max, which is checked after each.
  std::uint64_t in_buckets = sparse.overflow;
  for (const auto& [index, samples] : sparse.buckets) {
    in_buckets += samples;
    if (in_buckets > result_count_max) break;
  }
  if (in_buckets != count) {
    json.refuse(fmt::format("as many samples in the buckets as the count says, {}", count),
                in_buckets > result_count_max ? "too many" : fmt::format("{}", in_buckets));
  }
  const auto histogram = measure::HistogramSnapshot::from_sparse(sparse);
  const bool sums_nothing = sparse.sum_ns == 0 && sparse.min_ns == 0 && sparse.max_ns == 0;
  if (!histogram || (histogram->empty() && !sums_nothing)) {
    json.refuse("a histogram: buckets in rising order, none empty, min not above max",
                "one that cannot be");
  }
  require_fitting_figures(json, sparse);
  return *histogram;
}

measure::HistogramSnapshot read_figures(JsonReader& json) {
  measure::HistogramSnapshot histogram;
  if (json.null()) return histogram;
  RepeatedFigures repeated(json);
  repeated.read_object_with(Field{"histogram", [&] { histogram = read_histogram(json); }});
  repeated.require(histogram);
  return histogram;
}

}  // namespace drover::report
