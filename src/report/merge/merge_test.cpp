#include "report/merge/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "report/audit/audit.h"
#include "report/document/changed_settings_test.h"
#include "report/document/result_json.h"
#include "report/merge/example_part_test.h"

namespace drover::report {
namespace {

using testing::HasSubstr;

nlohmann::json histogram_json(const measure::HistogramSnapshot& histogram) {
  const measure::SparseHistogram sparse = histogram.to_sparse();
  return {sparse.buckets, sparse.overflow, sparse.sum_ns, sparse.min_ns, sparse.max_ns};
}

TEST(Merge, HistogramsAndCountsAreThoseOfOneRunWithTheSameTransactions) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ExampleRun run(seed);
    const Result sum = merged(run.parts);
    ASSERT_EQ(sum.transactions.size(), run.whole.transactions.size());
    for (std::size_t i = 0; i < sum.transactions.size(); ++i) {
      const TransactionResult& one = sum.transactions[i];
      const TransactionResult& expected = run.whole.transactions[i];
      EXPECT_EQ(one.ok_count, expected.ok_count);
      EXPECT_EQ(one.attempts, expected.attempts);
      for (const auto member : {&TransactionResult::latency, &TransactionResult::wait,
                                &TransactionResult::keying, &TransactionResult::think}) {
        EXPECT_EQ(histogram_json(one.*member), histogram_json(expected.*member));
      }
    }
    EXPECT_EQ(histogram_json(sum.client.timer_lag), histogram_json(run.whole.client.timer_lag));
    EXPECT_EQ(sum.summary.new_orders, run.whole.summary.new_orders);
    EXPECT_DOUBLE_EQ(sum.summary.tpmc, run.whole.summary.tpmc);
    EXPECT_EQ(sum.ledger.new_orders, run.whole.ledger.new_orders);
    EXPECT_EQ(sum.ledger_in_data->new_orders, run.whole.ledger_in_data->new_orders);
    EXPECT_EQ(sum.inputs.order_lines, run.whole.inputs.order_lines);
  }
}

TEST(Merge, SecondsAreThoseOfOneRunWithTheSameTransactions) {
  const ExampleRun run(7);
  const Result sum = merged(run.parts);
  ASSERT_EQ(sum.time_series.size(), run.whole.time_series.size());
  for (std::size_t i = 0; i < sum.time_series.size(); ++i) {
    const TimePoint& point = sum.time_series[i];
    const TimePoint& expected = run.whole.time_series[i];
    EXPECT_EQ(point.t, expected.t);
    EXPECT_EQ(point.phase, expected.phase);
    EXPECT_EQ(point.ok, expected.ok);
    EXPECT_EQ(point.p50_ms, expected.p50_ms);
    EXPECT_EQ(point.p90_ms, expected.p90_ms);
    EXPECT_EQ(point.p99_ms, expected.p99_ms);
    EXPECT_TRUE(point.latency.empty());
  }
}

TEST(Merge, IsTheSameInWhateverOrderPartsCome) {
  ExampleRun run(3);
  run.parts[1].availability.outages = {{1, 2, 5, "b: server closed the connection"}};
  run.parts[2].availability.outages = {{1.5, 3, 2, "c: terminating connection"}};
  run.parts[3].verification = Verification{.values = 3, .wrong = 1, .first_wrong = "d"};
  run.parts[0].verification = Verification{.values = 4, .wrong = 2, .first_wrong = "a"};
  std::vector<std::size_t> order = {0, 1, 2, 3};
  const nlohmann::json expected = to_json(merged(run.parts));
  while (std::ranges::next_permutation(order).found) {
    std::vector<Result> parts;
    for (const std::size_t i : order) parts.push_back(run.parts[i]);
    ASSERT_EQ(to_json(merged(parts)), expected);
  }
}

TEST(Merge, CanBeWrittenAndRead) {
  ExampleRun run(4);
  run.parts[2].ranks[0].name = std::string(253, 'h') + "#10000";
  for (Result& part : run.parts) complete_rank(part);
  const std::string part = document_text(to_json(run.parts[2]));
  EXPECT_EQ(document_text(to_json(read_result(part))), part);
  Result sum = merged(run.parts);
  sum.audit = audit(sum);
  const std::string text = document_text(to_json(sum));
  EXPECT_EQ(document_text(to_json(read_result(text))), text);
}

