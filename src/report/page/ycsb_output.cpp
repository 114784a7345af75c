#include "report/page/report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace drover::report {
namespace {

std::string_view ordinal_ending(double percent) {
  const auto whole = static_cast<std::int64_t>(percent);
  if (static_cast<double>(whole) != percent) return "";  // "99.9PercentileLatency", as YCSB has it
  if (whole / 10 % 10 == 1) return "th";
  switch (whole % 10) {
    case 1:
      return "st";
    case 2:
      return "nd";
    case 3:
      return "rd";
    default:
      return "th";
  }
}

std::uint64_t microseconds(std::uint64_t ns) {
  return ns / 1'000;
}

void append_latencies(std::string& out, std::string_view name,
                      const measure::HistogramSnapshot& latency,
                      const std::vector<double>& percentiles) {
  const std::uint64_t count = latency.count();
  out += fmt::format("[{}], Operations, {}\n", name, count);
  if (count == 0) return;
  out += fmt::format("[{}], AverageLatency(us), {}\n", name,
                     static_cast<double>(latency.sum_ns()) / 1e3 / static_cast<double>(count));
  out += fmt::format("[{}], MinLatency(us), {}\n", name, microseconds(latency.min_ns()));
  out += fmt::format("[{}], MaxLatency(us), {}\n", name, microseconds(latency.max_ns()));
  for (const double percent : percentiles) {
    out += fmt::format("[{}], {}{}PercentileLatency(us), {}\n", name, percent,
                       ordinal_ending(percent), microseconds(latency.percentile_ns(percent)));
  }
}

void append_operation(std::string& out, const TransactionResult& one, YcsbInterval interval,
                      const std::vector<double>& percentiles) {
  const bool has_both = !one.service.empty();
  const bool from_begin = has_both && interval != YcsbInterval::intended;
  append_latencies(out, one.name, from_begin ? one.service : one.latency, percentiles);
  out += fmt::format("[{}], Return=OK, {}\n", one.name, one.ok_count);
  if (one.failed_count > 0) {
    out += fmt::format("[{}], Return=ERROR, {}\n", one.name, one.failed_count);
    out += fmt::format("[{}-FAILED], Operations, {}\n", one.name, one.failed_count);
  }
  if (interval == YcsbInterval::both)
    append_latencies(out, "Intended-" + one.name, one.latency, percentiles);
}

}  // namespace

std::string ycsb_lines(const Result& result, YcsbInterval interval,
                       const std::vector<double>& percentiles) {
  const double seconds = result.summary.time_seconds;
  std::string out = fmt::format("[OVERALL], RunTime(ms), {:.0f}\n", seconds * 1e3);
  out += fmt::format("[OVERALL], Throughput(ops/sec), {}\n",
                     seconds > 0 ? static_cast<double>(result.all_count()) / seconds : 0.0);
  for (const TransactionResult& one : result.transactions)
    append_operation(out, one, interval, percentiles);
  if (result.verification) {
    const Verification& verified = *result.verification;
    out += fmt::format("[VERIFY], Operations, {}\n", verified.values);
    out += fmt::format("[VERIFY], Return=OK, {}\n", verified.values - verified.wrong);
    if (verified.wrong > 0)
      out += fmt::format("[VERIFY], Return=UNEXPECTED_STATE, {}\n", verified.wrong);
  }
  return out;
}

namespace {

constexpr std::uint32_t cookie = 0x1c849313;
constexpr std::uint32_t cookie_compressed = 0x1c849314;
constexpr int digits = 3;
// The least power of two in which values of `digits` digits are told apart below 2 * 10^digits.
constexpr unsigned sub_bucket_bits = 11;
constexpr std::uint64_t half = std::uint64_t{1} << (sub_bucket_bits - 1);

std::size_t counts_index(std::uint64_t value) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << sub_bucket_bits) - 1;
  const auto bucket = static_cast<unsigned>(std::bit_width(value | mask)) - sub_bucket_bits;
  const std::uint64_t sub_bucket = value >> bucket;
  return (bucket + 1) * half + sub_bucket - half;
}

