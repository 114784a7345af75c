// A group on virtual time whose database fails: what is counted, what is resolved, and what waits.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "workload/tpcc/terminals/tested_terminals_test.h"

namespace drover::tpcc {
namespace {

using load::AvailabilityRecord;
using load::ClientGroup;
using load::PendingTransaction;
using load::SharedTotals;
using Unknown = decltype(SharedTotals::ambiguous);
using load::Timetable;
using namespace std::chrono_literals;
using coro::Duration;
using coro::Task;
using database::Error;
using database::ErrorClass;

TransactionType type_of(const Input& input) {
  return static_cast<TransactionType>(input.index());
}

bool writes(const Input& input) {
  return type_of(input) != TransactionType::OrderStatus &&
         type_of(input) != TransactionType::StockLevel;
}

// A database that is away from `away_from` to `away_until`: transactions in flight are lost, their
// commits ambiguous, and sessions are handed out again when it is back.
class FailingDatabase final : public Backend, Session {
 public:
  Task<void> open() override { co_return; }

  Task<void> keep_open(SessionObserver& observer) override {
    co_await coro::sleep_for(away_from);
    away_ = true;
    observer.on_session_refused(Error(ErrorClass::unavailable, "", "refused"));
    co_await coro::sleep_for(away_until - away_from);
    away_ = false;
    observer.on_session_opened();
    back_.set();
  }

  Task<database::Session*> acquire() override {
    if (away_) co_await back_.wait();
    co_return static_cast<database::Session*>(this);
  }
  void release(database::Session&) noexcept override {}

  Task<Outcome> execute(const Input& input, Trace& trace) override {
    marks.push_back(trace.mark);
    const Duration whole = type_of(input) == TransactionType::Delivery ? delivery_time : time;
    co_await coro::sleep_for(whole / 2);
    trace.commit_sent = writes(input);
    co_await coro::sleep_for(whole / 2);
    if (away_) {
      const auto error = writes(input) ? ErrorClass::ambiguous_commit : ErrorClass::connection_lost;
      throw Error(error, "", "the server closed the connection");
    }
    Outcome outcome;
    if (type_of(input) == TransactionType::Delivery) outcome.delivered.fill(2101);
    co_return outcome;
  }

  Task<std::vector<ResolvedCommit>> resolve(std::vector<UnknownCommit> doubts) override {
    asked = doubts;
    std::vector<ResolvedCommit> findings;
    for (const UnknownCommit& doubt : doubts) {
      const bool delivery = type_of(doubt.input) == TransactionType::Delivery;
      findings.emplace_back(answer, delivery ? orders_of_a_doubt : 0);
    }
    co_return findings;
  }

  static constexpr std::int32_t orders_of_a_doubt = 3;
  Duration time = 10ms;
  Duration delivery_time = 10ms;
  Duration away_from = 6s;
  Duration away_until = 9s;
  Resolution answer = Resolution::committed;
  std::vector<UnknownCommit> asked;
  std::vector<std::uint32_t> marks;

 private:
  bool away_ = false;
  coro::Event back_;
};

// A database that fails some transactions from `away_from` to `away_until`.
class PartlyFailingDatabase final : public Backend, Session {
 public:
  PartlyFailingDatabase(coro::Instant start, std::function<bool(const Input&)> fails)
      : start_(start), fails_(std::move(fails)) {}

  Task<void> open() override { co_return; }
  Task<database::Session*> acquire() override { co_return static_cast<database::Session*>(this); }
  void release(database::Session&) noexcept override {}

  Task<Outcome> execute(const Input& input, Trace&) override {
    co_await coro::sleep_for(10ms);
    const Duration now = coro::Worker::current().now() - start_;
    if (now >= away_from && now < away_until) {
      if (fails_(input)) throw Error(ErrorClass::statement, "08006", "connection refused");
      if (hangs) co_await coro::sleep_for(away_until - now);
    }
    co_return Outcome{};
  }

  static constexpr Duration away_from = 4s;
  static constexpr Duration away_until = 9s;
  bool hangs = false;  // the transactions that do not fail

