#include "report/compare/metric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "report/document/example_result_test.h"
#include "report/model/chart.h"

namespace drover::report {
namespace {

using testing::HasSubstr;

double value_of(const char* name, const Result& result) {
  const auto value = Metric::parse(name).value(result);
  EXPECT_TRUE(value.has_value()) << name;
  return value.value_or(-1);
}

std::string refusal_of(std::string_view name) {
  try {
    return "accepted as " + Metric::parse(name).name();
  } catch (const MetricError& error) {
    return error.what();
  }
}

TEST(MetricTest, NamesAreReadInAnyCaseAndAsResultsWriteThem) {
  EXPECT_EQ(Metric::parse("tpmc").name(), "tpmC");
  EXPECT_EQ(Metric::parse(" TPMC ").name(), "tpmC");
  EXPECT_EQ(Metric::parse("NewOrder.P99").name(), "new_order.p99");
  EXPECT_EQ(Metric::parse("new_order.p99.0").name(), "new_order.p99");
  EXPECT_EQ(Metric::parse("neworder.p99.950").name(), "new_order.p99.95");
  EXPECT_EQ(Metric::parse("ALL.MAX").name(), "all.max");
  EXPECT_EQ(Metric::parse("Client.CPU_us").name(), "client.cpu_us");
  EXPECT_EQ(Metric::parse("all.p100").percent(), 100);
}

TEST(MetricTest, EveryNameIsRead) {
  for (const std::string& name : metric_names()) EXPECT_EQ(Metric::parse(name).name(), name);
  for (const Metric& metric : default_metrics()) {
    EXPECT_EQ(Metric::parse(metric.name()), metric);
    EXPECT_FALSE(metric.meaning().empty());
  }
}

TEST(MetricTest, ValuesOfAResult) {
  const Result result = example_result();
  EXPECT_DOUBLE_EQ(value_of("tpmC", result), 120 * 60 / 60.25);
  EXPECT_DOUBLE_EQ(value_of("efficiency", result), result.summary.efficiency);
  EXPECT_DOUBLE_EQ(value_of("throughput", result), 132 / 60.25);
  EXPECT_EQ(value_of("failed", result), 4);
  EXPECT_EQ(value_of("retries", result), 4);
  EXPECT_EQ(value_of("unavailable_s", result), 16.5);
  EXPECT_DOUBLE_EQ(value_of("client.cpu_us", result), 1.25e6 / 138);
  EXPECT_EQ(value_of("client.memory", result), 50);
  EXPECT_NEAR(value_of("new_order.p50", result), 60, 0.6);
  EXPECT_NEAR(value_of("new_order.p99", result), 119, 1);
  EXPECT_DOUBLE_EQ(value_of("new_order.mean", result), 60.5);
  EXPECT_DOUBLE_EQ(value_of("new_order.max", result), 120);
  EXPECT_DOUBLE_EQ(value_of("stock_level.p90", result), 30'000);
  EXPECT_DOUBLE_EQ(value_of("all.max", result), 30'000);
  EXPECT_DOUBLE_EQ(value_of("new_order.ok", result), 120 / 60.25);
  EXPECT_EQ(value_of("all.ok", result), value_of("throughput", result));
  EXPECT_EQ(value_of("new_order.failed", result), 4);
  EXPECT_EQ(value_of("stock_level.failed", result), 0);
  EXPECT_NEAR(value_of("deferred.p90", result), 1'000, 8);
  EXPECT_EQ(value_of("deferred.failed", result), 1);
}

TEST(MetricTest, WhatWasNotMeasuredHasNoValue) {
  Result result = example_result();
  EXPECT_FALSE(Metric::parse("payment.p99").value(result));
  EXPECT_TRUE(Metric::parse("payment.ok").value(result));
  result.plan.no_delays = true;
  EXPECT_FALSE(Metric::parse("efficiency").value(result));
  result.deferred_delivery.reset();
  EXPECT_FALSE(Metric::parse("deferred.p90").value(result));
  EXPECT_FALSE(Metric::parse("deferred.ok").value(result));
  result.summary.time_seconds = 0;
  EXPECT_FALSE(Metric::parse("tpmC").value(result));
  result.transactions.clear();
  EXPECT_FALSE(Metric::parse("new_order.failed").value(result));
  EXPECT_FALSE(Metric::parse("all.p99").value(result));
}

TEST(MetricTest, TheServersTimeATransaction) {
  Result result = example_result();
  const double ms_of_a_session = 60.25e3 / 138;
  EXPECT_DOUBLE_EQ(value_of("server.cpu_ms", result), 1.25 * ms_of_a_session);
  EXPECT_DOUBLE_EQ(value_of("server.wait_ms", result), 2.5 * ms_of_a_session)
      << "not for the client";
  const auto has_row = [](const Result& of) {
    const auto metrics = default_metrics(of);
    return std::ranges::find(metrics, Metric::parse("server.wait_ms")) != metrics.end();
  };
  EXPECT_TRUE(has_row(result));
  result.server_stats->samples_measured = 0;
  EXPECT_FALSE(Metric::parse("server.cpu_ms").value(result));
  result.server_stats.reset();
  EXPECT_FALSE(Metric::parse("server.cpu_ms").value(result));
  EXPECT_FALSE(has_row(result));
}

TEST(MetricTest, UnitsAndDirections) {
  EXPECT_TRUE(Metric::parse("tpmC").higher_is_better());
  EXPECT_TRUE(Metric::parse("payment.ok").higher_is_better());
  EXPECT_FALSE(Metric::parse("payment.p50").higher_is_better());
  EXPECT_FALSE(Metric::parse("failed").higher_is_better());
  EXPECT_EQ(Metric::parse("payment.p50").unit(), "ms");
  EXPECT_EQ(Metric::parse("payment.ok").unit(), "/s");
  EXPECT_EQ(Metric::parse("client.memory").unit(), "MiB");
  EXPECT_EQ(Metric::parse("retries").unit(), "");
}

TEST(MetricTest, AnUnknownNameIsAnsweredWithTheNearest) {
  EXPECT_THAT(refusal_of("tpm"), HasSubstr("did you mean tpmC?"));
  EXPECT_THAT(refusal_of("new_ordr.p99"), HasSubstr("did you mean new_order.p99?"));
  EXPECT_THAT(refusal_of("payment.p0"), HasSubstr("did you mean payment.p50?"));
  EXPECT_THAT(refusal_of("latency of everything"), testing::Not(HasSubstr("did you mean")));
  EXPECT_THAT(refusal_of("all.p101"), HasSubstr("unknown metric 'all.p101'"));
  EXPECT_THAT(refusal_of("all.pnan"), HasSubstr("unknown metric"));
  EXPECT_THAT(refusal_of("all.p1e1"), HasSubstr("unknown metric"));
  EXPECT_THAT(refusal_of("all.p-1"), HasSubstr("unknown metric"));
  EXPECT_THAT(refusal_of(""), HasSubstr("unknown metric ''"));
  EXPECT_THAT(refusal_of("\x1b[31m"), HasSubstr("\\x1b"));
  EXPECT_LT(refusal_of(std::string(100'000, 'x')).size(), 600u);
}

TEST(MetricTest, AListNamesEachOnce) {
  const auto metrics = parse_metrics("tpmC, NewOrder.p99,tpmc");
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[1].name(), "new_order.p99");
  EXPECT_THROW(parse_metrics("tpmC,"), MetricError);
}

TEST(MetricTest, NumbersHaveTheDigitsThatMatter) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(3.14159), "3.14");
  EXPECT_EQ(number_text(123.456), "123.5");
  EXPECT_EQ(number_text(12857.6), "12858");
  EXPECT_EQ(number_text(-4.5), "-4.50");
}

}  // namespace
}  // namespace drover::report
