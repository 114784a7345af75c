#include "report/compare/metric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "report/document/example_result_test.h"

namespace drover::report {
namespace {

using testing::HasSubstr;

std::vector<NamedResult> two_results() {
  NamedResult first{"first", example_result()};
  NamedResult second{"second", example_result()};
  second.result.summary.tpmc *= 0.9;
  second.result.client.peak_rss_bytes *= 20;
  return {first, second};
}

TEST(MetricTable, ChangesAreAgainstTheFirst) {
  const auto rows = make_metric_table(two_results(), parse_metrics("tpmC,client.memory"));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_FALSE(rows[0].cells[0].change);
  EXPECT_EQ(change_text(rows[0].cells[0]), "");
  EXPECT_EQ(change_text(rows[0].cells[1]), "-10.0%");
  EXPECT_EQ(change_text(rows[1].cells[1]), "x20");
}

TEST(MetricTable, RowsOfNothingAreLeftOut) {
  auto results = two_results();
  for (NamedResult& one : results) {
    one.result.plan.no_delays = true;
  }
  EXPECT_TRUE(make_metric_table(results, parse_metrics("efficiency")).empty());
}

TEST(MetricTable, AValueThatIsNotThere) {
  auto results = two_results();
  results[1].result.plan.no_delays = true;
  const auto rows = make_metric_table(results, parse_metrics("efficiency"));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(value_text(rows[0].cells[1]), "n/a");
  EXPECT_EQ(change_text(rows[0].cells[1]), "");
}

TEST(MetricTable, TheAuditsSentenceIsWhole) {
  auto results = two_results();
  std::string text = "the figure";
  while (text.size() < 300) text += " and words";
  results[1].result.audit = {{"rate", "", Judgement::invalid, text + ". See the rules client.*"}};
  const auto rows = make_metric_table(results, parse_metrics("tpmC"));
  EXPECT_THAT(metric_table_text(results, rows), HasSubstr("See the rules client.*\n"));
}

TEST(MetricTable, TextIsNarrowHoweverManyResults) {
  std::vector<NamedResult> results;
  for (int i = 0; i < 12; ++i) results.push_back({std::string(300, 'x'), example_result()});
  const auto rows = make_metric_table(results, default_metrics());
  const std::string text = metric_table_text(results, rows);
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = text.find('\n', start);
    EXPECT_LE(end - start, 100u) << text.substr(start, end - start);
    start = end + 1;
  }
  EXPECT_THAT(text, HasSubstr(" 12  xxx"));
}

}  // namespace
}  // namespace drover::report