TEST(Merge, AddsWhatEachHostHas) {
  ExampleRun run(5);
  for (std::size_t i = 0; i < run.parts.size(); ++i) {
    run.parts[i].plan.clients = i + 1;
    run.parts[i].plan.rate = 100.0 * static_cast<double>(i + 1) / 10;
    run.parts[i].plan.operations = 5 * i;
    run.parts[i].plan.terminals = 100;
    run.parts[i].plan.of_all_hosts = {.connections = 32, .max_inflight = {}, .terminals = 400};
  }
  const Result sum = merged(run.parts);
  EXPECT_EQ(sum.plan.warehouses, 40U);
  EXPECT_EQ(sum.plan.threads, 8U);
  EXPECT_EQ(sum.plan.connections, 32U);
  EXPECT_EQ(sum.plan.clients, 10U);
  EXPECT_EQ(sum.plan.rate, 100);
  EXPECT_EQ(sum.plan.operations, 30U);
  EXPECT_EQ(sum.plan.terminals, 400U);
  EXPECT_FALSE(sum.plan.of_all_hosts.has_value());
  EXPECT_EQ(sum.client.terminals, 400U);
  EXPECT_EQ(sum.client.peak_rss_bytes, 10U << 20);
  EXPECT_EQ(sum.client.workers.size(), 8U);
  EXPECT_NEAR(sum.client.cpu_seconds, 0.1 + 0.4 + 0.7 + 1, 1e-9);
  EXPECT_EQ(sum.incomplete, std::nullopt);
  ASSERT_EQ(sum.ranks.size(), 4U);
  EXPECT_EQ(sum.ranks[2].name, "c");
  EXPECT_EQ(sum.ranks[2].threads, 2U);
  EXPECT_EQ(sum.ranks[2].ok_count, all_transactions(run.parts[2]).ok_count);
  EXPECT_DOUBLE_EQ(sum.ranks[3].busiest_worker_load, 0.2);
}

