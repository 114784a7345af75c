#include "report/document/described_reader.h"

#include <cmath>

#include "report/document/result.h"
#include "report/document/result_fields.h"
#include "text/utf8.h"

namespace drover::report {
namespace {

// The tolerance for fields that repeat others, which another version may have rounded.
constexpr double repeat_rounding_share = 0.001;

std::pair<std::size_t, std::uint64_t> read_bucket(JsonReader& json) {
  std::pair<std::size_t, std::uint64_t> bucket;
  std::size_t length = 0;
  json.array([&](std::size_t index) {
    if (index == 0) bucket.first = json.whole_number(measure::bucket_count - 1);
    if (index == 1) bucket.second = json.whole_number(settings::count_max);
    if (index >= 2) json.refuse("an index and a count", "more");
    ++length;
  });
  if (length != 2) json.refuse("an index and a count", "less");
  return bucket;
}

// Refuses a sum, minimum or maximum that does not fit the buckets.
void require_fitting_figures(const JsonReader& json, const measure::SparseHistogram& sparse) {
  if (sparse.buckets.empty() && sparse.overflow == 0) return;
  const bool has_buckets = !sparse.buckets.empty();
  const std::uint64_t min_least =
      has_buckets ? measure::bucket_first_ns(sparse.buckets.front().first) : measure::range_end_ns;
  const std::uint64_t min_most =
      has_buckets ? measure::bucket_last_ns(sparse.buckets.front().first) : settings::unlimited;
  const bool overflows = sparse.overflow > 0;
  const std::uint64_t max_least =
      overflows ? measure::range_end_ns : measure::bucket_first_ns(sparse.buckets.back().first);
  const std::uint64_t max_most =
      overflows ? settings::unlimited : measure::bucket_last_ns(sparse.buckets.back().first);
  const auto require = [&json](std::string_view name, std::uint64_t found, std::uint64_t least,
                               std::uint64_t most) {
    if (found >= least && found <= most) return;
    json.refuse(
        fmt::format("{} from {} to {}, to fit the buckets of the histogram", name, least, most),
        fmt::format("{}", found));
  };
  require("a min", sparse.min_ns, min_least, min_most);
  require("a max", sparse.max_ns, max_least, max_most);
  if (sparse.sum_ns == settings::unlimited) return;  // the sum stops at this value
  double least = static_cast<double>(sparse.overflow) * static_cast<double>(measure::range_end_ns);
  double most = static_cast<double>(sparse.overflow) * static_cast<double>(sparse.max_ns);
  for (const auto& [index, samples] : sparse.buckets) {
    const auto number = static_cast<double>(samples);
    least += number * static_cast<double>(measure::bucket_first_ns(index));
    most += number * static_cast<double>(measure::bucket_last_ns(index));
  }
  constexpr double rounding = 1e-9;
  const auto sum = static_cast<double>(sparse.sum_ns);
  if (sum >= least * (1 - rounding) && sum <= most * (1 + rounding)) return;
  json.refuse(fmt::format("a sum from {:.10g} to {:.10g}, to fit the buckets of the histogram",
                          least, most),
              fmt::format("{}", sparse.sum_ns));
}

// A histogram in a document.
struct WrittenHistogram {
  std::string unit;
  std::uint64_t division = 0;
  std::uint64_t count = 0;
  measure::SparseHistogram sparse;
};

void require_unit(const JsonReader& json, const WrittenHistogram& written) {
  if (written.unit != "ns") {
    json.refuse("the unit ns", fmt::format("\"{}\"", text::shown(written.unit)));
  }
  if (written.division == measure::sub_buckets_per_octave) return;
  json.refuse(fmt::format("{} sub_buckets_per_octave", measure::sub_buckets_per_octave),
              fmt::format("{}", written.division));
}

void require_count(const JsonReader& json, const WrittenHistogram& written) {
  // No sum of these overflows: each is at most count_max, which is checked after each.
  std::uint64_t in_buckets = written.sparse.overflow;
  for (const auto& [index, samples] : written.sparse.buckets) {
    in_buckets += samples;
    if (in_buckets > settings::count_max) break;
  }
  if (in_buckets == written.count) return;
  json.refuse(fmt::format("{} samples in the buckets, as in count", written.count),
              in_buckets > settings::count_max ? "too many" : fmt::format("{}", in_buckets));
}

measure::HistogramSnapshot checked_histogram(const JsonReader& json,
                                             const WrittenHistogram& written) {
  require_unit(json, written);
  require_count(json, written);
  const measure::SparseHistogram& sparse = written.sparse;
  const auto histogram = measure::HistogramSnapshot::from_sparse(sparse);
  const bool sums_nothing = sparse.sum_ns == 0 && sparse.min_ns == 0 && sparse.max_ns == 0;
  if (!histogram || (histogram->empty() && !sums_nothing)) {
    json.refuse("a histogram: buckets in rising order, none empty, min not above max",
                "one that cannot be");
  }
  require_fitting_figures(json, sparse);
  return *histogram;
}

}  // namespace

bool DescribedReader::is_next(std::string_view name, Need need) {
  const std::size_t index = index_++;
  if (pass_ == Pass::require && need == Need::required && requires_ && !seen_[index]) {
    json_.refuse(fmt::format("a field {}", name), "none");
  }
  if (pass_ != Pass::read || key_known_ || name != key_) return false;
  key_known_ = true;
  if (seen_[index]) json_.refuse("one such field", "a second one");
  seen_.set(index);
  return true;
}

// Refuses a name that cannot be shown in a table or a message.
void DescribedReader::require_plain_name(std::string_view name) const {
  if (!name.empty() && name.size() <= json_name_bytes_max &&
      text::shown(name, json_name_bytes_max) == name) {
    return;
  }
  json_.refuse(fmt::format("a printable name of 1 to {} bytes", json_name_bytes_max),
               fmt::format("\"{}\"", text::shown(name)));
}

void DescribedReader::require_name_of_map(std::string_view key, std::size_t names) const {
  if (key.size() > json_name_bytes_max) {
    json_.refuse(fmt::format("a name of at most {} bytes", json_name_bytes_max),
                 fmt::format("one of {}", key.size()));
  }
  if (names == json_names_max)
    json_.refuse(fmt::format("at most {} names", json_names_max), "more");
}

void DescribedReader::require_repeated(std::string_view name, double found, double expected) const {
  if (std::abs(found - expected) <= repeat_rounding_share * expected) return;
  json_.refuse(
      fmt::format("{} to be {:.10g}, which follows from the other figures", name, expected),
      fmt::format("{:.10g}", found));
}

std::pair<std::string, std::size_t> DescribedReader::read_word(const settings::Text& kind) {
  std::string found = json_.text(kind.bytes_max);
  std::vector<std::string_view> words;
  settings::for_each_word(kind.words, [&](std::string_view word) { words.push_back(word); });
  const auto index = static_cast<std::size_t>(std::ranges::find(words, found) - words.begin());
  if (index < words.size()) return {std::move(found), index};
  const std::string_view last = words.back();
  words.pop_back();
  json_.refuse(fmt::format("{} or {}", fmt::join(words, ", "), last),
               fmt::format("\"{}\"", text::shown(found)));
}

// Requires the same names in all points, so that a few bytes cannot demand much memory.
void DescribedReader::counts_by_transaction(const char* name, std::vector<std::uint64_t>& counts,
                                            std::string_view /*says*/) {
  if (!is_next(name, Need::required)) return;
  std::vector<std::string>& names = names_->names;
  counts.assign(names.size(), 0);
  std::bitset<transactions_max> seen;
  json_.object([&](std::string_view key) {
    const auto found = std::ranges::find(names, key);
    const auto index = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) {
      if (names_->complete) {
        json_.refuse("the same transactions as in the first point", "another one");
      }
      if (index == transactions_max) json_.refuse("fewer transactions", "more");
      names.emplace_back(key);
      counts.push_back(0);
    }
    if (seen[index]) json_.refuse("one such field", "a second one");
    seen.set(index);
    read_value(counts[index], settings::count);
  });
  if (seen.count() != names.size()) {
    json_.refuse("the same transactions as in the first point", "fewer");
  }
  names_->complete = true;
}

