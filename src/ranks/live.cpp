#include "ranks/live.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "coro/clock.h"
#include "measure/histogram.h"
#include "model/adder.h"
#include "model/totals_fields.h"
#include "report/document/result.h"

namespace drover::load {

// Descriptions of snapshots (settings/field.h), for the message "live".

static void describe(auto& visit, settings::Of<Sample> auto&... one) {
  visit.field("elapsed", one.elapsed...);
  visit.field("length", one.length...);
  visit.field("phase", one.phase...);
  visit.field("backlog", one.backlog...);
  visit.field("away", one.away...);
  visit.field("silent", one.silent...);
  model::describe_interval(visit, one...);
}

template <class Span>
static void describe_span(auto& visit, Span& span) {
  visit.field("start", span.start);
  visit.field("end", span.end);
}

static void describe(auto& visit, settings::Of<Outage> auto& outage) {
  describe_span(visit, outage);
  visit.field("transactions_lost", outage.transactions_lost);
  visit.field("first_error", outage.first_error);
}

static void describe(auto& visit, settings::Of<Stall> auto& stall) {
  describe_span(visit, stall);
}

static void describe(auto& visit, settings::Of<AvailabilityRecord> auto&... record) {
  visit.field("outages", record.outages...);
  visit.field("stalls", record.stalls...);
  model::describe_connections(visit, record...);
  visit.field("sessions_renewed", record.sessions_renewed...);
  visit.field("outages_dropped", record.outages_dropped...);
  visit.field("stalls_dropped", record.stalls_dropped...);
}

static void describe(auto& visit, settings::Of<WorkerSnapshot> auto& worker) {
  visit.field("load", worker.load);
  visit.field("in_flight", worker.in_flight);
  visit.field("waiting", worker.waiting);
  visit.figures("timer_lag", worker.timer_lag);
}

static void describe(auto& visit, settings::Of<HostNow> auto& host) {
  model::describe_host_totals(visit, host.phase);
  visit.field("sessions", host.sessions);
  visit.field("per_second", host.per_second);
}

static void describe(auto& visit, settings::Of<Snapshot> auto& snapshot) {
  visit.field("second", snapshot.second);
  visit.figures("latency", snapshot.second_latency);
  visit.totals("warmup", snapshot.warmup);
  visit.totals("measured", snapshot.measured);
  visit.field("workers", snapshot.workers);
  visit.field("hosts", snapshot.hosts);
  visit.field("availability", snapshot.availability);
  visit.field("connections_open", snapshot.connections_open);
  visit.field("cpu_seconds", snapshot.process.cpu_seconds);
  visit.field("rss_bytes", snapshot.process.rss_bytes);
  visit.field("peak_rss_bytes", snapshot.process.peak_rss_bytes);
  visit.field("threads", snapshot.process.threads);
}

}  // namespace drover::load

namespace drover::ranks {

using coro::Duration;
using coro::Instant;
using load::Snapshot;
using nlohmann::json;

namespace {

// The visitor that writes described values to a message. Histograms are in their compact encoding.
class MessageWriter {
 public:
  json take() { return std::move(object_); }

  void field(const char* name, const auto& value, const auto&... /*described*/) {
    object_[name] = json_of(value);
  }
  void counts(const char* name, const auto& counts, const auto&... /*described*/) {
    object_[name] = counts;
  }
  void counts_by_transaction(const char* name, const auto& counts, const auto&... /*described*/) {
    object_[name] = counts;
  }
  void figures(const char* name, const auto& histogram, const auto&... /*described*/) {
    buckets(name, histogram);
  }
  void buckets(const char* name, const measure::HistogramSnapshot& histogram,
               std::string_view = {}) {
    object_[name] = json::binary(measure::histogram_bytes(histogram.to_sparse()));
  }
  // The message has the histogram of the second elsewhere.
  void buckets_if_any(const auto&... /*described*/) {}
  void percentiles(const auto&... /*described*/) {}
  void repeats(const auto&... /*described*/) {}
  void totals(const char* name, const load::PhaseTotals& phase) {
    json types = json::array();
    for (const model::Totals& one : phase) {
      MessageWriter inner;
      model::describe_live_totals(inner, one);
      types.push_back(inner.take());
    }
    object_[name] = std::move(types);
  }

 private:
  static json json_of(Duration value) { return value.count(); }
  static json json_of(Instant value) { return value.time_since_epoch().count(); }
  template <class Value>
  static json json_of(const std::optional<Value>& value) {
    return value ? json_of(*value) : json();
  }
  template <class Element>
  static json json_of(const std::vector<Element>& list) {
    json all = json::array();
    for (const Element& one : list) all.push_back(json_of(one));
    return all;
  }
  template <class Value>
  static json json_of(const Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      return static_cast<int>(value);
    } else if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string>) {
      return value;
    } else {
      MessageWriter inner;
      describe(inner, value);
      return inner.take();
    }
  }

  json object_ = json::object();
};

// The visitor that reads what MessageWriter has written. Converts instants to the clock of this
// host.
class MessageReader {
 public:
  MessageReader(const json& object, const ClockDifference& clock)
      : object_(object), clock_(clock) {}