TEST(Merge, OutagesThatOverlapAreOneOfWhatIsLostInAll) {
  ExampleRun run(6);
  // The second began a second later by its own clock, which is wrong by that.
  run.parts[1].ranks[0].start_ts = 1'763'670'001;
  run.parts[1].ranks[0].clock_at_start = ClockOffset{1, 0, 0.0005};
  // And the third did begin half a second later.
  run.parts[2].ranks[0].start_ts = 1'763'670'000.5;
  run.parts[0].availability.outages = {{1.5, 2, 4, "first"}, {3.5, std::nullopt, 1, "again"}};
  run.parts[1].availability.outages = {{1.75, 2.25, 3, "second"}};
  run.parts[2].availability.outages = {{2, 2.25, 2, "third"}};
  run.parts[3].availability.stalls = {{0.5, 1.999}};
  const Availability sum = merged(run.parts).availability;
  ASSERT_EQ(sum.outages.size(), 3U);
  EXPECT_NEAR(sum.outages[0].start_s, 1.5, 1e-5);
  EXPECT_NEAR(*sum.outages[0].end_s, 2.25, 1e-5);
  EXPECT_EQ(sum.outages[0].transactions_lost, 7U);
  EXPECT_EQ(sum.outages[0].first_error, "first");
  EXPECT_NEAR(sum.outages[1].start_s, 2.5, 1e-5);
  EXPECT_NEAR(*sum.outages[1].end_s, 2.75, 1e-5);
  EXPECT_EQ(sum.outages[2].end_s, std::nullopt);
  EXPECT_NEAR(sum.unavailable_s, 0.75 + 0.25 + 0.5, 1e-5);
  EXPECT_NEAR(sum.stalled_s, 1.002, 1e-5);
  EXPECT_NEAR(sum.run_start_ts, 1'763'670'000, 1e-5);
}

TEST(Merge, AnOutageOfAHostThatEndedBeforeTheOthersEndsThere) {
  ExampleRun run(16);
  run.parts[1].summary.time_seconds = 1.5;
  run.parts[1].availability.outages = {{2, std::nullopt, 4, "first"}};
  run.parts[1].availability.stalls = {{0.5, std::nullopt}};
  run.parts[0].availability.outages = {{3, 3.5, 2, "second"}};
  Availability sum = merged(run.parts).availability;
  ASSERT_EQ(sum.outages.size(), 2U);
  EXPECT_NEAR(sum.outages[0].end_s.value(), 2.5, 0.01);
  EXPECT_EQ(sum.outages[1].first_error, "second");
  EXPECT_NEAR(sum.unavailable_s, 1, 0.01);
  EXPECT_NEAR(sum.stalled_s, 1.5, 0.01);
  // Asked to end, none ends at the same instant as the others.
  run.parts[1].summary.time_seconds = 2.995;
  sum = merged(run.parts).availability;
  ASSERT_EQ(sum.outages.size(), 1U);
  EXPECT_EQ(sum.outages[0].end_s, std::nullopt);
}

TEST(Merge, SecondsWithoutHistogramsHaveTheHighestOfTheParts) {
  ExampleRun run(8);
  double highest = 0;
  for (Result& part : run.parts) {
    part.time_series[2].latency = {};
    highest = std::max(highest, part.time_series[2].p90_ms);
  }
  EXPECT_EQ(merged(run.parts).time_series[2].p90_ms, highest);
}

TEST(Merge, ALateSecondIsNoOtherOne) {
  ExampleRun run(9);
  run.parts[1].time_series[1].t = 2.75;
  run.parts[2].time_series.back().t = 5.25;
  const Result sum = merged(run.parts);
  ASSERT_EQ(sum.time_series.size(), 4U);
  for (std::size_t i = 0; i < sum.time_series.size(); ++i) {
    EXPECT_EQ(sum.time_series[i].t, run.whole.time_series[i].t);
    EXPECT_EQ(sum.time_series[i].ok, run.whole.time_series[i].ok);
    EXPECT_EQ(sum.time_series[i].p99_ms, run.whole.time_series[i].p99_ms);
  }
}

TEST(Merge, WhatAHostMissedAsItStoodStillIsInTheSecondInWhichItWentOn) {
  ExampleRun run(15);
  std::vector<TimePoint>& seconds = run.parts[3].time_series;
  const std::vector<std::uint64_t> missed = seconds[1].ok;
  seconds.erase(seconds.begin() + 1);
  const Result sum = merged(run.parts);
  ASSERT_EQ(sum.time_series.size(), 4U);
  for (std::size_t type = 0; type < missed.size(); ++type) {
    EXPECT_EQ(sum.time_series[1].ok[type] + missed[type], run.whole.time_series[1].ok[type]);
  }
  EXPECT_EQ(sum.time_series[3].ok, run.whole.time_series[3].ok);
}

// A run that is ended early ends within a second; that part of a second is a point of its own.
TEST(Merge, APartOfASecondIsNotTakenForTheSecondBefore) {
  ExampleRun run(16);
  for (std::size_t rank = 0; rank < run.parts.size(); ++rank) {
    std::vector<TimePoint>& seconds = run.parts[rank].time_series;
    seconds.back().t = 3.4 + 0.01 * static_cast<double>(rank);
  }
  const Result sum = merged(run.parts);
  ASSERT_EQ(sum.time_series.size(), 4U);
  EXPECT_EQ(sum.time_series[2].t, 3);
  EXPECT_EQ(sum.time_series[2].ok, run.whole.time_series[2].ok);
  EXPECT_NEAR(sum.time_series[3].t, 3.43, 1e-9);
  EXPECT_EQ(sum.time_series[3].ok, run.whole.time_series[3].ok);
}

// A run of 16 s after 1 s of warm-up, with points of `step_s` seconds.
Result part_in_points(std::uint64_t rank, std::uint64_t step_s, double ends_at = 17) {
  Result part = example_part(rank);
  part.plan.duration_s = 16;
  part.time_series_step_s = step_s;
  part.time_series.clear();
  std::uint64_t seconds_before = 0;
  for (double t = 1; t <= ends_at; t += static_cast<double>(step_s)) {
    TimePoint& point = part.time_series.emplace_back();
    point.t = t;
    point.phase = t == 1 ? "warm-up" : "measure";
    point.in_flight = 10 + seconds_before;
    const std::uint64_t seconds = t == 1 ? 1 : step_s;
    measure::HistogramSnapshot latency;
    for (std::uint64_t i = 0; i < seconds; ++i) latency.record((rank + 1) * 10'000'000);
    point.ok = {seconds, 0, 0, 0, 0};
    point.latency = latency.to_sparse();
    seconds_before += seconds;
  }
  return part;
}

TEST(Merge, PointsAreAsLongAsTheLongestOfAPart) {
  const std::vector<Result> parts = {part_in_points(0, 1), part_in_points(1, 4),
                                     part_in_points(2, 2), part_in_points(3, 1, 8)};
  for (const auto& order : {std::vector<std::size_t>{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 0, 3, 2}}) {
    std::vector<Result> in_order;
    for (const std::size_t i : order) in_order.push_back(parts[i]);
    const Result sum = merged(in_order);
    EXPECT_EQ(sum.time_series_step_s, 4U);
    ASSERT_EQ(sum.time_series.size(), 5U);
    const std::vector<double> times = {1, 5, 9, 13, 17};
    // The fourth host ended after 8 s.
    const std::vector<std::uint64_t> counts = {4, 16, 15, 12, 12};
    for (std::size_t i = 0; i < times.size(); ++i) {
      EXPECT_EQ(sum.time_series[i].t, times[i]);
      EXPECT_EQ(sum.time_series[i].ok[0], counts[i]) << i;
      EXPECT_NEAR(sum.time_series[i].p50_ms, 20, 0.2);
    }
    // Transactions in flight at the end of the point, of each host.
    EXPECT_EQ(sum.time_series[1].in_flight, 14U + 11 + 13 + 14);
  }
}

TEST(Merge, PhasesNeedNotLastWholeSeconds) {
  std::vector<Result> parts = {example_part(0), example_part(1)};
  const std::vector<double> times = {1, 1.7, 2.7, 3.7, 4.2};
  for (Result& part : parts) {
    part.plan.warmup_s = 1.7;
    part.plan.duration_s = 2.5;
    part.time_series.clear();
    const double late = part.ranks[0].rank == 0 ? 0 : 0.25;
    for (const double t : times) {
      TimePoint& point = part.time_series.emplace_back();
      point.t = t + late;
      point.phase = t <= 1.7 ? "warm-up" : "measure";
      point.ok = {1, 0, 0, 0, 0};
    }
  }
  const Result sum = merged(parts);
  ASSERT_EQ(sum.time_series.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(sum.time_series[i].t, times[i]);
    EXPECT_EQ(sum.time_series[i].phase, times[i] <= 1.7 ? "warm-up" : "measure");
    EXPECT_EQ(sum.time_series[i].ok[0], 2U);
  }
}

TEST(Merge, WhatThePartsCannotAllTellIsNotToldOfAll) {
  ExampleRun run(10);
  run.parts[1].ledger_in_data.reset();
  run.parts[2].lost_commits.reset();
  const Result sum = merged(run.parts);
  EXPECT_FALSE(sum.ledger_in_data.has_value());
  EXPECT_FALSE(sum.lost_commits->complete);
}

TEST(Merge, SumsThatNoRunCanHaveStopAtTheEndOfTheirType) {
  ExampleRun run(14);
  for (Result& part : run.parts) {
    part.ledger.payment_cents = std::int64_t{1} << 62;
    part.ledger_in_data->payment_cents = -(std::int64_t{1} << 62);
  }
  const Result sum = merged(run.parts);
  EXPECT_EQ(sum.ledger.payment_cents, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(sum.ledger_in_data->payment_cents, std::numeric_limits<std::int64_t>::min());
}

TEST(Merge, SaysWhichHostWasLostAndWhichIsMissing) {
  ExampleRun run(11);
  RankResult& lost = run.parts[1].ranks[0];
  lost.lost = "the host sent nothing for 10 s";
  lost.lost_at_s = 192.5;
  lost.ok_count = 77;
  run.parts.pop_back();
  const Result sum = merged(run.parts);
  EXPECT_EQ(
      sum.incomplete,
      "host b was lost at 3:12: the host sent nothing for 10 s; rank 3 of 4 (counted from 0) is "
      "missing; no host had the warehouses 31 to 40");
  EXPECT_EQ(sum.ranks[1].ok_count, 77U);
}

TEST(Merge, WhatIsLeftOfALostHostBelongsToTheRunThatItSays) {
  ExampleRun run(17);
  run.parts[0].ranks[0].lost = "it was killed";
  run.parts[0].plan.isolation = "serializable";
  run.parts[0].environment.server.reset();
  for (const std::vector<std::size_t>& order : {std::vector<std::size_t>{0, 1, 2}, {1, 0, 2}}) {
    Merger merger;
    for (const std::size_t i : order) merger.add(run.parts[i], "part");
    // The others still have to agree.
    Result other = run.parts[3];
    other.plan.seed = 2;
    EXPECT_THROW(merger.add(other, "other"), MergeError);
    EXPECT_THAT(merger.take().incomplete.value(), HasSubstr("host a was lost: it was killed"));
  }
  Result stranger = run.parts[0];
  stranger.ranks[0].run = "77aa";
  Merger merger;
  merger.add(run.parts[1], "part");
  EXPECT_THROW(merger.add(stranger, "stranger"), MergeError);
}

TEST(Merge, OnePartOfSeveralIsIncomplete) {
  const ExampleRun run(12);
  const Result sum = merged({run.parts[1]});
  EXPECT_EQ(sum.incomplete,
            "ranks 0, 2, 3 of 4 (counted from 0) are missing; no host had the warehouses 1 to 10 "
            "and 21 to "
            "40");
  EXPECT_TRUE(sum.is_of_several());
}

TEST(Merge, OfManyThatAreMissingSomeAreNamed) {
  std::vector<Result> parts;
  for (std::uint64_t rank = 0; rank < 20; ++rank) {
    Result& part = parts.emplace_back(example_part(rank));
    part.plan.warehouses = 1'000;
    part.ranks[0].ranks = 100;
    part.ranks[0].warehouse_first = 20 * rank + 11;
    part.ranks[0].warehouse_last = 20 * rank + 20;
    part.ranks[0].lost = "it was killed";
  }
  const std::string text = merged(parts).incomplete.value();
  EXPECT_THAT(text, HasSubstr("host h was lost: it was killed and 12 more were lost; ranks 20, "));
  EXPECT_THAT(text, HasSubstr("27 and 72 more of 100 (counted from 0) are missing; no host had"));
  EXPECT_THAT(text, HasSubstr("the warehouses 1 to 10 and 21 to 30 and "));
  EXPECT_THAT(text, HasSubstr("141 to 150 and 13 more ranges"));
}

TEST(Merge, AHostThatWasEndedBeforeTheOthersIsMissingAfterwards) {
  Merger merger;
  for (const std::uint64_t rank : {0, 1, 2, 3}) {
    Result part = example_part_by_hand(rank);
    if (rank == 1) {
      part.interrupted = true;
      part.summary.time_seconds = 0.5;
    }
    merger.add(std::move(part), "a part");
  }
  EXPECT_THAT(merger.take().incomplete.value_or("complete"), HasSubstr("measured 0.5 of 3.0 s"));
}

TEST(Merge, PartsByHandAreNumberedByTheirWarehouses) {
  std::vector<Result> parts;
  for (const std::uint64_t rank : {2, 0, 3, 1}) parts.push_back(example_part_by_hand(rank));
  const Result sum = merged(parts);
  EXPECT_EQ(sum.incomplete, std::nullopt);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(sum.ranks[i].rank, i);
    EXPECT_EQ(sum.ranks[i].ranks, 4U);
    EXPECT_EQ(sum.ranks[i].warehouse_first, 10 * i + 1);
  }
}

// What is said of two parts after the second was changed.
std::string refusal(const std::function<void(Result&)>& change, bool by_hand = false) {
  const auto part = [by_hand](std::uint64_t rank) {
    return by_hand ? example_part_by_hand(rank) : example_part(rank);
  };
  Result second = part(1);
  change(second);
  Merger merger;
  merger.add(part(0), "a.json");
  try {
    merger.add(second, "b.json");
  } catch (const MergeError& error) {
    // And then it is as if it had not come.
    merger.add(part(2), "c.json");
    EXPECT_EQ(merger.take().ranks.size(), 2U);
    return error.what();
  }
  return "";
}

TEST(Merge, RefusesWhatDoesNotBelongTogether) {
  EXPECT_EQ(refusal([](Result&) {}), "");
  EXPECT_EQ(refusal([](Result& part) { part.plan.duration_s = 60; }),
            "\"b.json\" belongs to another run than \"a.json\": plan.duration_s is 60.0 here and "
            "3.0 there. Expected parts of one run whose hosts had the same options");
  const auto expect = [](const char* what, const std::function<void(Result&)>& change) {
    EXPECT_THAT(refusal(change), HasSubstr(what));
  };
  expect("plan.warmup_s", [](Result& part) { part.plan.warmup_s = 2; });
  expect("plan.warehouses", [](Result& part) { part.plan.warehouses = 50; });
  expect("plan.seed", [](Result& part) { part.plan.seed = 2; });
  expect("plan.pace", [](Result& part) { part.plan.pace = 2; });
  expect("plan.isolation", [](Result& part) { part.plan.isolation = "serializable"; });
  expect("plan.statements", [](Result& part) { part.plan.statements = "single"; });
  expect("drover", [](Result& part) { part.tool.commit = "def5678"; });
  expect("drover", [](Result& part) { part.tool.version = "0.8.0"; });
  expect("the run", [](Result& part) { part.ranks[0].run = "77aa"; });
  expect("the run", [](Result& part) { part.ranks[0].run = ""; });
  expect("ranks", [](Result& part) { part.ranks[0].ranks = 5; });
  expect("the kind of database", [](Result& part) { part.environment.server->kind = "YDB"; });
  expect("has different transactions or statements than \"a.json\"",
         [](Result& part) { part.transactions.pop_back(); });
  expect("plan.benchmark", [](Result& part) { part.plan.benchmark = "ycsb"; });
  expect("both have the rank 0", [](Result& part) { part.ranks[0].rank = 0; });
  expect("has the rank 4, but the run has 4 ranks, counted from 0",
         [](Result& part) { part.ranks[0].rank = 4; });
  expect(
      "has the warehouses 10 to 20, and \"a.json\" has 1 to 10. Expected no warehouse in two parts",
      [](Result& part) { part.ranks[0].warehouse_first = 10; });
  expect("names the warehouses 11 to 41, but the run has 40",
         [](Result& part) { part.ranks[0].warehouse_last = 41; });
  expect(
      "is the result of a run on one host. Expected a part that one host of a run on several hosts "
      "wrote",
      [](Result& part) { part.ranks.clear(); });
  expect("is already merged. Name the parts from which it was made",
         [](Result& part) { part.ranks.resize(2); });
  expect("is already merged. Name the parts from which it was made",
         [](Result& part) { part.incomplete = "host c is missing"; });
}

// A part, started by hand, of a run with clients, in a closed loop or with a rate.
Result part_of_clients(std::uint64_t rank) {
  Result part = example_part_by_hand(rank);
  part.plan.benchmark = "ycsb";
  part.ranks[0].rank = rank;
  part.ranks[0].ranks = 2;
  part.ranks[0].warehouse_first = part.ranks[0].warehouse_last = 0;
  part.plan.clients = 8;
  part.plan.rate = 50;
  part.plan.of_all_hosts = {.connections = 16, .max_inflight = {}, .terminals = 16, .rate = 100};
  return part;
}

// Returns the error about the second of two parts, or an empty text if they were merged.
std::string refusal_of(const Result& first, const Result& second) {
  Merger merger;
  merger.add(first, "a.json");
  try {
    merger.add(second, "b.json");
  } catch (const MergeError& error) {
    return error.what();
  }
  return "";
}

TEST(Merge, EverySettingIsTheSameInAllPartsOrAHostHasItsOwn) {
  enum class Of { all, host };
  static const std::map<std::string, Of> settings = {
      {"affinity", Of::all},
      {"arrivals", Of::all},
      {"balance", Of::all},
      {"benchmark", Of::all},
      {"clients", Of::host},
      {"connection_max_age_s", Of::all},
      {"connections", Of::host},
      {"deferred_delivery", Of::all},
      {"duration_s", Of::all},
      {"isolation", Of::all},
      {"max_attempts", Of::all},
      {"max_inflight", Of::host},
      {"max_inflight_chosen", Of::all},
      {"no_delays", Of::all},
      {"on_db_loss", Of::all},
      {"operations", Of::host},
      {"pace", Of::all},
      {"protocol", Of::all},
      {"rate", Of::host},
      {"schema", Of::all},
      {"seed", Of::all},
      {"server_stats", Of::host},
      {"simulate_ms", Of::all},
      {"statement_timeout_s", Of::all},
      {"think_time_s", Of::all},
      {"statements", Of::all},
      {"terminals", Of::host},
      {"threads", Of::host},
      {"warehouses", Of::all},
      {"warmup_s", Of::all},
      {"workload", Of::all},
  };
  const auto tpcc_part = [](std::uint64_t rank) {
    Result part = example_part_by_hand(rank);
    part.plan.of_all_hosts = {.connections = 32, .max_inflight = {}, .terminals = 400};
    return part;
  };
  for (const auto& part_of : {std::function<Result(std::uint64_t)>(tpcc_part),
                              std::function<Result(std::uint64_t)>(part_of_clients)}) {
    const Result first = part_of(0);
    const nlohmann::json described = described_json(first.plan);
    for (const auto& [name, value] : described.items()) {
      Result second = part_of(1);
      if (name == "of_all_hosts") {
        for (const auto& [figure, whole] : value.items()) {
          second.plan = with_other_value(first.plan, name, figure);
          EXPECT_THAT(refusal_of(first, second), HasSubstr("plan.of_all_hosts." + figure + " is "));
        }
        continue;
      }
      const auto of = settings.find(name);
      ASSERT_NE(of, settings.end())
          << name << " is a new setting: say here, and in match.cpp, whose it is";
      second.plan = with_other_value(first.plan, name);
      if (of->second == Of::all) {
        EXPECT_THAT(refusal_of(first, second), HasSubstr("plan." + name + " is "));
      } else {
        EXPECT_EQ(refusal_of(first, second), "") << name;
      }
    }
  }
}

TEST(Merge, RefusesHostsThatWereGivenDifferentFigures) {
  // --rate 100 --share 1/2 and --rate 500 --share 2/2.
  const Result first = part_of_clients(0);
  Result second = part_of_clients(1);
  EXPECT_EQ(refusal_of(first, second), "");
  second.plan.rate = 250;
  second.plan.of_all_hosts->rate = 500;
  EXPECT_EQ(refusal_of(first, second),
            "\"b.json\" belongs to another run than \"a.json\": plan.of_all_hosts.rate is 500.0 "
            "here and 100.0 there. Expected parts of one run whose hosts had the same options");
  // The first host was given the figure, the second one chose it.
  second = part_of_clients(1);
  second.plan.of_all_hosts->connections.reset();
  EXPECT_THAT(refusal_of(first, second),
              HasSubstr("plan.of_all_hosts.connections is null here and 16 there"));
  second.plan.of_all_hosts.reset();
  EXPECT_THAT(refusal_of(first, second),
              HasSubstr("plan.of_all_hosts.connections is unknown here and 16 there"));
}

TEST(Merge, RefusesAPartThatLacksWhatDroverWritesInAll) {
  const auto expect = [](const char* what, const std::function<void(Result&)>& change) {
    EXPECT_THAT(refusal(change), HasSubstr(what));
    // The part is refused in either order.
    Result part = example_part(1);
    change(part);
    Merger merger;
    EXPECT_THROW(merger.add(part, "b.json"), MergeError);
  };
  expect("names no database (environment.server)",
         [](Result& part) { part.environment.server.reset(); });
  expect("measured 3 s but has no start time (ranks[0].start_ts is 0)",
         [](Result& part) { part.ranks[0].start_ts = 0; });
  for (const std::size_t type : {0, 1}) {
    const std::string name = tpcc_transactions()[type].name;
    expect(("committed 3 " + name + "s, but its ledger has 0").c_str(), [type](Result& part) {
      for (const std::uint64_t ms : {1, 2, 3}) record(part, {type, 1, ms * 1'000'000});
      part.ledger = {};
    });
  }
  // A simulated run has no database.
  Merger merger;
  for (const std::uint64_t rank : {0, 1}) {
    Result part = example_part(rank);
    part.environment.server.reset();
    part.plan.simulate_ms = 5;
    merger.add(part, "a part");
  }
  EXPECT_EQ(merger.take().ranks.size(), 2U);
}

TEST(Merge, AHostThatDidNotBeginIsMissing) {
  Merger merger;
  for (const std::uint64_t rank : {0, 1, 2, 3}) {
    Result part = example_part_by_hand(rank);
    if (rank == 1) {  // interrupted while it waited for --start-at
      part.interrupted = true;
      part.summary.time_seconds = 0;
      part.ranks[0].start_ts = 0;
    }
    merger.add(std::move(part), "a part");
  }
  EXPECT_EQ(merger.take().incomplete.value_or("complete"), "host b did not begin");
}

TEST(Merge, RefusesPartsByHandThatDidNotBeginTogether) {
  const auto start_at = [](double ts) {
    return [ts](Result& part) { part.ranks[0].start_ts = ts; };
  };
  EXPECT_EQ(refusal(start_at(1'763'670'000.75), true), "");
  EXPECT_THAT(refusal(start_at(1'763'670'002.5), true),
              HasSubstr("began 2.500 s after \"a.json\". Expected at most 1 s between them"));
  EXPECT_THAT(refusal(start_at(1'763'669'990), true), HasSubstr("before \"a.json\""));
  // Whether those of one launch did is for the audit.
  EXPECT_EQ(refusal(start_at(1'763'670'002.5)), "");
  const auto with_clock = [](Result& part) {
    part.ranks[0].start_ts += 3;
    part.ranks[0].clock_at_start = ClockOffset{3, 0, 0.001};
  };
  EXPECT_EQ(refusal(with_clock, true), "");
}

TEST(Merge, OfOtherBenchmarksPartsByHandSayTheirShare) {
  const auto part_of = [](std::uint64_t rank, std::uint64_t ranks) {
    Result part = example_part_by_hand(rank);
    part.plan.benchmark = "ycsb";
    part.ranks[0].rank = rank;
    part.ranks[0].ranks = ranks;
    part.ranks[0].warehouse_first = part.ranks[0].warehouse_last = 0;
    part.accounts = {{"updates", 5 + rank, std::nullopt, 1}};
    return part;
  };
  const Result sum = merged({part_of(1, 2), part_of(0, 2)});
  EXPECT_EQ(sum.incomplete, std::nullopt);
  ASSERT_EQ(sum.accounts.size(), 1U);
  EXPECT_EQ(sum.accounts[0].counted, 11U);
  EXPECT_EQ(sum.accounts[0].unresolved, 2U);
  Merger merger;
  merger.add(part_of(0, 1), "a.json");
  EXPECT_THROW(merger.add(part_of(0, 1), "b.json"), MergeError);
}

// Forty warehouses: ten of each part.
TEST(Merge, WarehousesThatWereAwayAreThoseOfAllParts) {
  ExampleRun run(14);
  for (Result& part : run.parts) part.warehouse_availability.emplace();
  run.parts[2].warehouse_availability = {.away = {21, 23}, .away_s = 6, .available_percent = 0};
  run.parts[0].warehouse_availability = {.away = {7}, .away_s = 2, .available_percent = 0};
  Result sum = merged({run.parts[3], run.parts[2], run.parts[1], run.parts[0]});
  ASSERT_TRUE(sum.warehouse_availability);
  EXPECT_EQ(sum.warehouse_availability->away, (std::vector<std::uint64_t>{7, 21, 23}));
  EXPECT_EQ(sum.warehouse_availability->away_s, 8);
  EXPECT_DOUBLE_EQ(sum.warehouse_availability->available_percent,
                   100 * (1 - 8 / (40 * sum.summary.time_seconds)));
  run.parts[1].warehouse_availability.reset();
  EXPECT_FALSE(merged(run.parts).warehouse_availability) << "an older version made a part";
}

TEST(Merge, ARankSaysWhatItsPartSays) {
  ExampleRun run(13);
  Result& part = run.parts[3];
  part.audit = {{"client.load", "", Judgement::invalid, "a worker needed 99%"}};
  part.availability.unavailable_s = 0.5;
  part.ranks[0].name.clear();
  part.ranks[0].start_ts = 0;
  complete_rank(part);
  const RankResult& rank = part.ranks[0];
  EXPECT_EQ(rank.name, "d");
  EXPECT_EQ(rank.start_ts, 0);  // its phases never began: the run says that
  EXPECT_EQ(rank.host.cpu_model, "Xeon");
  EXPECT_EQ(rank.ok_count, all_transactions(part).ok_count);
  EXPECT_EQ(rank.latency.count(), rank.ok_count);
  EXPECT_EQ(rank.terminals, 100U);
  EXPECT_EQ(rank.unavailable_s, 0.5);
  EXPECT_FALSE(rank.valid);
  EXPECT_EQ(rank.audit, "INVALID: client overloaded: a worker needed 99%");
}

}  // namespace
}  // namespace drover::report
