#include "ranks/live.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace drover::ranks {
namespace {

using coro::Duration;
using coro::Instant;
using load::Snapshot;
using std::chrono::seconds;

constexpr std::size_t types = 3;

Instant at(double second) {
  return Instant(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(second)));
}

measure::HistogramSnapshot some_latencies(std::mt19937_64& random) {
  measure::HistogramSnapshot histogram;
  for (std::uint64_t i = random() % 50; i > 0; --i) histogram.record(random() >> (random() % 64));
  return histogram;
}

void fill(load::PhaseTotals& phase, std::mt19937_64& random) {
  for (std::size_t number = 0; number < types; ++number) {
    model::Totals& type = phase[number];
    type.ok_count = random() % 1'000;
    type.user_aborted_count = random() % 100;
    type.failed_count = random() % 10;
    type.retry_count = random() % 10;
    for (const char* name : {"retryable", "statement", "timed_out"})
      type.errors_by_class[name] = random() % 5;
    type.latency = some_latencies(random);
  }
}

// Each field has a value of its own.
Snapshot some_snapshot(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Snapshot snapshot;
  load::Sample& second = snapshot.second;
  second.elapsed = seconds(7);
  second.length = seconds(1);
  second.phase = load::Phase::measure;
  for (std::size_t type = 0; type < types; ++type) second.ok.push_back(random() % 1'000);
  second.failed = random() % 10;
  second.retries = random() % 10;
  second.in_flight = random() % 100;
  second.waiting = random() % 100;
  if (seed % 2 == 0) second.backlog = random() % 1'000;
  second.client_load = 0.25;
  second.away = seconds(2);
  second.silent = seconds(1);
  snapshot.second_latency = some_latencies(random);
  second.set_percentiles(snapshot.second_latency);
  fill(snapshot.warmup, random);
  fill(snapshot.measured, random);
  snapshot.workers = {{0.25, 3, 4, some_latencies(random)}, {0.125, 1, 2, some_latencies(random)}};
  snapshot.hosts = {{{random() % 9, 1, some_latencies(random)}, 5, 2.5}};
  load::AvailabilityRecord& record = snapshot.availability;
  record.outages = {{at(1), at(2), 3, "FATAL: \xc3\xa4"}, {at(5), {}, 1, ""}};
  record.stalls = {{at(3), at(4)}, {at(6), {}}};
  record.interruptions = 1;
  record.sessions_lost = 2;
  record.sessions_reopened = 3;
  record.sessions_refused = 7;
  record.sessions_renewed = 4;
  record.outages_dropped = 5;
  record.stalls_dropped = 6;
  snapshot.connections_open = 8;
  snapshot.process = {1.5, 1'000, 2'000, 3};
  return snapshot;
}

Message on_the_wire(const Message& message) {
  return Message::from_cbor(Message::to_cbor(message));
}

Message sent(const Snapshot& snapshot) {
  return on_the_wire(live_message(snapshot));
}

TEST(Live, ASnapshotArrivesAsItWasSent) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Message live = sent(some_snapshot(seed));
    const Snapshot received = snapshot_in(live, {});
    ASSERT_EQ(sent(received), live);
  }
  const Snapshot received = snapshot_in(sent(some_snapshot(1)), {});
  const Snapshot original = some_snapshot(1);
  EXPECT_EQ(received.second.ok[2], original.second.ok[2]);
  EXPECT_EQ(received.second.elapsed, seconds(7));
  EXPECT_EQ(received.second.phase, load::Phase::measure);
  EXPECT_EQ(received.measured[1].errors_by_class, original.measured[1].errors_by_class);
  EXPECT_EQ(received.measured[1].latency.to_sparse().buckets,
            original.measured[1].latency.to_sparse().buckets);
  EXPECT_EQ(received.workers[1].waiting, 2U);
  EXPECT_EQ(received.hosts[0].sessions, 5U);
  EXPECT_EQ(received.availability.outages[0].first_error, "FATAL: \xc3\xa4");
  EXPECT_FALSE(received.availability.stalls[1].end);
  EXPECT_EQ(received.process.peak_rss_bytes, 2'000U);
}

// The percentiles of the second are those of its histogram.
TEST(Live, PercentilesOfTheSecond) {
  Snapshot snapshot;
  for (int i = 0; i < 100; ++i) snapshot.second_latency.record(8'000'000);
  const Snapshot received = snapshot_in(sent(snapshot), {});
  EXPECT_NEAR(received.second.p50_ms, 8, 0.08);
  EXPECT_NEAR(received.second.p99_ms, 8, 0.08);
}

