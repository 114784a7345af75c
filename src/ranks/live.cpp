#include "ranks/live.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "coro/clock.h"
#include "measure/histogram.h"

namespace drover::ranks {

using coro::Duration;
using coro::Instant;
using load::Snapshot;
using nlohmann::json;

namespace {

json binary(const measure::HistogramSnapshot& histogram) {
  return json::binary(measure::histogram_bytes(histogram.to_sparse()));
}

measure::HistogramSnapshot histogram_in(const json& bytes) {
  const auto sparse = measure::histogram_of(bytes.get_binary());
  if (!sparse) throw LinkError("a histogram that cannot be read");
  const auto histogram = measure::HistogramSnapshot::from_sparse(*sparse);
  if (!histogram) throw LinkError("a histogram that cannot be");
  return *histogram;
}

json phase_json(const load::PhaseSnapshot& phase) {
  json types = json::array();
  for (const load::TransactionSnapshot& one : phase) {
    types.push_back({one.committed, one.user_aborted, one.failed, one.retries, one.errors,
                     binary(one.latency)});
  }
  return types;
}

load::PhaseSnapshot phase_in(const json& types) {
  load::PhaseSnapshot phase;
  for (std::size_t i = 0; i < types.size() && i < report::transactions_max; ++i) {
    const json& one = types.at(i);
    load::TransactionSnapshot& type = phase[i];
    type.committed = one.at(0);
    type.user_aborted = one.at(1);
    type.failed = one.at(2);
    type.retries = one.at(3);
    type.errors = one.at(4).get<decltype(type.errors)>();
    type.latency = histogram_in(one.at(5));
  }
  return phase;
}

std::int64_t count_of(Instant instant) {
  return instant.time_since_epoch().count();
}

json span_json(const auto& span) {
  return {count_of(span.start), span.end ? json(count_of(*span.end)) : json()};
}

// So that what is reckoned with it fits, too.
Duration time_in(const json& count) {
  constexpr std::int64_t most = std::int64_t{1} << 61;
  const auto time = count.get<std::int64_t>();
  if (time < -most || time > most) throw LinkError("a time that cannot be");
  return Duration(time);
}

template <class Span>
Span span_in(const json& two, const ClockDifference& clock) {
  const auto instant = [&clock](const json& count) { return clock.ours(Instant(time_in(count))); };
  Span span;
  span.start = instant(two.at(0));
  if (!two.at(1).is_null()) span.end = instant(two.at(1));
  return span;
}

json availability_json(const load::AvailabilityRecord& record) {
  json outages = json::array();
  for (const load::Outage& one : record.outages) {
    outages.push_back({span_json(one), one.transactions_lost, one.first_error});
  }
  json stalls = json::array();
  for (const load::Stall& one : record.stalls) stalls.push_back(span_json(one));
  return {std::move(outages),     std::move(stalls),        record.interruptions,
          record.sessions_lost,   record.sessions_reopened, record.sessions_renewed,
          record.outages_dropped, record.stalls_dropped,    record.sessions_ended_idle};
}

load::AvailabilityRecord availability_in(const json& all, const ClockDifference& clock) {
  load::AvailabilityRecord record;
  for (const json& one : all.at(0)) {
    auto& outage = record.outages.emplace_back(span_in<load::Outage>(one.at(0), clock));
    outage.transactions_lost = one.at(1);
    outage.first_error = one.at(2);
  }
  for (const json& one : all.at(1)) record.stalls.push_back(span_in<load::Stall>(one, clock));
  record.interruptions = all.at(2);
  record.sessions_lost = all.at(3);
  record.sessions_reopened = all.at(4);
  record.sessions_renewed = all.at(5);
  record.outages_dropped = all.at(6);
  record.stalls_dropped = all.at(7);
  record.sessions_ended_idle = all.at(8);
  return record;
}

json second_json(const load::Sample& second) {
  return {second.elapsed.count(),
          second.length.count(),
          static_cast<int>(second.phase),
          std::vector<std::uint64_t>(second.committed.begin(), second.committed.end()),
          second.failed,
          second.retries,
          second.in_flight,
          second.waiting,
          second.busiest_worker_load,
          second.away.count(),
          second.silent.count(),
          second.backlog ? json(*second.backlog) : json()};
}

void add_phase(const load::PhaseSnapshot& one, load::PhaseSnapshot& sum) {
  for (std::size_t i = 0; i < one.size(); ++i) {
    load::TransactionSnapshot& to = sum[i];
    to.committed += one[i].committed;
    to.user_aborted += one[i].user_aborted;
    to.failed += one[i].failed;
    to.retries += one[i].retries;
    for (std::size_t k = 0; k < to.errors.size(); ++k) to.errors[k] += one[i].errors[k];
    to.latency.merge(one[i].latency);
  }
}

void add_second(const load::Sample& one, load::Sample& sum) {
  sum.elapsed = std::max(sum.elapsed, one.elapsed);
  sum.length = std::max(sum.length, one.length);
  sum.phase = std::max(sum.phase, one.phase);
  for (std::size_t i = 0; i < one.committed.size(); ++i) sum.committed[i] += one.committed[i];
  sum.failed += one.failed;
  sum.retries += one.retries;
  sum.in_flight += one.in_flight;
  sum.waiting += one.waiting;
  if (one.backlog) sum.backlog = sum.backlog.value_or(0) + *one.backlog;
  sum.busiest_worker_load = std::max(sum.busiest_worker_load, one.busiest_worker_load);
  sum.away = std::max(sum.away, one.away);
  sum.silent = std::max(sum.silent, one.silent);
}

// Those that overlap are one.
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

void add_availability(const load::AvailabilityRecord& one, load::AvailabilityRecord& sum) {
  add_spans(one.outages, sum.outages);
  add_spans(one.stalls, sum.stalls);
  sum.interruptions += one.interruptions;
  sum.sessions_lost += one.sessions_lost;
  sum.sessions_ended_idle += one.sessions_ended_idle;
  sum.sessions_reopened += one.sessions_reopened;
  sum.sessions_renewed += one.sessions_renewed;
  sum.outages_dropped += one.outages_dropped;
  sum.stalls_dropped += one.stalls_dropped;
}

load::Sample second_in(const json& all) {
  load::Sample second;
  second.elapsed = time_in(all.at(0));
  second.length = time_in(all.at(1));
  second.phase = static_cast<load::Phase>(std::clamp(all.at(2).get<int>(), 0, 2));
  const json& committed = all.at(3);
  for (std::size_t i = 0; i < committed.size() && i < report::transactions_max; ++i) {
    second.committed[i] = committed.at(i);
  }
  second.failed = all.at(4);
  second.retries = all.at(5);
  second.in_flight = all.at(6);
  second.waiting = all.at(7);
  second.busiest_worker_load = all.at(8);
  second.away = time_in(all.at(9));
  second.silent = time_in(all.at(10));
  if (!all.at(11).is_null()) second.backlog = all.at(11).get<std::uint64_t>();
  return second;
}

}  // namespace

Message live_message(const Snapshot& snapshot) {
  Message live = message("live");
  live["second"] = second_json(snapshot.second);
  live["latency"] = binary(snapshot.second_latency);
  live["warmup"] = phase_json(snapshot.warmup);
  live["measured"] = phase_json(snapshot.measured);
  json workers = json::array();
  for (const load::WorkerSnapshot& one : snapshot.workers) {
    workers.push_back({one.load, one.in_flight, one.waiting, binary(one.timer_lag)});
  }
  live["workers"] = std::move(workers);
  json hosts = json::array();
  for (const load::HostNow& one : snapshot.hosts) {
    hosts.push_back({one.phase.committed, one.phase.failed, binary(one.phase.service), one.sessions,
                     one.per_second});
  }
  live["hosts"] = std::move(hosts);
  live["availability"] = availability_json(snapshot.availability);
  live["connections"] = snapshot.connections_open;
  const measure::ProcessUsage& process = snapshot.process;
  live["process"] = {process.cpu_seconds, process.rss_bytes, process.peak_rss_bytes,
                     process.threads};
  return live;
}

Snapshot snapshot_in(const Message& live, const ClockDifference& clock) {
  Snapshot snapshot;
  snapshot.second = second_in(live.at("second"));
  snapshot.second_latency = histogram_in(live.at("latency"));
  const auto ms = [&snapshot](double percent) {
    return static_cast<double>(snapshot.second_latency.percentile_ns(percent)) * 1e-6;
  };
  snapshot.second.p50_ms = ms(50);
  snapshot.second.p90_ms = ms(90);
  snapshot.second.p99_ms = ms(99);
  snapshot.warmup = phase_in(live.at("warmup"));
  snapshot.measured = phase_in(live.at("measured"));
  for (const json& one : live.at("workers")) {
    snapshot.workers.push_back({one.at(0), one.at(1), one.at(2), histogram_in(one.at(3))});
  }
  for (const json& one : live.at("hosts")) {
    load::HostNow& host = snapshot.hosts.emplace_back();
    host.phase = {one.at(0), one.at(1), histogram_in(one.at(2))};
    host.sessions = one.at(3);
    host.per_second = one.at(4);
  }
  snapshot.availability = availability_in(live.at("availability"), clock);
  snapshot.connections_open = live.at("connections");
  const json& process = live.at("process");
  snapshot.process = {process.at(0), process.at(1), process.at(2), process.at(3)};
  return snapshot;
}

void add_snapshot(const Snapshot& one, Snapshot& sum) {
  add_second(one.second, sum.second);
  sum.second_latency.merge(one.second_latency);
  add_phase(one.warmup, sum.warmup);
  add_phase(one.measured, sum.measured);
  sum.workers.insert(sum.workers.end(), one.workers.begin(), one.workers.end());
  for (std::size_t i = 0; i < one.hosts.size(); ++i) {
    if (sum.hosts.size() <= i) sum.hosts.emplace_back();
    sum.hosts[i].phase.committed += one.hosts[i].phase.committed;
    sum.hosts[i].phase.failed += one.hosts[i].phase.failed;
    sum.hosts[i].phase.service.merge(one.hosts[i].phase.service);
    sum.hosts[i].sessions += one.hosts[i].sessions;
    sum.hosts[i].per_second += one.hosts[i].per_second;
  }
  add_availability(one.availability, sum.availability);
  sum.connections_open += one.connections_open;
  sum.process.cpu_seconds += one.process.cpu_seconds;
  sum.process.rss_bytes += one.process.rss_bytes;
  sum.process.peak_rss_bytes += one.process.peak_rss_bytes;
  sum.process.threads += one.process.threads;
}

}  // namespace drover::ranks