// Returns the counts of HdrHistogram's buckets of microseconds.
std::vector<std::uint64_t> counts_of(const measure::HistogramSnapshot& latency) {
  const measure::SparseHistogram sparse = latency.to_sparse();
  std::vector<std::uint64_t> counts(counts_index(sparse.max_ns / 1'000) + 1);
  for (const auto& [index, count] : sparse.buckets) {
    const std::uint64_t ns =
        std::clamp(measure::bucket_middle_ns(index), sparse.min_ns, sparse.max_ns);
    counts[counts_index(ns / 1'000)] += count;
  }
  counts.back() += sparse.overflow;
  return counts;
}

void append_big_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

// ZigZag LEB128 of at most nine bytes, the last of which has eight bits.
void append_zigzag(std::string& out, std::int64_t number) {
  auto value = static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63);
  for (int i = 0; i < 8; ++i) {
    if (value < 0x80) {
      out += static_cast<char>(value);
      return;
    }
    out += static_cast<char>((value & 0x7f) | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

// Returns the counts, with a negative number for each stretch of empty buckets.
std::string payload_of(const std::vector<std::uint64_t>& counts) {
  std::string payload;
  for (std::size_t i = 0; i < counts.size();) {
    std::size_t end = i;
    while (end < counts.size() && counts[end] == 0) ++end;
    if (end > i) {
      append_zigzag(payload, -static_cast<std::int64_t>(end - i));
      i = end;
    } else {
      append_zigzag(payload, static_cast<std::int64_t>(counts[i++]));
    }
  }
  return payload;
}

std::string deflated(std::string_view text) {
  uLongf size = compressBound(text.size());
  std::string out(size, '\0');
  const int code = compress(reinterpret_cast<Bytef*>(out.data()), &size,
                            reinterpret_cast<const Bytef*>(text.data()), text.size());
  if (code != Z_OK) throw std::runtime_error("a histogram cannot be compressed: out of memory");
  out.resize(size);
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k > bytes.size() ? '=' : alphabet[group >> (18 - 6 * k) & 0x3f];
  }
  return out;
}

}  // namespace

std::string hdr_encoded(const measure::HistogramSnapshot& latency) {
  const std::string payload = payload_of(counts_of(latency));
  const std::uint64_t highest = std::max<std::uint64_t>(latency.max_ns() / 1'000, 2);
  std::string plain;
  append_big_endian(plain, cookie, 4);
  append_big_endian(plain, payload.size(), 4);
  append_big_endian(plain, 0, 4);  // offset of the indexes
  append_big_endian(plain, digits, 4);
  append_big_endian(plain, 1, 8);  // the lowest value that differs from 0
  append_big_endian(plain, highest, 8);
  append_big_endian(plain, std::bit_cast<std::uint64_t>(1.0), 8);  // values are not scaled
  const std::string compressed = deflated(plain + payload);
  std::string bytes;
  append_big_endian(bytes, cookie_compressed, 4);
  append_big_endian(bytes, compressed.size(), 4);
  return base64(bytes + compressed);
}

std::string hdr_log(const measure::HistogramSnapshot& latency, std::int64_t start, double seconds) {
  constexpr double longest_in_seconds = 1e-9;
  return fmt::format(
      "#[Histogram log format version 1.3]\n"
      "#[StartTime: {}.000 (seconds since epoch), {:%a %b %d %H:%M:%S} UTC {:%Y}]\n"
      "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
      "0.000,{:.3f},{:.3f},{}\n",
      start, fmt::gmtime(start), fmt::gmtime(start), seconds,
      static_cast<double>(latency.max_ns()) * longest_in_seconds, hdr_encoded(latency));
}

}  // namespace drover::report