TEST(Live, InstantsAreThoseOfTheClockHere) {
  const ClockDifference theirs_ahead{.monotonic_ns = 3'000'000'000};
  const Snapshot received = snapshot_in(sent(some_snapshot(1)), theirs_ahead);
  EXPECT_EQ(received.availability.outages[0].start, at(-2));
  EXPECT_EQ(received.availability.stalls[0].end, at(1));
}

TEST(Live, TheSumOfAllHosts) {
  Snapshot sum;
  std::vector<Snapshot> all;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    all.push_back(some_snapshot(seed));
    add_snapshot(all.back(), sum);
  }
  const auto total = [&all](auto figure) {
    std::uint64_t value = 0;
    for (const Snapshot& one : all) value += figure(one);
    return value;
  };
  for (std::size_t type = 0; type < sum.measured.size(); ++type) {
    EXPECT_EQ(sum.measured[type].ok_count,
              total([type](const Snapshot& one) { return one.measured[type].ok_count; }));
    EXPECT_EQ(sum.warmup[type].errors_by_class.at("statement"), total([type](const Snapshot& one) {
                return one.warmup[type].errors_by_class.at("statement");
              }));
    EXPECT_EQ(sum.measured[type].latency.count(),
              total([type](const Snapshot& one) { return one.measured[type].latency.count(); }));
    EXPECT_EQ(sum.second.ok[type],
              total([type](const Snapshot& one) { return one.second.ok[type]; }));
  }
  EXPECT_EQ(sum.second.in_flight, total([](const Snapshot& one) { return one.second.in_flight; }));
  EXPECT_EQ(sum.second_latency.count(),
            total([](const Snapshot& one) { return one.second_latency.count(); }));
  EXPECT_EQ(sum.workers.size(), 8U);
  EXPECT_EQ(sum.hosts.size(), 1U);
  EXPECT_EQ(sum.hosts[0].sessions, 20U);
  EXPECT_DOUBLE_EQ(sum.hosts[0].per_second, 10);
  EXPECT_EQ(sum.connections_open, 32U);
  EXPECT_EQ(sum.process.threads, 12U);
  EXPECT_EQ(sum.availability.sessions_lost, 8U);
  // Of what goes on beside each other, the longest.
  EXPECT_EQ(sum.second.elapsed, seconds(7));
  EXPECT_EQ(sum.second.length, seconds(1));
  EXPECT_EQ(sum.second.away, seconds(2));
}

Snapshot with_outages(std::vector<load::Outage> outages) {
  Snapshot snapshot;
  snapshot.availability.outages = std::move(outages);
  return snapshot;
}

TEST(Live, OutagesThatOverlapAreOne) {
  Snapshot sum;
  add_snapshot(with_outages({{at(1), at(3), 2, "first"}, {at(10), at(11), 1, "later"}}), sum);
  add_snapshot(with_outages({{at(2), at(5), 3, "second"}, {at(20), {}, 1, "on"}}), sum);
  add_snapshot(with_outages({{at(5), at(6), 4, "third"}, {at(30), at(31), 1, "within"}}), sum);
  const std::vector<load::Outage>& outages = sum.availability.outages;
  ASSERT_EQ(outages.size(), 3U);
  EXPECT_EQ(outages[0].start, at(1));
  EXPECT_EQ(outages[0].end, at(6));
  EXPECT_EQ(outages[0].transactions_lost, 9U);
  EXPECT_EQ(outages[0].first_error, "first");
  EXPECT_EQ(outages[1].start, at(10));
  EXPECT_EQ(outages[1].end, at(11));
  // One that has not ended has all that follows in it.
  EXPECT_EQ(outages[2].start, at(20));
  EXPECT_FALSE(outages[2].end);
  EXPECT_EQ(outages[2].transactions_lost, 2U);
}

// Whether it is refused by an exception that is said to be.
bool is_refused(const Message& live) {
  try {
    snapshot_in(live, {});
    return false;
  } catch (const LinkError&) {
    return true;
  } catch (const nlohmann::json::exception&) {
    return true;
  }
}

TEST(Live, WhatIsNoSecond) {
  const Message right = sent(some_snapshot(1));
  ASSERT_FALSE(is_refused(right));
  for (const auto& [name, value] : right.items()) {
    if (name == "kind") continue;
    Message without = right;
    without.erase(name);
    EXPECT_TRUE(is_refused(without)) << name;
    for (const Message& other : {Message("text"), Message::array({Message::object()})}) {
      Message with = right;
      with[name] = other;
      EXPECT_TRUE(is_refused(with)) << name << ": " << other;
    }
  }
}

TEST(Live, TimesBeyondAllTime) {
  const ClockDifference ahead{.monotonic_ns = 1'000};
  for (const std::int64_t beyond :
       {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    Message live = sent(some_snapshot(1));
    live["availability"]["stalls"][0]["start"] = beyond;
    EXPECT_THROW(snapshot_in(live, ahead), LinkError);
    live = sent(some_snapshot(1));
    live["second"]["elapsed"] = beyond;
    EXPECT_THROW(snapshot_in(live, ahead), LinkError);
  }
}

}  // namespace
}  // namespace drover::ranks