 private:
  const coro::Instant start_;
  const std::function<bool(const Input&)> fails_;
};

// The warehouses that a transaction needs.
std::set<std::int32_t> warehouses_of(const Input& input) {
  if (const auto* order = std::get_if<NewOrderInput>(&input)) {
    std::set<std::int32_t> all = {order->w_id};
    for (const NewOrderLine& line : order->lines()) all.insert(line.supply_w_id);
    return all;
  }
  if (const auto* payment = std::get_if<PaymentInput>(&input)) {
    return {payment->w_id, payment->customer.c_w_id};
  }
  if (const auto* status = std::get_if<OrderStatusInput>(&input)) return {status->customer.c_w_id};
  if (const auto* delivery = std::get_if<DeliveryInput>(&input)) return {delivery->w_id};
  return {std::get<StockLevelInput>(input).w_id};
}

class FailuresTest : public testing::Test {
 protected:
  FailuresTest() {
    plan.warehouses = 10;
    plan.duration = 12s;
    plan.seed = 7;
  }

  void run(Backend& backend) {
    auto body = [&]() -> Task<void> {
      TestedTerminals tested(plan, backend, metrics, shared, records);
      ClientGroup& group = tested.group;
      start = clock.now();
      const Timetable timetable{.start = start,
                                .measure_start = start + plan.warmup,
                                .measure_end = start + plan.warmup + plan.duration};
      co_await group.run(timetable);
      co_await group.settle();
    };
    coro::block_on(worker, body());
  }

  template <class Member>
  std::uint64_t total(Member member) const {
    std::uint64_t sum = 0;
    for (const auto& one : metrics.measured) sum += std::invoke(member, one).get();
    return sum;
  }
  template <class Member>
  std::uint64_t ambiguous_total(Member member) const {
    return total([member](const SharedTotals& one) -> auto& { return one.ambiguous.*member; });
  }

