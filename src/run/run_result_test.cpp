#include <gtest/gtest.h>

#include <chrono>

#include "run/measured_run.h"

namespace drover::run {
namespace {

using namespace std::chrono_literals;
using coro::Instant;

constexpr Instant start{100s};

database::ObservedActivity observed() {
  database::ObservedActivity activity;
  activity.events = {"CPU", "IO:WALSync", "Client:ClientRead"};
  activity.samples = {{start - 1s, {{0, 50}}},          // before the run
                      {start + 2s, {{0, 40}, {2, 7}}},  // the warm-up
                      {start + 6s, {{0, 1}, {1, 3}}},   // measured, as is what follows
                      {start + 7s, {}},
                      {start + 15s, {{1, 3}}},
                      {start + 16s, {{0, 40}}}};  // after it
  return activity;
}

report::Result result_with(database::ObservedActivity activity) {
  load::Plan plan;
  plan.warmup = 5s;
  load::Outcome outcome;
  outcome.start = start;
  outcome.measured = 10s;
  RunFacts facts;
  facts.activity = std::move(activity);
  return make_result({}, plan, facts, outcome);
}

TEST(TimeSeriesOfRun, SaysHowLongItsPointsAre) {
  load::Outcome outcome;
  outcome.seconds_per_point = 8;
  EXPECT_EQ(make_result({}, {}, {}, outcome).time_series_step_s, 8U);
}

TEST(RankOfRun, ThereIsNoneOfARunThatIsAlone) {
  EXPECT_TRUE(make_result({}, {}, {}, {}).ranks.empty());
}

TEST(RankOfRun, SaysWhichPartItIsAndWhenItBegan) {
  load::Plan plan;
  plan.share = {.before = 1, .own = 2, .total = 4, .rank = 1, .ranks = 3};
  load::Outcome outcome;
  outcome.unix_start = 1'795'636'800.25;
  const report::Result result = make_result({}, plan, {}, outcome);
  ASSERT_EQ(result.ranks.size(), 1U);
  const report::RankResult& rank = result.ranks[0];
  EXPECT_EQ(rank.rank, 1U);
  EXPECT_EQ(rank.ranks, 3U);
  EXPECT_EQ(rank.name, result.environment.client.hostname);
  EXPECT_EQ(rank.run, "");
  EXPECT_EQ(rank.start_ts, 1'795'636'800.25);
  EXPECT_EQ(rank.start_late_s, 0);
}

TEST(RankOfRun, ThatWaitedForOthersSaysHowLateItBegan) {
  RunPlan run;
  run.start_at = 1'795'636'800;
  load::Outcome outcome;
  outcome.unix_start = 1'795'636'802;
  // Ended before.
  EXPECT_EQ(make_result(run, {}, {}, outcome).ranks.at(0).start_ts, 0);
  outcome.start_late = 2s;
  const report::Result result = make_result(run, {}, {}, outcome);
  EXPECT_EQ(result.ranks.at(0).start_ts, 1'795'636'802);
  EXPECT_EQ(result.ranks.at(0).start_late_s, 2);
}

TEST(ServerStatsOfRun, AreNoneWhereNobodyLooked) {
  EXPECT_FALSE(make_result({}, {}, {}, {}).server_stats.has_value());
}

TEST(ServerStatsOfRun, MeansAreThoseOfTheMeasurement) {
  const report::ServerStats stats = result_with(observed()).server_stats.value();
  EXPECT_EQ(stats.samples_measured, 3U);
  ASSERT_EQ(stats.wait_events.size(), 2U);
  EXPECT_EQ(stats.wait_events[0].name, "IO:WALSync");
  EXPECT_DOUBLE_EQ(stats.wait_events[0].sessions, 2);
  EXPECT_EQ(stats.wait_events[1].name, "CPU");
  EXPECT_DOUBLE_EQ(stats.wait_events[1].sessions, 1.0 / 3);
  EXPECT_FALSE(stats.statements.has_value());
}

TEST(ServerStatsOfRun, SamplesAreThoseOfTheWholeRun) {
  const report::ServerStats stats = result_with(observed()).server_stats.value();
  ASSERT_EQ(stats.samples.size(), 5U);
  EXPECT_DOUBLE_EQ(stats.samples[0].t, 2);
  EXPECT_EQ(stats.samples[0].sessions,
            (std::map<std::string, std::uint64_t>{{"CPU", 40}, {"Client:ClientRead", 7}}));
  EXPECT_TRUE(stats.samples[2].sessions.empty());
}

TEST(ServerStatsOfRun, WithoutALookThereAreNoMeans) {
  const report::ServerStats stats = result_with({}).server_stats.value();
  EXPECT_EQ(stats.samples_measured, 0U);
  EXPECT_TRUE(stats.wait_events.empty());
  EXPECT_EQ(stats.sessions(), 0);
}

TEST(ServerStatsOfRun, StatementsAreAsTheServerCountsThem) {
  database::ObservedActivity activity = observed();
  activity.statements.emplace().push_back({"SELECT $1", 4, 10.0, 8});
  const auto statements = result_with(activity).server_stats.value().statements.value();
  ASSERT_EQ(statements.size(), 1U);
  EXPECT_EQ(statements[0].text, "SELECT $1");
  EXPECT_DOUBLE_EQ(statements[0].mean_ms(), 2.5);
  EXPECT_EQ(statements[0].rows, 8U);
}

}  // namespace
}  // namespace drover::run
