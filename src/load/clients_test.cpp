// Clients in closed and open loops, on virtual time.
#include "load/clients.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "load/run.h"

namespace drover::load {
namespace {

using namespace std::chrono_literals;
using coro::Duration;
using coro::Instant;
using coro::Task;

struct FreeSessions final : database::Backend, database::Session {
  Task<void> open() override { co_return; }
  Task<database::Session*> acquire() override { co_return static_cast<database::Session*>(this); }
  void release(database::Session&) noexcept override {}
};

// A database that answers after 10 ms, and not at all while it stands still.
struct SlowAnswers {
  Instant still_from = Instant::max();
  Instant still_until = Instant::max();
  std::uint64_t refused_each = 0;  // every n-th transaction fails; 0: none
  // Returns the SQLSTATE with which the n-th transaction fails, or an empty string.
  std::function<std::string(std::uint64_t)> sqlstate_of = {};
  mutable std::uint64_t asked = 0;

  Task<void> answer() const {
    const Instant now = coro::Worker::current().now();
    if (now >= still_from && now < still_until) co_await coro::sleep_until(still_until);
    co_await coro::sleep_for(10ms);
    ++asked;
    if (sqlstate_of) {
      const std::string sqlstate = sqlstate_of(asked);
      if (sqlstate.empty()) co_return;
      throw database::Error(database::classify_sqlstate(sqlstate), sqlstate, "refused");
    }
    if (refused_each == 0 || asked % refused_each != 0) co_return;
    throw database::Error(database::ErrorClass::statement, "22012", "division\nby zero");
  }
};

class Asking final : public Workload {
 public:
  Asking(const Plan& plan, std::size_t index, const SlowAnswers& answers,
         std::vector<std::size_t>& asked)
      : clients_(plan, index), answers_(answers), asked_(asked) {}

  database::Backend& backend() noexcept override { return sessions_; }
  std::size_t terminals() const noexcept override { return clients_.clients(); }
  void start_terminals(ClientGroup& group) override {
    clients_.start(group, [this](std::size_t number) {
      asked_.push_back(number);
      return Question(answers_);
    });
  }
  Task<std::vector<database::Resolution>> resolve(
      std::vector<const load::Transaction*> unknown_commits) override {
    co_return std::vector(unknown_commits.size(), database::Resolution::unknown);
  }
  void leave_unresolved(std::size_t) override {}

 private:
  class Question final : public load::Transaction {
   public:
    explicit Question(const SlowAnswers& answers) : answers_(answers) {}
    std::size_t type() const noexcept override { return 0; }
    Task<void> execute(database::Session&) override { return answers_.answer(); }
    bool committed() const noexcept override { return true; }
    bool commit_sent() const noexcept override { return false; }
    void count(bool) override {}
    std::unique_ptr<load::Transaction> keep() const override {
      return std::make_unique<Question>(*this);
    }

   private:
    const SlowAnswers& answers_;
  };

  ClientLoop clients_;
  FreeSessions sessions_;
  const SlowAnswers& answers_;
  std::vector<std::size_t>& asked_;
};

struct Ended {
  Outcome outcome;
  std::vector<std::size_t> asked;                           // by which client
  std::vector<std::optional<std::uint64_t>> backlogs = {};  // of each second
};

class BacklogObserver final : public Observer {
 public:
  explicit BacklogObserver(std::vector<std::optional<std::uint64_t>>& backlogs)
      : backlogs_(backlogs) {}
  void on_snapshot(const Snapshot& snapshot) override {
    backlogs_.push_back(snapshot.second.backlog);
  }

