#include "report/document/result_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "file/bounded_file.h"
#include "report/document/described_json.h"
#include "report/document/described_reader.h"
#include "report/document/result_fields.h"
#include "text/utf8.h"

namespace drover::report {

using nlohmann::json;

void DescribedJson::figures(const char* name, const measure::HistogramSnapshot& histogram,
                            std::string_view /*says*/, Need) {
  DescribedJson inner;
  describe_figures(inner, {}, histogram);
  object_[name] = inner.take();
}

void DescribedJson::percentiles(const measure::HistogramSnapshot& histogram,
                                std::string_view /*says*/) {
  json& figures = object_["percentiles"];
  for (const auto& [name, percent] : percentiles_written) {
    figures[name] = static_cast<double>(histogram.percentile_ns(percent)) * 1e-6;
  }
}

static json json_of_buckets(const measure::SparseHistogram& sparse) {
  json buckets = json::array();
  std::uint64_t count = sparse.overflow;
  for (const auto& [index, samples] : sparse.buckets) {
    buckets.push_back({index, samples});
    count += samples;
  }
  return {{"unit", "ns"},
          {"sub_buckets_per_octave", measure::sub_buckets_per_octave},
          {"count", count},
          {"sum", sparse.sum_ns},
          {"min", sparse.min_ns},
          {"max", sparse.max_ns},
          {"overflow", sparse.overflow},
          {"buckets", std::move(buckets)}};
}

void DescribedJson::buckets(const char* name, const measure::HistogramSnapshot& histogram,
                            std::string_view /*says*/) {
  object_[name] = json_of_buckets(histogram.to_sparse());
}

void DescribedJson::buckets_if_any(const char* name, const measure::SparseHistogram& histogram,
                                   std::string_view /*says*/) {
  if (!histogram.buckets.empty() || histogram.overflow > 0)
    object_[name] = json_of_buckets(histogram);
}

namespace {

std::string compact(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void append_text(std::string& text, const json& value, const std::string& indent) {
  const bool has_lines =
      value.is_object() || (value.is_array() && !value.empty() && value.front().is_object());
  if (!has_lines || value.empty()) {
    text += compact(value);
    return;
  }
  const std::string inner = indent + "  ";
  text += value.is_object() ? "{" : "[";
  const char* separator = "\n";
  for (const auto& [key, element] : value.items()) {
    text += separator + inner;
    if (value.is_object()) {
      text += compact(key) + ": ";
      append_text(text, element, inner);
    } else {
      text += compact(element);
    }
    separator = ",\n";
  }
  text += "\n" + indent + (value.is_object() ? "}" : "]");
}

}  // namespace

std::string document_text(const json& document) {
  std::string text;
  append_text(text, document, "");
  return text + "\n";
}

json to_json(const Result& result) {
  std::vector<std::string> names;
  for (const TransactionResult& one : result.transactions) names.push_back(one.name);
  DescribedJson document(&names);
  describe(document, result);
  return document.take();
}

void write_result_file(const std::filesystem::path& path, const Result& result) {
  file::write_atomically(result_file(path), document_text(to_json(result)));
}

static void require_fitting(const JsonReader& json, const std::vector<TimePoint>& points) {
  const TimePoint& point = points.back();
  if (point.p50_ms > point.p90_ms || point.p90_ms > point.p99_ms) {
    json.refuse("p50_ms <= p90_ms <= p99_ms",
                fmt::format("{:g}, {:g}, {:g}", point.p50_ms, point.p90_ms, point.p99_ms));
  }
  if (points.size() < 2) return;
  const double before = points[points.size() - 2].t;
  if (point.t > before) return;
  json.refuse(fmt::format("a t above {:g}, the t of the previous point", before),
              fmt::format("{:g}", point.t));
}

template <class Span>
  requires requires(Span span) { span.end_s; }
static void require_fitting(const JsonReader& json, const Span& span) {
  if (!span.end_s || *span.end_s >= span.start_s) return;
  json.refuse(fmt::format("an end_s of at least {:g}, the start_s", span.start_s),
              fmt::format("{:g}", *span.end_s));
}

static void require_fitting(const JsonReader& json, const InputCounts& inputs) {
  const auto require_part = [&json](std::string_view name, std::uint64_t part,
                                    std::string_view whole_name, std::uint64_t whole) {
    if (part <= whole) return;
    json.refuse(fmt::format("{} of at most {}, the {}", name, whole, whole_name),
                fmt::format("{}", part));
  };
  require_part("new_orders_rolled_back", inputs.new_orders_rolled_back, "new_orders",
               inputs.new_orders);
  require_part("order_lines_remote", inputs.order_lines_remote, "order_lines", inputs.order_lines);
  require_part("payments_remote", inputs.payments_remote, "payments", inputs.payments);
  require_part("payments_by_name", inputs.payments_by_name, "payments", inputs.payments);
  require_part("order_statuses_by_name", inputs.order_statuses_by_name, "order_statuses",
               inputs.order_statuses);
}

static void require_fitting(const JsonReader& json, const std::vector<StatementResult>& list) {
  if (list.size() > statements_max)
    json.refuse(fmt::format("at most {} statements", statements_max), "more");
}

static void require_fitting(const JsonReader& json, const std::vector<HostResult>& list) {
  if (list.size() > hosts_max) json.refuse(fmt::format("at most {} hosts", hosts_max), "more");
}

static void require_fitting(const JsonReader& json, const std::vector<RankResult>& list) {
  if (list.size() > ranks_max) json.refuse(fmt::format("at most {} ranks", ranks_max), "more");
}

static void require_fitting(const JsonReader& json,
                            const std::vector<settings::WorkloadSetting>& list) {
  if (list.size() > json_names_max)
    json.refuse(fmt::format("at most {} of them", json_names_max), "more");
}

namespace {

// The longest time that the end of a run may take.
constexpr double end_of_run_s = 3'600;
constexpr double rounding_share = 0.001;

// Refuses counts that do not add up, unless the result's own audit reports them.
void require_fitting_counts(const Result& result) {
  const auto says_so = [](const Verdict& line) {
    return line.name == "counts" && line.judgement == Judgement::invalid;
  };
  if (std::ranges::any_of(result.audit, says_so)) return;
  const std::vector<std::string> errors = count_errors(result);
  if (!errors.empty()) throw JsonError("transactions: " + errors.front());
}

void require_fitting_summary(const Result& result) {
  Result computed;
  computed.plan = result.plan;
  computed.ranks = result.ranks;
  computed.transactions = result.transactions;
  if (result.ranks.size() == 1) computed.ranks = result.ranks;  // a part has some of the warehouses
  computed.summary.time_seconds = result.summary.time_seconds;
  complete_summary(computed);
  const auto require = [](std::string_view name, double found, double expected) {
    if (std::abs(found - expected) <= rounding_share * std::max(expected, 1.0)) return;
    throw JsonError(fmt::format(
        "summary.{}: expected {:.10g}, which follows from the other figures, found {:.10g}", name,
        expected, found));
  };
  const Summary& summary = result.summary;
  require("tpmc", summary.tpmc, computed.summary.tpmc);
  require("efficiency", summary.efficiency, computed.summary.efficiency);
  require("warehouses", static_cast<double>(summary.warehouses),
          static_cast<double>(computed.summary.warehouses));
}

// Refuses a result in which an interval lasts longer than the run.
void require_fitting_times(const Result& result) {
  const double most_s = result.plan.warmup_s +
                        std::max(result.plan.duration_s, result.summary.time_seconds) +
                        end_of_run_s;
  const auto require = [most_s]<class... Names>(double found_s, fmt::format_string<Names...> place,
                                                Names&&... names) {
    if (found_s <= most_s) return;
    throw JsonError(
        fmt::format("{}: expected at most {:.10g} s, the longest time that the run can have taken, "
                    "found {:.10g} s",
                    fmt::format(place, std::forward<Names>(names)...), most_s, found_s));
  };
  const auto longest_s = [](const measure::HistogramSnapshot& times) {
    return static_cast<double>(times.max_ns()) * 1e-9;
  };
  for (const TransactionResult& one : result.transactions) {
    require(longest_s(one.latency), "transactions.{}.histogram.max", one.name);
    require(longest_s(one.wait), "transactions.{}.wait.histogram.max", one.name);
    require(longest_s(one.service), "transactions.{}.service.histogram.max", one.name);
    require(longest_s(one.keying), "transactions.{}.keying.histogram.max", one.name);
    require(longest_s(one.think), "transactions.{}.think.histogram.max", one.name);
  }
  for (std::size_t i = 0; i < result.hosts.size(); ++i) {
    require(longest_s(result.hosts[i].service), "hosts[{}].service.histogram.max", i);
  }
  require(longest_s(result.client.timer_lag), "client.timer_lag.histogram.max");
  if (result.deferred_delivery) {
    require(longest_s(result.deferred_delivery->latency),
            "deferred_delivery.latency.histogram.max");
  }
  for (std::size_t i = 0; i < result.time_series.size(); ++i) {
    require(result.time_series[i].t, "time_series[{}].t", i);
    require(result.time_series[i].p99_ms * 1e-3, "time_series[{}].p99_ms", i);
  }
  if (result.server_stats) {
    const std::vector<ServerSample>& samples = result.server_stats->samples;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      require(samples[i].t, "server_stats.samples[{}].t", i);
    }
  }
  const std::vector<Outage>& outages = result.availability.outages;
  for (std::size_t i = 0; i < outages.size(); ++i) {
    require(outages[i].end_s.value_or(outages[i].start_s), "availability.outages[{}]", i);
  }
  require(result.availability.unavailable_s, "availability.unavailable_s");
}

// Orders the transactions as TPC-C does.
void order_as_tpcc(std::vector<TransactionResult>& transactions) {
  std::vector<std::string> names;
  for (const TransactionResult& one : tpcc_transactions()) names.push_back(one.name);
  order_by_names(transactions, names);
}

// Reorders the counts of the points as the transactions are ordered, which a document with sorted
// names has after the points.
void order_points(const JsonReader& json, const PointNames& point_names, Result& result) {
  const std::vector<std::string>& names = point_names.names;
  std::vector<std::size_t> sources;
  for (const TransactionResult& one : result.transactions) {
    const auto found = std::ranges::find(names, one.name);
    sources.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  const bool same =
      names.size() == sources.size() && std::ranges::find(sources, names.size()) == sources.end();
  if (!result.time_series.empty() && !same) {
    json.refuse("the names of the transactions in time_series", "other names");
  }
  for (TimePoint& point : result.time_series) {
    std::array<std::uint64_t, transactions_max> counts{};
    std::ranges::copy(point.ok, counts.begin());
    for (std::size_t i = 0; i < sources.size(); ++i) point.ok[i] = counts[sources[i]];
  }
}

// Checks the version before other fields are read, because they may differ in another version.
void require_schema_version(std::string_view text) {
  JsonReader json(text);
  std::int64_t version = 0;
  json.object([&](std::string_view key) {
    if (key != "schema_version") return json.skip();
    if (version != 0) json.refuse("one such field", "a second one");
    version = json.whole_number(1, std::numeric_limits<std::int64_t>::max());
  });
  json.finish();
  if (version == 0) {
    throw JsonError("it is not a result of drover: the field schema_version is missing");
  }
  if (version > result_schema_version) {
    throw JsonError(
        fmt::format("a newer version of drover wrote this result: expected schema_version {}, "
                    "found {}. Use that version",
                    result_schema_version, version));
  }
}

// Returns the benchmark of the document, which decides which fields are required.
std::string benchmark_in(std::string_view text) {
  JsonReader json(text);
  std::string benchmark = settings::RunSettings().benchmark;
  json.object([&](std::string_view key) {
    if (key != "plan") return json.skip();
    json.object([&](std::string_view setting) {
      if (setting != "benchmark") return json.skip();
      benchmark = json.text(settings::name.bytes_max);
    });
  });
  return benchmark;
}

Result read_document(std::string_view text) {
  require_schema_version(text);
  JsonReader json(text);
  Result result;
  result.plan.benchmark = benchmark_in(text);
  PointNames names;
  read_described(json, result, &names);
  if (result.kind().has_specification) order_as_tpcc(result.transactions);
  order_points(json, names, result);
  require_fitting_counts(result);
  if (result.kind().has_tpmc) require_fitting_summary(result);
  require_fitting_times(result);
  return result;
}

}  // namespace

Result read_result(std::string_view text, std::string_view name) {
  try {
    if (text.size() > result_bytes_max) {
      throw JsonError(fmt::format("it is larger than {} MiB", result_bytes_max >> 20));
    }
    return read_document(text);
  } catch (const JsonError& error) {
    throw ResultReadError(fmt::format("cannot read {}: {}", name, error.what()));
  }
}

Result read_result_file(const std::filesystem::path& path) {
  const std::string name = fmt::format("the result \"{}\"", text::shown(path.native(), 300));
  std::string text;
  try {
    text = file::read_bounded_file(path, result_bytes_max);
  } catch (const file::UnreadableFile& error) {
    throw ResultReadError(fmt::format("{}: {}", name, error.what()));
  }
  return read_result(text, name);
}

}  // namespace drover::report
