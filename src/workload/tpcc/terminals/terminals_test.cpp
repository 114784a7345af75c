// A group on virtual time: hours of terminals in seconds, and every figure exact.
#include "workload/tpcc/terminals/tested_terminals_test.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <map>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "workload/tpcc/backend.h"
#include "workload/tpcc/input.h"

namespace drover::tpcc {
namespace {

using load::AvailabilityRecord;
using load::ClientGroup;
using load::SharedTotals;
using load::Timetable;
using namespace std::chrono_literals;
using coro::Duration;
using coro::Instant;
using coro::Task;

struct Begun {
  TransactionType type;
  std::int32_t w_id;
  Instant at;
  Instant done;
};

// Takes `time` for each transaction and notes when it began and ended.
class RecordingBackend : public Backend, Session {
 public:
  explicit RecordingBackend(Duration time) : time_(time) {}

  Task<void> open() override { co_return; }
  Task<database::Session*> acquire() override { co_return static_cast<database::Session*>(this); }
  void release(database::Session&) noexcept override {}

  Task<Outcome> execute(const Input& input, Trace&) override {
    const Instant at = coro::Worker::current().now();
    ++inside;
    inside_max = std::max(inside_max, inside);
    co_await coro::sleep_for(time_);
    --inside;
    begun.push_back({static_cast<TransactionType>(input.index()), warehouse_of(input), at,
                     coro::Worker::current().now()});
    co_return Outcome{};
  }

  std::vector<Begun> begun;
  int inside = 0;
  int inside_max = 0;

 private:
  static std::int32_t warehouse_of(const Input& input) {
    if (const auto* order = std::get_if<NewOrderInput>(&input)) return order->w_id;
    if (const auto* payment = std::get_if<PaymentInput>(&input)) return payment->w_id;
    return 0;
  }

  Duration time_;
};

class TerminalsTest : public testing::Test {
 protected:
  TerminalsTest() {
    plan.warehouses = 1;
    plan.duration = 1h;
    plan.seed = 7;
  }

  void run(Backend& backend, coro::Scope* = nullptr) {
    auto body = [&]() -> Task<void> {
      TestedTerminals tested(plan, backend, metrics, shared, records);
      ClientGroup& group = tested.group;
      const Instant start = clock.now();
      const Timetable timetable{.start = start,
                                .measure_start = start + plan.warmup,
                                .measure_end = start + plan.warmup + plan.duration};
      co_await group.run(timetable);
    };
    coro::block_on(worker, body());
  }

  std::uint64_t committed(TransactionType type) const {
    return metrics.measured[index_of(type)].ok_count.get();
  }

