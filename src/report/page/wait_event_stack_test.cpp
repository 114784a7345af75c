#include "report/page/wait_event_stack.h"

#include <gtest/gtest.h>

#include <string>

#include "report/document/example_result_test.h"

namespace drover::report {
namespace {

// A second a point and a look, a little behind each full second: 3 sessions work, and as many as
// the second says wait.
Result watched_result(int seconds) {
  Result result;
  result.transactions = tpcc_transactions();
  result.server_stats.emplace();
  result.server_stats->wait_events = {{"IO:WALSync", 5}, {"CPU", 3}};
  for (int i = 1; i <= seconds; ++i) {
    TimePoint point;
    point.t = i;
    point.phase = "measure";
    point.ok = {45, 43, 4, 4, 4};
    result.time_series.push_back(point);
    result.server_stats->samples.push_back(
        {i - 0.98, {{"CPU", 3}, {"IO:WALSync", static_cast<std::uint64_t>(i)}}});
  }
  return result;
}

WaitEventStack stack_of(const Result& result, std::size_t columns = 300) {
  return make_wait_event_stack(result, make_timeline(result, columns));
}

TEST(WaitEventStack, HasAColumnForEachOfTheTimeline) {
  const Result result = watched_result(10);
  const WaitEventStack stack = stack_of(result);
  EXPECT_EQ(stack.events, (std::vector<std::string>{"IO:WALSync", "CPU"}));
  ASSERT_EQ(stack.columns.size(), 10U);
  EXPECT_EQ(stack.columns[0].value(), (std::vector<double>{1, 3}));
  EXPECT_EQ(stack.columns[9].value(), (std::vector<double>{10, 3}));
  EXPECT_DOUBLE_EQ(stack.highest(), 13);
}

TEST(WaitEventStack, CurvesLieOnEachOther) {
  const Result result = watched_result(10);
  const Timeline timeline = make_timeline(result, 300);
  const auto curves = stack_curves(make_wait_event_stack(result, timeline), timeline);
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[1].name, "CPU");
  ASSERT_EQ(curves[0].pieces.size(), 1U);
  ASSERT_EQ(curves[1].pieces[0].size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    const CurvePoint& lower = curves[0].pieces[0][i];
    const CurvePoint& upper = curves[1].pieces[0][i];
    EXPECT_EQ(lower.low, 0);
    EXPECT_EQ(lower.high, static_cast<double>(i + 1));
    EXPECT_EQ(upper.low, lower.high);
    EXPECT_EQ(upper.high, upper.low + 3);
    EXPECT_EQ(upper.x, lower.x);
  }
}

TEST(WaitEventStack, ALongRunHasMeans) {
  const WaitEventStack stack = stack_of(watched_result(100), 12);
  ASSERT_EQ(stack.columns.size(), 10U);
  EXPECT_EQ(stack.columns[0].value(), (std::vector<double>{5.5, 3}));
}

TEST(WaitEventStack, ALateLookIsNoHoleAndAnOutageIsOne) {
  Result result = watched_result(20);
  std::vector<ServerSample>& samples = result.server_stats->samples;
  samples[4].t = 3.99;  // in the column before its own
  samples.erase(samples.begin() + 10, samples.begin() + 15);
  const Timeline timeline = make_timeline(result, 300);
  const WaitEventStack stack = make_wait_event_stack(result, timeline);
  EXPECT_EQ(stack.columns[3].value()[0], 4.5);
  EXPECT_EQ(stack.columns[4].value()[0], 4.5);
  EXPECT_FALSE(stack.columns[12].has_value());
  EXPECT_EQ(stack_curves(stack, timeline)[0].pieces.size(), 2U);
}

TEST(WaitEventStack, ManyEventsAreOthers) {
  Result result = watched_result(5);
  result.server_stats->wait_events.clear();
  for (int i = 0; i < 12; ++i) {
    result.server_stats->wait_events.push_back({"event " + std::to_string(i), 12.0 - i});
    result.server_stats->samples[0].sessions["event " + std::to_string(i)] = 2;
  }
  const WaitEventStack stack = stack_of(result);
  ASSERT_EQ(stack.events.size(), 8U);
  EXPECT_EQ(stack.events.back(), "others");
  // Five of these, and what was in no event of the measurement.
  EXPECT_EQ(stack.columns[0].value().back(), 5 * 2 + 3 + 1);
}

TEST(WaitEventStack, IsEmptyWhereNobodyLooked) {
  Result result = watched_result(5);
  result.server_stats->wait_events.clear();
  EXPECT_TRUE(stack_of(result).events.empty());
  result.server_stats.reset();
  EXPECT_TRUE(stack_of(result).events.empty());
}

TEST(WaitEventStack, SamplesMayBeAnywhere) {
  Result result = watched_result(5);
  result.server_stats->samples[0].t = 1e300;
  result.server_stats->samples[1].t = 0;
  EXPECT_EQ(stack_of(result).columns.size(), 5U);
}

}  // namespace
}  // namespace drover::report