  void field(const char* name, auto& value, const auto&... /*described*/) {
    read(object_.at(name), value);
  }
  void counts(const char* name, std::map<std::string, std::uint64_t>& counts,
              const settings::Text& names, const auto&... /*described*/) {
    const json& found = object_.at(name);
    settings::for_each_word(names.words, [&](std::string_view word) {
      if (const auto one = found.find(word); one != found.end()) counts[std::string(word)] = *one;
    });
  }
  void counts_by_transaction(const char* name, std::vector<std::uint64_t>& counts,
                             const auto&... /*described*/) {
    const json& found = object_.at(name);
    counts.resize(std::min(found.size(), report::transactions_max));
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = found.at(i);
  }
  void figures(const char* name, measure::HistogramSnapshot& histogram,
               const auto&... /*described*/) {
    buckets(name, histogram);
  }
  void buckets(const char* name, measure::HistogramSnapshot& histogram, std::string_view = {}) {
    const auto sparse = measure::histogram_of(object_.at(name).get_binary());
    if (!sparse) throw LinkError("a histogram that cannot be read");
    const auto read = measure::HistogramSnapshot::from_sparse(*sparse);
    if (!read) throw LinkError("a histogram that cannot be");
    histogram = *read;
  }
  void buckets_if_any(const auto&... /*described*/) {}
  void percentiles(const auto&... /*described*/) {}
  void repeats(const auto&... /*described*/) {}
  void totals(const char* name, load::PhaseTotals& phase) {
    const json& types = object_.at(name);
    for (std::size_t i = 0; i < types.size() && i < report::transactions_max; ++i) {
      MessageReader inner(types.at(i), clock_);
      model::describe_live_totals(inner, phase[i]);
    }
  }

 private:
  void read(const json& found, Duration& value) const {
    // Sums of two such times fit into the type.
    constexpr std::int64_t most = std::int64_t{1} << 61;
    const auto time = found.get<std::int64_t>();
    if (time < -most || time > most) throw LinkError("a time that cannot be");
    value = Duration(time);
  }
  void read(const json& found, Instant& value) const {
    Duration time{};
    read(found, time);
    value = clock_.ours(Instant(time));
  }
  void read(const json& found, load::Phase& value) const {
    value = static_cast<load::Phase>(std::clamp(found.get<int>(), 0, 2));
  }
  template <class Value>
  void read(const json& found, std::optional<Value>& value) const {
    if (!found.is_null()) read(found, value.emplace());
  }
  template <class Element>
  void read(const json& found, std::vector<Element>& list) const {
    for (const json& one : found) read(one, list.emplace_back());
  }
  template <class Value>
  void read(const json& found, Value& value) const {
    if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string>) {
      value = found.get<Value>();
    } else {
      MessageReader inner(found, clock_);
      describe(inner, value);
    }
  }

  const json& object_;
  const ClockDifference& clock_;
};

// Adds spans. Overlapping spans become one.
template <class Span>
void add_spans(const std::vector<Span>& some, std::vector<Span>& all) {
  all.insert(all.end(), some.begin(), some.end());
  std::ranges::sort(all, {}, &Span::start);
  std::vector<Span> apart;
  for (Span& one : all) {
    const bool overlaps = !apart.empty() && (!apart.back().end || one.start <= *apart.back().end);
    if (!overlaps) {
      apart.push_back(std::move(one));
      continue;
    }
    Span& before = apart.back();
    before.end = before.end && one.end ? std::max(before.end, one.end) : std::nullopt;
    if constexpr (requires { one.transactions_lost; }) {
      before.transactions_lost += one.transactions_lost;
    }
  }
  all = std::move(apart);
}

void add_phase(const load::PhaseTotals& one, load::PhaseTotals& sum) {
  model::Adder adder;
  for (std::size_t i = 0; i < one.size(); ++i) model::describe_live_totals(adder, sum[i], one[i]);
}

}  // namespace

Message live_message(const Snapshot& snapshot) {
  MessageWriter writer;
  describe(writer, snapshot);
  Message live = writer.take();
  live["kind"] = "live";
  return live;
}

Snapshot snapshot_in(const Message& live, const ClockDifference& clock) {
  Snapshot snapshot;
  MessageReader reader(live, clock);
  describe(reader, snapshot);
  snapshot.second.set_percentiles(snapshot.second_latency);
  return snapshot;
}

void add_snapshot(const Snapshot& one, Snapshot& sum) {
  model::add(sum.second, one.second);
  sum.second_latency.merge(one.second_latency);
  add_phase(one.warmup, sum.warmup);
  add_phase(one.measured, sum.measured);
  sum.workers.insert(sum.workers.end(), one.workers.begin(), one.workers.end());
  sum.hosts.resize(std::max(sum.hosts.size(), one.hosts.size()));
  for (std::size_t i = 0; i < one.hosts.size(); ++i) {
    model::Adder adder;
    model::describe_host_totals(adder, sum.hosts[i].phase, one.hosts[i].phase);
    sum.hosts[i].sessions += one.hosts[i].sessions;
    sum.hosts[i].per_second += one.hosts[i].per_second;
  }
  model::add(sum.availability, one.availability);
  add_spans(one.availability.outages, sum.availability.outages);
  add_spans(one.availability.stalls, sum.availability.stalls);
  sum.connections_open += one.connections_open;
  sum.process.cpu_seconds += one.process.cpu_seconds;
  sum.process.rss_bytes += one.process.rss_bytes;
  sum.process.peak_rss_bytes += one.process.peak_rss_bytes;
  sum.process.threads += one.process.threads;
}

}  // namespace drover::ranks