 private:
  std::vector<std::optional<std::uint64_t>>& backlogs_;
};

Task<void> stop_in(StopRequest& stop, Duration after) {
  if (co_await coro::slept_until(coro::Worker::current().now() + after)) stop.request();
}

Plan plan_of(std::size_t clients) {
  Plan plan;
  plan.terminal_count = clients;
  plan.duration = 10s;
  return plan;
}

// The database stands still for a time, from an instant of the run on.
Ended run_to_its_end(const Plan& plan, Duration still_from = 0s, Duration still_for = 0s,
                     Rendezvous* others = nullptr, std::uint64_t refused_each = 0,
                     Duration stop_after = Duration::max(),
                     std::function<std::string(std::uint64_t)> sqlstate_of = {}) {
  coro::VirtualClock clock;
  coro::Worker worker(clock);
  StopRequest stop;
  Surroundings surroundings;
  surroundings.own_threads = false;
  surroundings.rendezvous = others;
  SlowAnswers answers;
  answers.refused_each = refused_each;
  answers.sqlstate_of = std::move(sqlstate_of);
  Ended ended;
  BacklogObserver observer(ended.backlogs);
  std::optional<Outcome> outcome;
  auto body = [&]() -> Task<void> {
    if (still_for > 0s) answers.still_from = coro::Worker::current().now() + still_from;
    if (still_for > 0s) answers.still_until = answers.still_from + still_for;
    const auto make = [&](std::size_t index) {
      return std::make_unique<Asking>(plan, index, answers, ended.asked);
    };
    coro::Scope beside(co_await coro::current_source());
    if (stop_after != Duration::max()) beside.start(stop_in(stop, stop_after));
    outcome = co_await run(plan, make, observer, stop, surroundings);
    beside.cancel();
    co_await beside.join();
  };
  coro::block_on(worker, body());
  ended.outcome = std::move(*outcome);
  return ended;
}

model::Totals measured_of(const Ended& ended) {
  model::Totals sum;
  for (const auto& worker : ended.outcome.workers) add_live(worker->measured[0], sum);
  return sum;
}

std::uint64_t backlog_of(const Ended& ended) {
  std::uint64_t sum = 0;
  for (const auto& worker : ended.outcome.workers) sum += worker->backlog.get();
  return sum;
}

TEST(Clients, ClosedLoopGoesOnWithTheAnswer) {
  const Ended ended = run_to_its_end(plan_of(4));
  EXPECT_EQ(measured_of(ended).ok_count, 4 * 999U);  // the last one of each ends with the run
  EXPECT_TRUE(ended.outcome.workers[0]->measured[0].service.snapshot().empty());
  EXPECT_EQ(backlog_of(ended), 0U);
}

TEST(Clients, ThinkTimeIsAPauseAfterEachAnswerAndNoLatency) {
  Plan plan = plan_of(4);
  plan.think_time = 90ms;
  const Ended ended = run_to_its_end(plan);
  EXPECT_EQ(measured_of(ended).ok_count, 4 * 100U);
  EXPECT_LT(ended.outcome.workers[0]->measured[0].latency.snapshot().max_ns(), 11'000'000U);
}

TEST(Clients, AFailureExtendsOnlyAShorterThinkTime) {
  Plan plan = plan_of(1);
  plan.think_time = 200ms;
  const Ended ended = run_to_its_end(plan, 0s, 0s, nullptr, 2);
  EXPECT_EQ(ended.outcome.workers[0]->measured[0].failed_count.get(), 24U);
  EXPECT_EQ(ended.outcome.workers[0]->measured[0].ok_count.get(), 24U);
}

// A success and a failure take 10 ms each, and the pause after the failure takes 100 ms: 120 ms for
// both.
TEST(Clients, ThePauseAfterAFailureIsNoLatency) {
  const Ended ended = run_to_its_end(plan_of(1), 0s, 0s, nullptr, 2);
  const SharedTotals& measured = ended.outcome.workers[0]->measured[0];
  EXPECT_EQ(measured.failed_count.get(), 84U);
  EXPECT_EQ(measured.ok_count.get(), 84U);
  EXPECT_GE(measured.latency.snapshot().max_ns(), 10'000'000U);
  EXPECT_LT(measured.latency.snapshot().max_ns(), 11'000'000U);
}

TEST(Clients, ARunDoesNotEndWithThePauseAfterItsLastOperation) {
  Plan plan = plan_of(1);
  plan.operations = 2;
  const Ended ended = run_to_its_end(plan, 0s, 0s, nullptr, 2);
  EXPECT_EQ(ended.outcome.workers[0]->measured[0].failed_count.get(), 1U);
  EXPECT_LT(ended.outcome.measured, 30ms);
}

TEST(Clients, AFailureIsRememberedInTheWordsOfTheServer) {
  const Ended ended = run_to_its_end(plan_of(1), 0s, 0s, nullptr, 2);
  const SharedTotals& measured = ended.outcome.workers[0]->measured[0];
  const std::map<std::string, std::string> expected = {{"22012", "division by zero"}};
  EXPECT_EQ(measured.error_messages, expected);
  EXPECT_EQ(measured.errors_by_sqlstate.at("22012"), 84U);
}

Ended run_refused(std::size_t threads, std::function<std::string(std::uint64_t)> sqlstate_of) {
  Plan plan = plan_of(4);
  plan.threads = threads;
  plan.warmup = 1s;
  plan.duration = 1min;
  plan.workload.types = {{.name = "SCAN"}};
  return run_to_its_end(plan, 0s, 0s, nullptr, 0, Duration::max(), std::move(sqlstate_of));
}

TEST(Clients, ARunEndsEarlyIfATypeOfTransactionCannotSucceed) {
  for (const std::size_t threads : {1U, 2U}) {
    const Ended ended = run_refused(threads, [](std::uint64_t) { return "0A000"; });
    ASSERT_TRUE(ended.outcome.failure);
    EXPECT_TRUE(ended.outcome.failure->starts_with(
        "no transaction of type SCAN has succeeded. They fail with "))
        << *ended.outcome.failure;
    EXPECT_TRUE(ended.outcome.failure->ends_with(
        " fail with 0A000, an error that a retry cannot solve: refused"))
        << *ended.outcome.failure;
    EXPECT_GT(ended.outcome.measured, 3s);
    EXPECT_LT(ended.outcome.measured, 5s);
    EXPECT_FALSE(ended.outcome.interrupted);
  }
}

TEST(Clients, ARunGoesOnWhereItsTransactionsMaySucceed) {
  const auto first_succeeds = [](std::uint64_t asked) { return asked == 1 ? "" : "0A000"; };
  const auto duplicates = [](std::uint64_t) { return "23505"; };
  const auto changing = [](std::uint64_t asked) { return asked % 9 == 0 ? "22012" : "42P01"; };
  for (const std::function<std::string(std::uint64_t)>& sqlstate_of :
       {std::function<std::string(std::uint64_t)>(first_succeeds),
        std::function<std::string(std::uint64_t)>(duplicates),
        std::function<std::string(std::uint64_t)>(changing)}) {
    const Ended ended = run_refused(1, sqlstate_of);
    EXPECT_FALSE(ended.outcome.failure) << ended.outcome.failure.value_or("");
    EXPECT_EQ(ended.outcome.measured, Duration(1min));
  }
}

struct CountsOfSeries {
  std::uint64_t committed = 0;
  std::uint64_t failed = 0;
  std::uint64_t latencies = 0;
};

CountsOfSeries counts_of(const std::vector<Sample>& samples, Phase phase) {
  CountsOfSeries sum;
  for (const Sample& sample : samples) {
    if (sample.phase != phase) continue;
    sum.committed += sample.ok[0];
    sum.failed += sample.failed;
    for (const auto& [bucket, count] : sample.latency.buckets) sum.latencies += count;
  }
  return sum;
}

// The run is ended by time, by operations and by the user, in the middle of a second, with and
// without a warm-up.
TEST(Clients, TheSeriesAddsUpToTheCountsHoweverARunEnds) {
  struct Case {
    const char* name;
    Duration warmup;
    Duration duration;
    std::uint64_t operations;
    Duration stop_after;
  };
  const Duration never = Duration::max();
  for (const Case& one : {Case{"time", 0s, 10s, 0, never},
                          {"time with a warm-up", 1500ms, 2700ms, 0, never},
                          {"operations", 0s, 10s, 300, never},
                          {"operations with a warm-up", 2s, 10s, 600, never},
                          {"stop", 0s, 10s, 0, 4'300ms},
                          {"stop just after a sample", 0s, 10s, 0, 4s + 1us},
                          {"stop with a warm-up", 2s, 10s, 0, 4'995ms},
                          {"stop in the warm-up", 5s, 10s, 0, 2'200ms}}) {
    for (const std::uint64_t ranks : {1U, 2U}) {
      SCOPED_TRACE(one.name);
      Plan plan = plan_of(4);
      plan.threads = 2;
      plan.warmup = one.warmup;
      plan.duration = one.duration;
      plan.operations = one.operations * ranks;
      plan.share.total = plan.share.ranks = ranks;
      const Ended ended = run_to_its_end(plan, 0s, 0s, nullptr, 3, one.stop_after);
      const model::Totals measured = measured_of(ended);
      const std::vector<Sample>& samples = ended.outcome.samples;
      const CountsOfSeries series = counts_of(samples, Phase::measure);
      EXPECT_EQ(series.committed, measured.ok_count);
      EXPECT_EQ(series.failed, measured.failed_count);
      if (ranks > 1) EXPECT_EQ(series.latencies, measured.latency.count());
      model::Totals warmup;
      for (const auto& worker : ended.outcome.workers) add_live(worker->warmup[0], warmup);
      EXPECT_EQ(counts_of(samples, Phase::warmup).committed, warmup.ok_count);
      const Duration measured_for = ended.outcome.measured;
      const Duration end = measured_for > 0s ? one.warmup + measured_for : one.stop_after;
      ASSERT_FALSE(samples.empty());
      EXPECT_NEAR(coro::seconds_of(samples.back().elapsed), coro::seconds_of(end), 1e-3);
      EXPECT_LE(samples.back().client_load, 1);
      for (std::size_t i = 1; i < samples.size(); ++i) {
        EXPECT_GT(samples[i].elapsed, samples[i - 1].elapsed);
      }
    }
  }
}

TEST(Clients, ARunOfManyHoursHasLongerPoints) {
  Plan plan = plan_of(1);
  plan.warmup = 3s;
  plan.duration = 5h;
  plan.rate = 0.1;
  const Ended ended = run_to_its_end(plan);
  EXPECT_EQ(ended.outcome.seconds_per_point, 2U);
  EXPECT_EQ(ended.outcome.samples.size(), 2 + 9'000U);
  EXPECT_EQ(counts_of(ended.outcome.samples, Phase::measure).committed,
            measured_of(ended).ok_count);
}

TEST(Clients, EveryClientHasANumberOfItsOwn) {
  Plan plan = plan_of(5);
  plan.threads = 2;
  plan.operations = 5;
  Ended ended = run_to_its_end(plan);
  std::sort(ended.asked.begin(), ended.asked.end());
  EXPECT_EQ(ended.asked, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(Clients, RunEndsWhenTheOperationsAreDone) {
  for (const std::size_t threads : {1U, 3U}) {
    Plan plan = plan_of(7);
    plan.threads = threads;
    plan.operations = 1'000;
    const Ended ended = run_to_its_end(plan);
    EXPECT_EQ(measured_of(ended).ok_count, 1'000U);
    EXPECT_FALSE(ended.outcome.interrupted);
    // 143 each; or 333 by two of three workers' clients, of which there are 3, 2 and 2.
    EXPECT_GE(ended.outcome.measured, threads == 1 ? 1'430ms : 1'670ms);
    EXPECT_LE(ended.outcome.measured, threads == 1 ? 1'450ms : 1'690ms);
  }
}

TEST(Clients, TimeEndsARunOfTooManyOperations) {
  Plan plan = plan_of(1);
  plan.operations = 1'000'000;
  const Ended ended = run_to_its_end(plan);
  EXPECT_EQ(measured_of(ended).ok_count, 999U);
  EXPECT_EQ(ended.outcome.measured, 10s);
}

TEST(Clients, OpenLoopKeepsItsRateWhateverTheAnswersTake) {
  for (const std::size_t threads : {1U, 2U}) {
    Plan plan = plan_of(64);
    plan.threads = threads;
    plan.rate = 500;
    const Ended ended = run_to_its_end(plan);
    const model::Totals measured = measured_of(ended);
    EXPECT_NEAR(static_cast<double>(measured.ok_count), 5'000, 6);  // some are under way
    EXPECT_LT(measured.latency.max_ns(), 11'000'000U);
    EXPECT_EQ(backlog_of(ended), 0U);
  }
}

TEST(Clients, PoissonArrivalsAreTheSameForTheSameSeed) {
  Plan plan = plan_of(64);
  plan.rate = 500;
  plan.poisson = true;
  const std::uint64_t first = measured_of(run_to_its_end(plan)).ok_count;
  EXPECT_EQ(measured_of(run_to_its_end(plan)).ok_count, first);
  EXPECT_NEAR(static_cast<double>(first), 5'000, 5 * 71);  // the seed is fixed
  plan.seed = 2;
  EXPECT_NE(measured_of(run_to_its_end(plan)).ok_count, first);
}

// A second in which nothing is answered: a hundredth of the transactions of 100 s, had they waited;
// a closed loop has one of them for each client.
TEST(Clients, StallIsInTheLatencyFromTheIntendedTimeOnly) {
  Plan plan = plan_of(16);
  plan.rate = 500;
  const Ended ended = run_to_its_end(plan, 5s, 1s);
  const SharedTotals& measured = ended.outcome.workers[0]->measured[0];
  const measure::HistogramSnapshot latency = measured.latency.snapshot();
  const measure::HistogramSnapshot service = measured.service.snapshot();
  EXPECT_EQ(latency.count(), service.count());
  EXPECT_GT(latency.percentile_ns(95), 500'000'000U);
  EXPECT_LT(service.percentile_ns(99), 11'000'000U);
  EXPECT_GT(service.max_ns(), 900'000'000U);  // of the 16 that had been begun
  EXPECT_EQ(backlog_of(ended), 0U);           // it was made up for
}

TEST(Clients, WhatNobodyWasFreeToBeginIsBacklog) {
  Plan plan = plan_of(2);
  plan.rate = 500;  // they can do 200
  const Ended ended = run_to_its_end(plan);
  const std::uint64_t committed = measured_of(ended).ok_count;
  EXPECT_NEAR(static_cast<double>(committed), 2'000, 2);
  EXPECT_NEAR(static_cast<double>(committed + backlog_of(ended)), 5'000, 4);
}

TEST(Clients, EachSecondTellsTheBacklog) {
  for (const std::size_t threads : {1U, 2U}) {
    Plan plan = plan_of(2);
    plan.threads = threads;
    plan.rate = 500;  // they can do 200
    Ended ended = run_to_its_end(plan);
    ASSERT_EQ(ended.backlogs.size(), 10U);
    EXPECT_NEAR(static_cast<double>(ended.backlogs[4].value()), 1'500, 4);
    EXPECT_NEAR(static_cast<double>(ended.backlogs[9].value()),
                static_cast<double>(backlog_of(ended)), 4);
    plan.poisson = true;
    ended = run_to_its_end(plan);
    EXPECT_NEAR(static_cast<double>(ended.backlogs[9].value()),
                static_cast<double>(backlog_of(ended)), 5 * 71);  // the seed is fixed
    plan.operations = 1'000;
    EXPECT_LE(run_to_its_end(plan).backlogs[1].value(), 1'000U);
  }
  Plan plan = plan_of(64);
  EXPECT_EQ(run_to_its_end(plan).backlogs[0], std::nullopt) << "a closed loop has none";
  plan.rate = 500;
  EXPECT_EQ(run_to_its_end(plan).backlogs[0], 0U);
}

// The hosts of a run with so many threads each, whose weights are these.
std::vector<Plan> plans_of(Plan plan, std::size_t clients,
                           const std::vector<std::uint64_t>& weights) {
  std::vector<Plan> plans;
  Share share{.total = 0, .ranks = weights.size()};
  for (const std::uint64_t weight : weights) share.total += weight;
  for (const std::uint64_t weight : weights) {
    share.own = weight;
    plan.share = share;
    plan.set_clients(clients);
    plans.push_back(plan);
    share.before += weight;
    ++share.rank;
  }
  return plans;
}

TEST(Share, LeavesNothingOutAndHasNothingTwice) {
  for (const std::vector<std::uint64_t>& weights :
       {std::vector<std::uint64_t>{1}, {1, 1, 1, 1}, {3, 1, 2}, {1'000'000, 1}}) {
    for (const std::uint64_t count : {0U, 1U, 7U, 100U, 1'000'003U}) {
      std::uint64_t next = 0;
      for (const Plan& plan : plans_of({}, 1, weights)) {
        EXPECT_EQ(plan.share.begin(count), next);
        next = plan.share.end(count);
      }
      EXPECT_EQ(next, count);
    }
  }
}

TEST(Clients, OfSeveralHostsAreNumberedOverAll) {
  Plan whole;
  whole.threads = 2;
  whole.duration = 10s;
  whole.operations = 22;
  std::vector<std::size_t> numbers;
  std::uint64_t done = 0;
  for (const Plan& plan : plans_of(whole, 11, {1, 2, 1})) {
    const Ended ended = run_to_its_end(plan);
    done += measured_of(ended).ok_count;
    std::set<std::size_t> own;
    for (const std::size_t number : ended.asked) own.insert(plan.first_client() + number);
    EXPECT_EQ(own.size(), plan.terminal_count);
    numbers.insert(numbers.end(), own.begin(), own.end());
  }
  EXPECT_EQ(numbers, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(done, 22U);
}

// No two begin at the same instant, and the gaps between those of all hosts are alike.
TEST(Clients, ConstantArrivalsOfSeveralHostsAreSpreadEvenly) {
  Plan whole;
  whole.threads = 2;
  whole.rate = 600;
  std::vector<Instant> all;
  for (const Plan& plan : plans_of(whole, 12, {1, 1, 1})) {
    for (std::size_t index = 0; index < plan.threads; ++index) {
      Arrivals arrivals(plan, index, Instant{});
      for (; arrivals.next() < Instant{1s}; arrivals.take()) all.push_back(arrivals.next());
    }
  }
  std::ranges::sort(all);
  ASSERT_EQ(all.size(), 600U);
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_NEAR(coro::seconds_of(all[i] - all[i - 1]), 1.0 / 600, 1e-6);
  }
}

TEST(Clients, PoissonArrivalsOfSeveralHostsAreIndependent) {
  Plan whole;
  whole.rate = 1'000;
  whole.poisson = true;
  std::set<Instant> all;
  std::size_t count = 0;
  for (const Plan& plan : plans_of(whole, 4, {1, 3})) {
    Arrivals arrivals(plan, 0, Instant{});
    std::size_t own = 0;
    for (; arrivals.next() < Instant{100s}; arrivals.take(), ++own) all.insert(arrivals.next());
    // The seed is fixed; five deviations.
    const double expected = plan.own_rate() * 100;
    EXPECT_NEAR(static_cast<double>(own), expected, 5 * std::sqrt(expected));
    count += own;
  }
  EXPECT_EQ(all.size(), count);
}

TEST(Clients, SecondsOfAPartCarryTheirHistograms) {
  Plan plan = plans_of(plan_of(1), 4, {1, 1})[1];
  std::uint64_t samples = 0;
  const Ended part = run_to_its_end(plan);
  for (const Sample& second : part.outcome.samples) {
    for (const auto& [bucket, count] : second.latency.buckets) samples += count;
  }
  EXPECT_EQ(samples, measured_of(part).ok_count);
  const Ended whole = run_to_its_end(plan_of(2));
  for (const Sample& second : whole.outcome.samples) EXPECT_TRUE(second.latency.buckets.empty());
}

// Others that agree on an instant so long after the terminals are up.
struct Agreed final : Rendezvous {
  explicit Agreed(Duration later) : after(later) {}
  Task<void> sessions_open() override { co_return; }
  Task<Instant> terminals_up() override {
    up = coro::Worker::current().now();
    co_return up + after;
  }

  Duration after;
  Instant up;
};

TEST(Rendezvous, PhasesBeginAtTheInstantThatWasAgreedOn) {
  Agreed others(40s);
  const Ended ended = run_to_its_end(plan_of(4), 0s, 0s, &others);
  EXPECT_EQ(ended.outcome.start, others.up + 40s);
  ASSERT_TRUE(ended.outcome.start_late);
  EXPECT_LT(*ended.outcome.start_late, 1ms);
  EXPECT_EQ(ended.outcome.measured, 10s);
  EXPECT_EQ(measured_of(ended).ok_count, 4 * 999U);
}

TEST(Rendezvous, WhoComesLateBeginsAtOnceAndSaysSo) {
  Agreed others(-3s);
  const Ended ended = run_to_its_end(plan_of(4), 0s, 0s, &others);
  EXPECT_EQ(ended.outcome.start, others.up);
  EXPECT_EQ(ended.outcome.start_late, 3s);
  EXPECT_EQ(measured_of(ended).ok_count, 4 * 999U);
}

}  // namespace
}  // namespace drover::load