  coro::VirtualClock clock;
  coro::Worker worker{clock};
  coro::Instant start;
  Plan plan;
  load::WorkerMetrics metrics;
  load::SharedRecords shared;
  RunRecords records{plan};
  const WorkerCounts& counts = records.workers.front();
};

TEST_F(FailuresTest, TheRunGoesOnWhenTheDatabaseIsBackAndTheOutageIsMeasured) {
  plan.no_delays = true;
  FailingDatabase database;
  run(database);
  const AvailabilityRecord record = shared.availability.record(clock.now());
  ASSERT_EQ(record.outages.size(), 1U);
  EXPECT_NEAR(std::chrono::duration<double>(record.outages[0].start - start).count(), 6, 0.02);
  ASSERT_TRUE(record.outages[0].end.has_value());
  EXPECT_NEAR(std::chrono::duration<double>(*record.outages[0].end - start).count(), 9, 0.001);
  EXPECT_EQ(record.outages[0].transactions_lost, 100U) << "a hundred terminals were in flight";
  EXPECT_EQ(total(&SharedTotals::failed_count), 100U);
  // 9 of 12 seconds at 100 terminals and 10 ms.
  EXPECT_NEAR(static_cast<double>(total(&SharedTotals::ok_count)), 9 * 100 * 100, 900);
}

// Transactions of other warehouses that need it fail, too.
TEST_F(FailuresTest, OnlyTheWarehouseThatIsAwayIsSaidToBe) {
  for (const bool no_delays : {true, false}) {
    SCOPED_TRACE(no_delays);
    plan.no_delays = no_delays;
    plan.pace = no_delays ? 1 : 20;
    PartlyFailingDatabase database(
        clock.now(), [](const Input& input) { return warehouses_of(input).contains(3); });
    run(database);
    const auto stretches = counts.availability.stretches();
    ASSERT_EQ(stretches.size(), 1U);
    EXPECT_EQ(stretches[0].w_id, 3);
    const double between_s = no_delays ? 0.1 : 1;
    EXPECT_NEAR(coro::seconds_of(stretches[0].start - start), 4, between_s);
    EXPECT_NEAR(coro::seconds_of(stretches[0].end - start), 9, between_s + 0.1);
  }
}

TEST_F(FailuresTest, FailuresOfTransactionsThatNeedSeveralWarehousesSayNothingOfOne) {
  plan.no_delays = true;
  std::map<std::int32_t, int> failures;
  PartlyFailingDatabase database(clock.now(), [&failures](const Input& input) {
    if (warehouses_of(input).size() == 1) return false;
    const auto* order = std::get_if<NewOrderInput>(&input);
    ++failures[order != nullptr ? order->w_id : std::get<PaymentInput>(input).w_id];
    return true;
  });
  database.hangs = true;  // no commit comes between
  run(database);
  EXPECT_GE(std::ranges::max(failures | std::views::values), 3);
  EXPECT_TRUE(counts.availability.stretches().empty());
}

TEST_F(FailuresTest, AmbiguousCommitsAreResolvedAndCountedWhereTheyBelong) {
  plan.no_delays = true;
  FailingDatabase database;
  run(database);
  const auto ambiguous = ambiguous_total(&Unknown::committed);
  EXPECT_GT(ambiguous, 50U);
  EXPECT_LT(ambiguous, 100U) << "those that only read are lost, and nothing is unknown of them";
  EXPECT_EQ(database.asked.size(), ambiguous);
  EXPECT_EQ(ambiguous_total(&Unknown::not_committed), 0U);
  for (const UnknownCommit& doubt : database.asked) {
    EXPECT_TRUE(writes(doubt.input));
    EXPECT_TRUE(doubt.trace.commit_sent);
  }
  // The ledger holds the answered and the resolved ones.
  const auto& order = metrics.measured[index_of(TransactionType::NewOrder)];
  const auto counted = order.ok_count.get() + order.ambiguous.committed.get();
  EXPECT_GE(counts.ledger.new_orders.get(), counted);
  EXPECT_LE(counts.ledger.new_orders.get(), counted + 100) << "what ended after the interval";
  EXPECT_EQ(counts.ledger.unresolved.get(), 0U);
}

// Ten of each Delivery that was answered, and of a doubted one as many as the data say.
TEST_F(FailuresTest, TheLedgerHasTheOrdersThatWereDelivered) {
  plan.no_delays = true;
  FailingDatabase database;
  run(database);
  const auto doubted = std::count_if(
      database.asked.begin(), database.asked.end(),
      [](const UnknownCommit& doubt) { return type_of(doubt.input) == TransactionType::Delivery; });
  EXPECT_GT(doubted, 0);
  const auto all = counts.ledger.deliveries.get();
  const auto resolved = static_cast<std::uint64_t>(doubted);
  EXPECT_EQ(counts.ledger.orders_delivered.get(),
            10 * (all - resolved) + FailingDatabase::orders_of_a_doubt * resolved);
}

TEST_F(FailuresTest, WhatDidNotHappenIsNotInTheLedger) {
  plan.no_delays = true;
  FailingDatabase database;
  database.answer = Resolution::not_committed;
  run(database);
  const auto& payment = metrics.measured[index_of(TransactionType::Payment)];
  EXPECT_GT(payment.ambiguous.not_committed.get(), 0U);
  EXPECT_GE(counts.ledger.payments.get(), payment.ok_count.get());
  EXPECT_LE(counts.ledger.payments.get(), payment.ok_count.get() + 100);
}

TEST_F(FailuresTest, WhatNobodyKnowsIsSaidToBeUnresolved) {
  plan.no_delays = true;
  FailingDatabase database;
  database.answer = Resolution::unknown;
  run(database);
  EXPECT_GT(ambiguous_total(&Unknown::unresolved), 0U);
  EXPECT_EQ(counts.ledger.unresolved.get(), ambiguous_total(&Unknown::unresolved));
}

TEST_F(FailuresTest, WaitingForADatabaseThatIsAwayIsLatencyAndNoWaitOfOurs) {
  plan.duration = 2min;
  FailingDatabase database;
  database.away_from = 60s;
  database.away_until = 90s;
  run(database);
  const auto& order = metrics.measured[index_of(TransactionType::NewOrder)];
  EXPECT_GT(order.latency.snapshot().max_ns(), 10'000'000'000U);
  EXPECT_LT(order.wait.snapshot().max_ns(), 1'000'000U);
}

TEST_F(FailuresTest, WhatIsCancelledAtTheEndUnderItsCommitIsAskedFor) {
  plan.no_delays = true;
  plan.duration = 1s;
  FailingDatabase database;
  database.time = database.delivery_time = 1h;  // the commit is sent in the middle of it
  plan.drain_patience = 40min;
  run(database);
  EXPECT_GT(database.asked.size(), 50U);
  EXPECT_EQ(counts.ledger.new_orders.get() + counts.ledger.payments.get() +
                counts.ledger.deliveries.get(),
            database.asked.size());
  EXPECT_EQ(total(&SharedTotals::failed_count), 0U) << "it ended after the interval";
}

// Freezes from `frozen_from` to `frozen_until`: whatever is under way then goes on after it, and
// nothing fails. As many sessions as `sessions`.
class FreezingDatabase final : public Backend, Session {
 public:
  explicit FreezingDatabase(std::size_t sessions) : sessions_(sessions) {}

  Task<void> open() override { co_return; }
  Task<database::Session*> acquire() override {
    auto permit = co_await sessions_.acquire();
    permits_.push_back(std::move(permit));
    co_return static_cast<database::Session*>(this);
  }
  void release(database::Session&) noexcept override { permits_.pop_back(); }

  Task<Outcome> execute(const Input&, Trace&) override {
    const auto begun = coro::Worker::current().now() - coro::Instant{};
    Duration end = begun + time;
    if (end > frozen_from && begun < frozen_until) end = frozen_until + time;
    co_await coro::sleep_until(coro::Instant{} + end);
    co_return Outcome{};
  }

  Duration time = 10ms;
  Duration frozen_from = 5s;
  Duration frozen_until = 30s;

 private:
  coro::Semaphore sessions_;
  std::vector<coro::Semaphore::Permit> permits_;
};

class FreezeTest : public FailuresTest {
 protected:
  FreezeTest() { plan.duration = 20s; }

  using End = PendingTransaction::End;
  std::size_t pending(End end) const {
    return static_cast<std::size_t>(
        std::ranges::count(metrics.pending, end, &PendingTransaction::end));
  }
  AvailabilityRecord record() const {
    return shared.availability.record(start + plan.warmup + plan.duration);
  }
  static double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
  }
};

TEST_F(FreezeTest, WhatIsPendingAtTheEndIsWrittenDownWithItsAge) {
  plan.no_delays = true;
  plan.terminals_most = 4;
  FreezingDatabase database(4);
  run(database);
  EXPECT_EQ(metrics.pending.size(), 4U);
  EXPECT_EQ(pending(End::none), 4U);
  for (const PendingTransaction& one : metrics.pending) {
    EXPECT_NEAR(seconds(one.age), 15, 0.02);
    EXPECT_NEAR(seconds(one.latency), 20, 0.02) << "it was waited for until it was given up";
  }
  EXPECT_NEAR(static_cast<double>(total(&SharedTotals::attempts)), 5 * 4 * 100, 10);
  ASSERT_EQ(record().stalls.size(), 1U);
  EXPECT_NEAR(seconds(record().stalls[0].start - start), 5, 0.02);
  EXPECT_FALSE(record().stalls[0].end.has_value());
}

TEST_F(FreezeTest, WhatIsAnsweredInTheTimeThatIsLeftHasItsLatency) {
  plan.no_delays = true;
  plan.terminals_most = 4;
  FreezingDatabase database(4);
  database.frozen_until = 23s;
  run(database);
  EXPECT_EQ(metrics.pending.size(), 4U);
  EXPECT_EQ(pending(End::committed), 4U);
  for (const PendingTransaction& one : metrics.pending) {
    EXPECT_NEAR(seconds(one.age), 15, 0.02);
    EXPECT_NEAR(seconds(one.latency), 18, 0.03);
  }
  ASSERT_EQ(record().stalls.size(), 1U);
  EXPECT_NEAR(seconds(*record().stalls[0].end - start), 23, 0.02);
}

TEST_F(FreezeTest, AFreezeInTheMiddleIsAStallAndTheLongestLatency) {
  plan.no_delays = true;
  plan.terminals_most = 4;
  plan.duration = 40s;
  FreezingDatabase database(4);
  database.frozen_from = 14s;
  database.frozen_until = 26s;
  run(database);
  ASSERT_EQ(record().stalls.size(), 1U);
  EXPECT_NEAR(seconds(record().stalls[0].start - start), 14, 0.02);
  EXPECT_NEAR(seconds(*record().stalls[0].end - start), 26, 0.02);
  std::uint64_t longest_ns = 0;
  for (const auto& one : metrics.measured) {
    longest_ns = std::max(longest_ns, one.latency.snapshot().max_ns());
  }
  EXPECT_NEAR(static_cast<double>(longest_ns), 12e9, 0.03e9);
}

// Most of a group wait in line: theirs is the most of the latency.
TEST_F(FreezeTest, TerminalsThatWaitInLineArePending) {
  plan.warehouses = 100;
  FreezingDatabase database(4);
  run(database);
  // A thousand terminals have come to want something in 15 s, mean cycle 21 s.
  EXPECT_GT(metrics.pending.size(), 400U);
  EXPECT_EQ(pending(End::none), metrics.pending.size());
  Duration oldest{};
  for (const PendingTransaction& one : metrics.pending) {
    EXPECT_LE(one.age, one.latency);
    oldest = std::max(oldest, one.age);
  }
  EXPECT_NEAR(seconds(oldest), 15, 0.2);
  EXPECT_EQ(record().stalls.size(), 1U);
}

TEST_F(FreezeTest, WaitsUnderAStallAreNoneOfTheClients) {
  plan.warehouses = 100;
  plan.duration = 60s;
  FreezingDatabase database(16);
  database.frozen_until = 17s;
  run(database);
  const auto& order = metrics.measured[index_of(TransactionType::NewOrder)];
  EXPECT_GT(order.latency.snapshot().percentile_ns(90), 5'000'000'000U) << "users see it";
  EXPECT_LT(order.wait.snapshot().max_ns(), 1'000'000'000U);
}

TEST_F(FreezeTest, AHealthyRunHasWhatIsOnItsWayPendingAndNoStall) {
  plan.no_delays = true;
  plan.terminals_most = 16;
  FreezingDatabase database(16);
  database.frozen_from = 1h;
  database.time = 11ms;
  run(database);
  EXPECT_EQ(metrics.pending.size(), 16U);
  EXPECT_EQ(pending(End::committed), 16U);
  for (const PendingTransaction& one : metrics.pending) EXPECT_LE(one.latency, 12ms);
  EXPECT_TRUE(record().stalls.empty());
}

TEST_F(FreezeTest, ARunThatEndsInItsWarmUpHasNothingPending) {
  plan.no_delays = true;
  plan.terminals_most = 4;
  plan.warmup = 1h;
  FreezingDatabase database(4);
  auto body = [&]() -> Task<void> {
    TestedTerminals tested(plan, database, metrics, shared, records);
    ClientGroup& group = tested.group;
    auto stopper = [&group]() -> Task<void> {
      co_await coro::sleep_for(8s);
      group.stop();
    };
    coro::Scope scope(co_await coro::current_source());
    scope.start(stopper());
    co_await group.run({.start = clock.now(),
                        .measure_start = clock.now() + plan.warmup,
                        .measure_end = clock.now() + plan.warmup + plan.duration});
    co_await scope.join();
  };
  coro::block_on(worker, body());
  EXPECT_TRUE(metrics.pending.empty());
}

TEST_F(FreezeTest, DeferredDeliveriesThatNeverEndedHaveAnAge) {
  plan.deferred_delivery = true;
  plan.no_delays = true;
  FreezingDatabase database(200);
  run(database);
  const auto unfinished = counts.deferred.unfinished.snapshot();
  EXPECT_GT(unfinished.count(), 0U);
  EXPECT_EQ(unfinished.count(), counts.deferred.queued.get() - counts.deferred.completed.get());
  EXPECT_GT(unfinished.max_ns(), 19'000'000'000U);
}

// Fails the attempts at its first transaction in this order, and notes when they come.
class RefusingDatabase final : public Backend, Session {
 public:
  explicit RefusingDatabase(std::vector<database::Backoff> refusals)
      : refusals_(std::move(refusals)) {}

  Task<void> open() override { co_return; }
  Task<database::Session*> acquire() override { co_return static_cast<database::Session*>(this); }
  void release(database::Session&) noexcept override {}

  Task<Outcome> execute(const Input&, Trace&) override {
    attempts.push_back(coro::Worker::current().now());
    if (attempts.size() <= refusals_.size()) {
      throw Error(ErrorClass::retryable, "", "not now", refusals_[attempts.size() - 1]);
    }
    co_await coro::sleep_for(1s);
    co_return Outcome{};
  }

  // Before the n-th retry, n from 1 on.
  double pause_ms(std::size_t n) const {
    return std::chrono::duration<double, std::milli>(attempts.at(n) - attempts.at(n - 1)).count();
  }

  std::vector<coro::Instant> attempts;

 private:
  std::vector<database::Backoff> refusals_;
};

TEST_F(FailuresTest, AServerWithTooMuchToDoIsLeftAloneForLonger) {
  using enum database::Backoff;
  plan.no_delays = true;
  plan.warehouses = 1;
  plan.terminals_most = 1;
  plan.duration = 10min;
  RefusingDatabase database({slow, fast, slow, slow, fast, slow, slow, slow, slow, slow});
  run(database);
  ASSERT_GT(database.attempts.size(), 11U);
  constexpr double tick_ms = 0.1;  // of the timers
  // In seconds, each at least half as long: 1, 2, 4, …, 64, 64.
  double longest_ms = 1'000;
  for (const std::size_t n : {1U, 3U, 4U, 6U, 7U, 8U, 9U, 10U}) {
    EXPECT_GE(database.pause_ms(n), longest_ms / 2) << n;
    EXPECT_LE(database.pause_ms(n), longest_ms + tick_ms) << n;
    longest_ms = std::min(longest_ms * 2, 64'000.0);
  }
  EXPECT_LE(database.pause_ms(2), 2 + tick_ms) << "each kind counts by itself";
  EXPECT_LE(database.pause_ms(5), 4 + tick_ms);
  EXPECT_EQ(total(&SharedTotals::retry_count), 10U);
  EXPECT_EQ(total(&SharedTotals::failed_count), 0U);
}

// Fails every second transaction with an error that is not retried. Each takes 10 ms.
class FailingEachSecond final : public Backend, Session {
 public:
  Task<void> open() override { co_return; }
  Task<database::Session*> acquire() override { co_return static_cast<database::Session*>(this); }
  void release(database::Session&) noexcept override {}

  Task<Outcome> execute(const Input&, Trace&) override {
    co_await coro::sleep_for(10ms);
    if (++executed_ % 2 == 0) throw Error(ErrorClass::statement, "22003", "numeric field overflow");
    co_return Outcome{};
  }

 private:
  std::uint64_t executed_ = 0;
};

TEST_F(FailuresTest, ThePauseAfterAFailureIsNoLatency) {
  plan.no_delays = true;
  plan.warehouses = 1;
  plan.terminals_most = 1;
  FailingEachSecond database;
  run(database);
  EXPECT_EQ(total(&SharedTotals::failed_count), 100U)
      << "of 120 ms each, with a success and a pause";
  for (const SharedTotals& one : metrics.measured) {
    EXPECT_LT(one.latency.snapshot().max_ns(), 11'000'000U);
    if (one.failed_count.get() == 0) continue;
    EXPECT_EQ(one.error_messages.at("22003"), "numeric field overflow");
  }
}

TEST_F(FailuresTest, MarksDoNotRepeat) {
  plan.duration = 1s;
  plan.no_delays = true;
  FailingDatabase database;
  run(database);
  std::vector<std::uint32_t> marks = database.marks;
  ASSERT_GT(marks.size(), 1'000U);
  std::sort(marks.begin(), marks.end());
  EXPECT_EQ(std::adjacent_find(marks.begin(), marks.end()), marks.end());
  EXPECT_LT(marks.back(), Trace::marks);
}

TEST_F(FailuresTest, ADeferredDeliveryIsAnsweredAtOnceAndExecutedLater) {
  plan.deferred_delivery = true;
  plan.duration = 1h;
  FailingDatabase database;
  database.time = database.delivery_time = 2s;
  database.away_from = 10h;
  database.away_until = 11h;
  run(database);
  const auto& delivery = metrics.measured[index_of(TransactionType::Delivery)];
  EXPECT_GT(delivery.ok_count.get(), 500U);
  EXPECT_EQ(delivery.ok_count.get(), counts.deferred.queued.get());
  EXPECT_LT(delivery.latency.snapshot().max_ns(), 1'000'000U);
  const auto executed = counts.deferred.latency.snapshot();
  EXPECT_GE(executed.min_ns(), 1'990'000'000U);
  EXPECT_EQ(counts.deferred.completed.get(), counts.deferred.queued.get())
      << "those in the queue at the end were executed, too";
  EXPECT_GE(counts.ledger.deliveries.get(), counts.deferred.completed.get());
}

TEST_F(FailuresTest, AFullQueueOfDeliveriesMakesTheTerminalWait) {
  plan.deferred_delivery = true;
  plan.no_delays = true;
  plan.warehouses = 1;
  plan.duration = 10s;
  plan.max_inflight = 4;
  FailingDatabase database;
  database.away_from = 10h;
  database.away_until = 11h;
  database.time = 1ms;
  database.delivery_time = 1s;
  run(database);
  // Room for a hundred, and one executed a second: the ten terminals come to wait soon.
  const auto& delivery = metrics.measured[index_of(TransactionType::Delivery)];
  EXPECT_GE(counts.deferred.queued.get(), 100U);
  EXPECT_LE(counts.deferred.queued.get(), 111U);
  EXPECT_GT(delivery.latency.snapshot().max_ns(), 1'000'000'000U);
  EXPECT_EQ(delivery.attempts.get(), delivery.ok_count.get());
}

}  // namespace
}  // namespace drover::tpcc