  coro::VirtualClock clock;
  coro::Worker worker{clock};
  Plan plan;
  load::WorkerMetrics metrics;
  load::SharedRecords shared;
  RunRecords records{plan};
  const WorkerCounts& counts = records.workers.front();
};

TEST_F(TerminalsTest, OneTerminalKeysInTransactsAndThinks) {
  plan.terminals_per_warehouse = 1;
  plan.duration = 20h;
  RecordingBackend backend(Duration(50ms));
  run(backend);
  const auto& begun = backend.begun;
  ASSERT_GT(begun.size(), 2'000U);
  // Between the end of one transaction and the start of the next lie its think time and the next
  // one's keying time. The keying time is constant, so what is left over it is the think time: its
  // mean by type is that of clause 5.2.5.7, and none is above ten times it.
  std::map<TransactionType, std::pair<double, int>> thinking;
  for (std::size_t i = 1; i < begun.size(); ++i) {
    const Duration gap = begun[i].at - begun[i - 1].done;
    const Duration keying = keying_time(begun[i].type);
    const TransactionType before = begun[i - 1].type;
    ASSERT_GE(gap, keying);
    ASSERT_LE(gap - keying, 10 * think_time_mean(before) + 1ms);
    thinking[before].first += std::chrono::duration<double>(gap - keying).count();
    ++thinking[before].second;
  }
  for (const auto& [type, sum] : thinking) {
    const double mean = std::chrono::duration<double>(think_time_mean(type)).count();
    const double tolerance = 5 * mean / std::sqrt(sum.second);
    EXPECT_NEAR(sum.first / sum.second, mean, tolerance) << transaction_name(type);
  }
}

// Whoever ends a run of millions of terminals does not wait until the last of them is up.
TEST_F(TerminalsTest, CanBeStoppedWhileTerminalsComeUp) {
  plan.warehouses = 10'000;
  RecordingBackend backend(Duration(1s));
  bool told_all_up = false;
  auto body = [&]() -> Task<void> {
    TestedTerminals tested(plan, backend, metrics, shared, records);
    ClientGroup& group = tested.group;
    group.on_all_up([&] { told_all_up = true; });
    shared.stop_asked = true;
    worker.post([&] { group.stop(); });
    const Instant start = clock.now();
    co_await group.run(
        {.start = start, .measure_start = start, .measure_end = start + plan.duration});
  };
  coro::block_on(worker, body());
  EXPECT_LT(metrics.terminals_made.get(), plan.terminals() / 5);
  EXPECT_EQ(metrics.terminals_up.get(), metrics.terminals_made.get());
  EXPECT_TRUE(told_all_up) << "somebody waits for it";
}

TEST_F(TerminalsTest, SaysOnceThatAllAreUpAndHowMany) {
  plan.warehouses = 300;
  plan.duration = 1s;
  RecordingBackend backend(Duration(1s));
  int told = 0;
  auto body = [&]() -> Task<void> {
    TestedTerminals tested(plan, backend, metrics, shared, records);
    ClientGroup& group = tested.group;
    group.on_all_up([&] {
      ++told;
      EXPECT_EQ(metrics.terminals_up.get(), 3'000U);
    });
    const Instant start = clock.now();
    co_await group.run(
        {.start = start, .measure_start = start, .measure_end = start + plan.duration});
  };
  coro::block_on(worker, body());
  EXPECT_EQ(told, 1);
}

TEST_F(TerminalsTest, FewerTerminalsThanDistrictsAreSpreadOverTheWarehouses) {
  plan.warehouses = 3;
  plan.no_delays = true;
  plan.terminals_most = 4;
  EXPECT_EQ(plan.terminals(), 4U);
  EXPECT_EQ(plan.terminals_of(1), 2);
  EXPECT_EQ(plan.terminals_of(2), 1);
  EXPECT_EQ(plan.terminals_of(3), 1);
  RecordingBackend backend(Duration(1s));
  run(backend);
  EXPECT_NEAR(static_cast<double>(backend.begun.size()), 4 * 3600, 4)
      << "four at a time, a second each";
  plan.terminals_most = 31;
  EXPECT_EQ(plan.terminals(), 30U) << "there are no more";
}

TEST_F(TerminalsTest, TheMixIsThatOfTheDeckToTheCard) {
  plan.terminals_per_warehouse = 1;
  plan.duration = 2h;
  RecordingBackend backend(Duration(1ms));
  run(backend);
  std::map<TransactionType, int> cards;
  // The first deck is begun somewhere inside; whole decks follow. Any 10 decks' worth of cards
  // differ from 10 decks by less than one deck.
  for (std::size_t i = 0; i < 230; ++i) ++cards[backend.begun[i].type];
  EXPECT_NEAR(cards[TransactionType::NewOrder], 100, 10);
  EXPECT_NEAR(cards[TransactionType::Payment], 100, 10);
  EXPECT_NEAR(cards[TransactionType::OrderStatus], 10, 1);
  EXPECT_NEAR(cards[TransactionType::Delivery], 10, 1);
  EXPECT_NEAR(cards[TransactionType::StockLevel], 10, 1);
}

TEST_F(TerminalsTest, TheLoadIsSteadyFromTheFirstSecond) {
  plan.warehouses = 200;
  plan.duration = 60s;
  RecordingBackend backend(Duration(1ms));
  run(backend);
  std::vector<int> per_second(60, 0);
  for (const Begun& begun : backend.begun) {
    ++per_second[static_cast<std::size_t>((begun.at - Instant{}) / 1s)];
  }
  const double expected = 2000 / std::chrono::duration<double>(mean_cycle()).count();
  for (const int count : per_second) {
    EXPECT_NEAR(count, expected, 6 * std::sqrt(expected));  // no group, no wave
  }
}

TEST_F(TerminalsTest, ThePaceDividesTheTimes) {
  plan.pace = 100;
  plan.duration = 10min;
  RecordingBackend backend(Duration(0));
  run(backend);
  const double expected = 600 / std::chrono::duration<double>(mean_cycle()).count() * 100 * 10;
  EXPECT_NEAR(static_cast<double>(backend.begun.size()), expected, expected * 0.03);
}

TEST_F(TerminalsTest, WithoutDelaysATerminalNeverPauses) {
  plan.no_delays = true;
  plan.duration = 10s;
  RecordingBackend backend(Duration(10ms));
  run(backend);
  EXPECT_NEAR(static_cast<double>(backend.begun.size()), 10 * 1000, 30);
  EXPECT_EQ(backend.inside_max, 10);
}

TEST_F(TerminalsTest, PermitsLimitWhatIsInFlightAndTheWaitIsShownApart) {
  plan.no_delays = true;
  plan.max_inflight = 2;
  plan.duration = 10s;
  RecordingBackend backend(Duration(10ms));
  run(backend);
  EXPECT_EQ(backend.inside_max, 2);
  EXPECT_NEAR(static_cast<double>(backend.begun.size()), 2 * 1000, 10);
}

TEST_F(TerminalsTest, LatencyRunsFromTheEndOfKeyingAndHoldsTheWaitForThePermit) {
  plan.warehouses = 100;
  plan.max_inflight = 1;
  plan.duration = 60s;
  RecordingBackend backend(
      Duration(1s));  // 1,000 terminals want 48 a second, and one a second is served
  run(backend);
  const auto& order = metrics.measured[index_of(TransactionType::NewOrder)];
  const auto latency = order.latency.snapshot();
  const auto wait = order.wait.snapshot();
  ASSERT_GT(latency.count(), 10U);
  EXPECT_GT(wait.percentile_ns(50), 10e9);
  EXPECT_NEAR(latency.mean_ns() - wait.mean_ns(), 1e9, 1e6);
}

TEST_F(TerminalsTest, OnlyWhatEndsWithinTheIntervalCounts) {
  plan.no_delays = true;
  plan.terminals_per_warehouse = 1;
  plan.warmup = 1s + 5ms;
  plan.duration = 1s;
  RecordingBackend backend(Duration(10ms));
  run(backend);
  std::uint64_t warm = 0;
  std::uint64_t measured = 0;
  for (const TransactionType type : all_transaction_types) {
    warm += metrics.warmup[index_of(type)].ok_count.get();
    measured += committed(type);
  }
  EXPECT_EQ(warm, static_cast<std::uint64_t>(
                      std::count_if(backend.begun.begin(), backend.begun.end(),
                                    [](const Begun& b) { return b.done < Instant{} + 1s + 5ms; })));
  EXPECT_EQ(warm + measured + 1, backend.begun.size());  // the last one ended too late
}

TEST_F(TerminalsTest, ARolledBackNewOrderIsCountedApart) {
  plan.duration = 6h;
  SimulatedBackend backend(Duration(1ms));
  run(backend);
  const auto& order = metrics.measured[index_of(TransactionType::NewOrder)];
  const auto all = static_cast<double>(order.ok_count.get() + order.user_aborted_count.get());
  EXPECT_GT(order.user_aborted_count.get(), 0U);
  EXPECT_NEAR(static_cast<double>(order.user_aborted_count.get()) / all, 0.01, 0.005);
  EXPECT_EQ(order.latency.snapshot().count(), order.ok_count.get());
}

// Fails in a way given by the attempt's number.
class FailingBackend final : public RecordingBackend {
 public:
  FailingBackend(database::ErrorClass error_class, int failures)
      : RecordingBackend(Duration(1ms)), class_(error_class), failures_(failures) {}

  Task<database::Session*> acquire() override {
    co_return static_cast<database::Session*>(&session_);
  }

 private:
  struct FailingSession final : tpcc::Session {
    explicit FailingSession(FailingBackend& b) : backend(b) {}
    Task<Outcome> execute(const Input& input, Trace& trace) override {
      if (backend.failures_ > 0) {
        --backend.failures_;
        inputs.push_back(static_cast<int>(input.index()));
        throw database::Error(backend.class_, "40001", "as asked");
      }
      return backend.RecordingBackend::execute(input, trace);
    }
    FailingBackend& backend;
    std::vector<int> inputs;
  };

  database::ErrorClass class_;
  int failures_;
  FailingSession session_{*this};
};

TEST_F(TerminalsTest, ASerializationFailureIsRetriedAndCounted) {
  plan.terminals_per_warehouse = 1;
  plan.duration = 10min;
  FailingBackend backend(database::ErrorClass::retryable, 3);
  run(backend);
  std::uint64_t retries = 0;
  std::uint64_t failed = 0;
  std::uint64_t attempts = 0;
  std::uint64_t committed_all = 0;
  for (const auto& m : metrics.measured) {
    retries += m.retry_count.get();
    failed += m.failed_count.get();
    attempts += m.attempts.get();
    committed_all += m.ok_count.get();
  }
  EXPECT_EQ(retries, 3U);
  EXPECT_EQ(failed, 0U);
  EXPECT_EQ(attempts, committed_all + 3);
}

TEST_F(TerminalsTest, RetriesEndAtTheLimit) {
  plan.terminals_per_warehouse = 1;
  plan.duration = 10min;
  plan.retry.attempts_max = 4;
  FailingBackend backend(database::ErrorClass::retryable, 4);
  run(backend);
  std::uint64_t retries = 0;
  std::uint64_t failed = 0;
  for (const auto& m : metrics.measured) {
    retries += m.retry_count.get();
    failed += m.failed_count.get();
  }
  EXPECT_EQ(retries, 3U);
  EXPECT_EQ(failed, 1U);
}

TEST_F(TerminalsTest, AFailedStatementIsNotRetriedAndTheTerminalGoesOn) {
  plan.terminals_per_warehouse = 1;
  plan.duration = 10min;
  FailingBackend backend(database::ErrorClass::statement, 1);
  run(backend);
  std::uint64_t failed = 0;
  for (const auto& m : metrics.measured) failed += m.failed_count.get();
  EXPECT_EQ(failed, 1U);
  EXPECT_GT(backend.begun.size(), 10U);
}

// Gives up its sessions after a while.
class GoneBackend final : public RecordingBackend {
 public:
  using RecordingBackend::RecordingBackend;
  Task<void> keep_open(SessionObserver&) override {
    co_await coro::sleep_for(30s);
    throw database::Error(database::ErrorClass::unavailable, "", "gone");
  }
};

TEST_F(TerminalsTest, ADatabaseThatIsGivenUpEndsTheRun) {
  plan.duration = 10h;
  GoneBackend backend(Duration(1ms));
  auto body = [&]() -> Task<void> {
    TestedTerminals tested(plan, backend, metrics, shared, records);
    ClientGroup& group = tested.group;
    co_await group.run({.start = clock.now(),
                        .measure_start = clock.now(),
                        .measure_end = clock.now() + Duration(10h)});
    EXPECT_TRUE(group.failure());
  };
  coro::block_on(worker, body());
  EXPECT_LT(clock.now() - Instant{}, 1min);
}

TEST_F(TerminalsTest, AStoppedHerdLetsWhatIsInFlightFinishAndDismissesTheRest) {
  plan.warehouses = 15;
  plan.duration = 10h;
  RecordingBackend backend(Duration(100ms));
  auto body = [&]() -> Task<void> {
    TestedTerminals tested(plan, backend, metrics, shared, records);
    ClientGroup& group = tested.group;
    auto stopper = [&group]() -> Task<void> {
      co_await coro::sleep_for(30s);
      group.stop();
    };
    coro::Scope scope(co_await coro::current_source());
    scope.start(stopper());
    co_await group.run({.start = clock.now(),
                        .measure_start = clock.now(),
                        .measure_end = clock.now() + Duration(10h)});
    co_await scope.join();
  };
  coro::block_on(worker, body());
  EXPECT_EQ(backend.inside, 0);
  EXPECT_LT(clock.now() - Instant{}, 31s);
  EXPECT_EQ(metrics.started.get(), metrics.finished.get());
}

TEST_F(TerminalsTest, WhatHangsAtTheEndIsCancelled) {
  plan.duration = 10s;
  RecordingBackend backend(Duration(10h));
  run(backend);
  EXPECT_LT(clock.now() - Instant{}, 16s);
  EXPECT_TRUE(backend.begun.empty());
}

}  // namespace
}  // namespace drover::tpcc
