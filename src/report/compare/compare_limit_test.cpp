#include "report/compare/compare_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace drover::report {
namespace {

using testing::HasSubstr;
using Kind = Limit::Kind;

std::string refusal_of(std::string_view text) {
  try {
    return "accepted as " + Limit::parse(text).text();
  } catch (const LimitError& error) {
    return error.what();
  } catch (const MetricError& error) {
    return error.what();
  }
}

void expect_limit(const char* text, const char* metric, bool above, Kind kind, double bound) {
  const Limit limit = Limit::parse(text);
  EXPECT_EQ(limit.metric.name(), metric) << text;
  EXPECT_EQ(limit.above, above) << text;
  EXPECT_EQ(limit.kind, kind) << text;
  EXPECT_EQ(limit.bound, bound) << text;
  const Limit again = Limit::parse(limit.text());
  EXPECT_EQ(again.text(), limit.text());
  EXPECT_EQ(again.kind, kind) << limit.text();
  EXPECT_EQ(again.bound, bound) << limit.text();
}

TEST(CompareLimitTest, PercentIsAChange) {
  expect_limit("tpmC < -3%", "tpmC", false, Kind::percent_change, -3);
  expect_limit("  tpmC<-3 %  ", "tpmC", false, Kind::percent_change, -3);
  expect_limit("new_order.p99 > +10%", "new_order.p99", true, Kind::percent_change, 10);
  expect_limit("NewOrder.p99 > 10%", "new_order.p99", true, Kind::percent_change, 10);
  expect_limit("efficiency < -2.5%", "efficiency", false, Kind::percent_change, -2.5);
  expect_limit("tpmC < 0%", "tpmC", false, Kind::percent_change, 0);
  EXPECT_FALSE(std::signbit(Limit::parse("tpmC < -0%").bound));
}

TEST(CompareLimitTest, ANumberWithASignIsAChangeAndOneWithoutAValue) {
  expect_limit("new_order.p99 > +5", "new_order.p99", true, Kind::change, 5);
  expect_limit("new_order.p99 > +5ms", "new_order.p99", true, Kind::change, 5);
  expect_limit("tpmC < -0", "tpmC", false, Kind::change, 0);
  expect_limit("new_order.p99 > 20", "new_order.p99", true, Kind::value, 20);
  expect_limit("new_order.p99 > 20 ms", "new_order.p99", true, Kind::value, 20);
  expect_limit("client.memory>512MiB", "client.memory", true, Kind::value, 512);
  expect_limit("failed > 0", "failed", true, Kind::value, 0);
  expect_limit("efficiency < 90", "efficiency", false, Kind::value, 90);
  expect_limit("tpmC < 0.000000125", "tpmC", false, Kind::value, 0.000000125);
}

TEST(CompareLimitTest, BeyondIsNotAt) {
  const Limit limit = Limit::parse("tpmC < -3%");
  EXPECT_TRUE(limit.is_beyond(-3.01));
  EXPECT_FALSE(limit.is_beyond(-3));
  EXPECT_TRUE(Limit::parse("failed > 0").is_beyond(1));
  EXPECT_FALSE(Limit::parse("failed > 0").is_beyond(0));
}

TEST(CompareLimitTest, WhatIsWrongIsSaid) {
  EXPECT_THAT(refusal_of("tpmC"), HasSubstr("'tpmC' is not a limit: it has no < or >"));
  EXPECT_THAT(refusal_of("tpmC <= -3%"), HasSubstr("<= and >= are not supported"));
  EXPECT_THAT(refusal_of("tpmC <"), HasSubstr("it has no number"));
  EXPECT_THAT(refusal_of("tpmC < inf"), HasSubstr("it has no number"));
  EXPECT_THAT(refusal_of("tpmC < -nan"), HasSubstr("it has no number"));
  EXPECT_THAT(refusal_of("tpmC < --3%"), HasSubstr("it has no number"));
  EXPECT_THAT(refusal_of("tpmC < 1e400"), HasSubstr("the unit of tpmC is /min"));
  EXPECT_THAT(refusal_of("tpmC < 9999999999999"), HasSubstr("not between -1e+12 and 1e+12"));
  EXPECT_THAT(refusal_of("all.p99 > 20s"), HasSubstr("the unit of all.p99 is ms"));
  EXPECT_THAT(refusal_of("failed > 3x"), HasSubstr("failed has no unit"));
  EXPECT_THAT(refusal_of("failed > 3 4"), HasSubstr("failed has no unit"));
  EXPECT_THAT(refusal_of("nothing < 3"), HasSubstr("unknown metric 'nothing'"));
  EXPECT_THAT(refusal_of("< 3"), HasSubstr("unknown metric ''"));
  EXPECT_THAT(refusal_of("tpmC \x1b[31m"), HasSubstr("\\x1b"));
}

TEST(CompareLimitTest, ALimitThatFailsWhatGotBetterIsRefused) {
  EXPECT_THAT(refusal_of("tpmC < 3%"), HasSubstr("Write -3%, or the number without %"));
  EXPECT_THAT(refusal_of("all.p99 > -10%"), HasSubstr("Write +10%"));
  EXPECT_THAT(refusal_of("all.p99 > -2"), HasSubstr("Write +2"));
  EXPECT_THAT(refusal_of("tpmC < +100"), HasSubstr("Write -100"));
}

}  // namespace
}  // namespace drover::report