void DescribedReader::percentiles(const measure::HistogramSnapshot& histogram,
                                  std::string_view /*says*/) {
  if (is_next("percentiles", Need::written)) {
    const auto describe_percentiles = [this](DescribedReader& inner) {
      for (const auto& [name, percent] : percentiles_written) {
        if (!inner.is_next(name, Need::written) || json_.null()) continue;
        percentiles_.emplace_back(name, json_.number(0, settings::milliseconds.most));
      }
    };
    DescribedReader(json_).read(describe_percentiles, [] {});
  } else if (pass_ == Pass::compare) {
    for (const auto& [name, percent] : percentiles_written) {
      const double expected = static_cast<double>(histogram.percentile_ns(percent)) * 1e-6;
      for (const auto& [read, found] : percentiles_) {
        if (read != name) continue;
        require_repeated(fmt::format("percentiles.{}", name), found, expected);
      }
    }
  }
}

void DescribedReader::buckets(const char* name, measure::HistogramSnapshot& histogram,
                              std::string_view says) {
  if (is_next(name, Need::required)) histogram = read_buckets(says);
}

void DescribedReader::buckets_if_any(const char* name, measure::SparseHistogram& histogram,
                                     std::string_view says) {
  if (is_next(name, Need::added)) histogram = read_buckets(says).to_sparse();
}

measure::HistogramSnapshot DescribedReader::read_buckets(std::string_view says) {
  WrittenHistogram written;
  measure::SparseHistogram& sparse = written.sparse;
  const auto describe_written = [&](DescribedReader& inner) {
    inner.field("unit", written.unit, settings::name, says);
    inner.field("sub_buckets_per_octave", written.division, settings::any_whole, says);
    inner.field("count", written.count, settings::count, says);
    inner.field("sum", sparse.sum_ns, settings::any_whole, says);
    inner.field("min", sparse.min_ns, settings::any_whole, says);
    inner.field("max", sparse.max_ns, settings::any_whole, says);
    inner.field("overflow", sparse.overflow, settings::count, says);
    if (!inner.is_next("buckets", Need::required)) return;
    json_.array([&](std::size_t index) {
      if (index == measure::bucket_count)
        json_.refuse(fmt::format("at most {} buckets", measure::bucket_count), "more");
      sparse.buckets.push_back(read_bucket(json_));
    });
  };
  DescribedReader(json_).read(describe_written, [] {});
  return checked_histogram(json_, written);
}

measure::HistogramSnapshot DescribedReader::read_figures() {
  measure::HistogramSnapshot histogram;
  if (json_.null()) return histogram;
  DescribedReader(json_).read(
      [&](DescribedReader& inner) { describe_figures(inner, {}, histogram); }, [] {});
  return histogram;
}

}  // namespace drover::report
