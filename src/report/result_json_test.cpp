#include "report/result_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "report/example_result.h"

namespace drover::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::set<std::string> keys(const json& object) {
  std::set<std::string> names;
  for (const auto& [key, value] : object.items()) names.insert(key);
  return names;
}

TEST(ResultJson, TopLevelFields) {
  const json document = to_json(example_result());
  EXPECT_EQ(keys(document),
            (std::set<std::string>{"schema_version", "tool", "plan", "environment", "summary",
                                   "transactions", "delivery_skipped_districts", "client",
                                   "time_series", "verdicts", "interrupted"}));
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_EQ(document["delivery_skipped_districts"], 3);
  EXPECT_EQ(document["interrupted"], false);
}

TEST(ResultJson, ToolPlanAndEnvironment) {
  const json document = to_json(example_result());
  EXPECT_EQ(document["tool"], (json{{"name", "drover"},
                                    {"version", "0.1.0"},
                                    {"commit", "abc1234"},
                                    {"compiler", "clang 19.1.7"}}));
  EXPECT_EQ(document["plan"], (json{{"benchmark", "tpcc"},
                                    {"warehouses", 10},
                                    {"duration_s", 60.0},
                                    {"warmup_s", 5.5},
                                    {"threads", 2},
                                    {"connections", 16},
                                    {"max_inflight", 64},
                                    {"no_delays", false},
                                    {"pace", 1.0},
                                    {"seed", 18'446'744'073'709'551'615u},
                                    {"statements", "batched"},
                                    {"schema", "public"},
                                    {"isolation", "read committed"},
                                    {"simulate_ms", nullptr}}));
  EXPECT_EQ(document["environment"]["client"], (json{{"hostname", "herd"},
                                                     {"os", "Debian 12, Linux 6.1"},
                                                     {"cpus", 2},
                                                     {"cpu_model", "Xeon"}}));
  EXPECT_EQ(document["environment"]["server"]["version"], "15.8");
  EXPECT_EQ(document["environment"]["server"]["settings"]["fsync"], "off");
}

TEST(ResultJson, ARunWithoutServer) {
  Result result = example_result();
  result.environment.server.reset();
  result.plan.simulate_ms = 5;
  const json document = to_json(result);
  EXPECT_TRUE(document["environment"]["server"].is_null());
  EXPECT_EQ(document["plan"]["simulate_ms"], 5.0);
}

TEST(ResultJson, SummaryHasTheFieldsOfYdbsCliWithTheirTypes) {
  const Result result = example_result();
  const json summary = to_json(result)["summary"];
  EXPECT_EQ(summary["name"], "Total");
  EXPECT_TRUE(summary["time_seconds"].is_number_integer());
  EXPECT_EQ(summary["time_seconds"], 60);
  EXPECT_EQ(summary["measure_start_ts"], 1'763'670'000);
  EXPECT_EQ(summary["warehouses"], 10);
  EXPECT_EQ(summary["new_orders"], 120);
  EXPECT_DOUBLE_EQ(summary["tpmc"].get<double>(), 120 * 60 / 60.25);
  EXPECT_DOUBLE_EQ(summary["efficiency"].get<double>(), 120 * 60 / 60.25 / 128.6 * 100);
  // Ours beside them.
  EXPECT_EQ(summary["measured_seconds"], 60.25);
  EXPECT_EQ(summary["efficiency_is_meaningful"], true);
  EXPECT_DOUBLE_EQ(summary["efficiency_sampling_error"].get<double>(),
                   result.summary.efficiency_sampling_error);
}

TEST(ResultJson, TransactionsHaveTheFieldsOfYdbsCli) {
  const json transactions = to_json(example_result())["transactions"];
  EXPECT_EQ(keys(transactions), (std::set<std::string>{"NewOrder", "Payment", "OrderStatus",
                                                       "Delivery", "StockLevel"}));
  for (const json& one : transactions) {
    EXPECT_TRUE(one["ok_count"].is_number_unsigned());
    EXPECT_TRUE(one["failed_count"].is_number_unsigned());
    EXPECT_EQ(keys(one["percentiles"]), (std::set<std::string>{"50", "90", "95", "99", "99.9"}));
  }
  const json& new_order = transactions["NewOrder"];
  EXPECT_EQ(new_order["ok_count"], 120);
  EXPECT_EQ(new_order["failed_count"], 1);  // a user's abort is no failure
  EXPECT_NEAR(new_order["percentiles"]["50"].get<double>(), 60, 0.6);
  EXPECT_NEAR(new_order["percentiles"]["90"].get<double>(), 108, 1.08);
  EXPECT_NEAR(new_order["percentiles"]["95"].get<double>(), 114, 1.14);
  EXPECT_NEAR(new_order["percentiles"]["99"].get<double>(), 119, 1.19);
  EXPECT_EQ(new_order["percentiles"]["99.9"].get<double>(), 120);
  EXPECT_EQ(transactions["Payment"]["percentiles"]["99"], 0.0);
}

TEST(ResultJson, OurFieldsOfATransaction) {
  const json new_order = to_json(example_result())["transactions"]["NewOrder"];
  EXPECT_EQ(new_order["user_aborted_count"], 2);
  EXPECT_EQ(new_order["retry_count"], 4);
  EXPECT_EQ(new_order["all_count"], 123);
  EXPECT_EQ(new_order["attempts"], 127);
  EXPECT_EQ(new_order["errors_by_class"], (json{{"retryable", 4}, {"fatal", 1}}));
  EXPECT_EQ(new_order["errors_by_sqlstate"], (json{{"40001", 4}, {"XX000", 1}}));
  EXPECT_EQ(new_order["latency_limit_s"], 5.0);
  EXPECT_EQ(new_order["latency_limit_held"], true);
  EXPECT_DOUBLE_EQ(new_order["mean_ms"].get<double>(), 60.5);
  EXPECT_DOUBLE_EQ(new_order["min_ms"].get<double>(), 1);
  EXPECT_DOUBLE_EQ(new_order["max_ms"].get<double>(), 120);
  EXPECT_DOUBLE_EQ(new_order["wait"]["max_ms"].get<double>(), 0.12);
  EXPECT_NEAR(new_order["wait"]["percentiles"]["50"].get<double>(), 0.06, 0.0006);
  EXPECT_EQ(new_order["wait"]["histogram"]["count"], 120);
}

TEST(ResultJson, CountsAddUpInTheDocumentItself) {
  const json document = to_json(example_result());
  for (const json& one : document["transactions"]) {
    const auto number = [&one](const char* name) { return one[name].get<std::uint64_t>(); };
    EXPECT_EQ(number("all_count"),
              number("ok_count") + number("user_aborted_count") + number("failed_count"));
    EXPECT_EQ(number("attempts"), number("all_count") + number("retry_count"));
    std::uint64_t in_buckets = one["histogram"]["overflow"].get<std::uint64_t>();
    for (const json& bucket : one["histogram"]["buckets"]) {
      in_buckets += bucket[1].get<std::uint64_t>();
    }
    EXPECT_EQ(in_buckets, number("ok_count"));
  }
}

TEST(ResultJson, TheHistogramCanBeReadBack) {
  const Result result = example_result();
  const json histogram = to_json(result)["transactions"]["NewOrder"]["histogram"];
  EXPECT_EQ(histogram["unit"], "ns");
  EXPECT_EQ(histogram["sub_buckets_per_octave"], 64);
  measure::SparseHistogram sparse;
  sparse.buckets = histogram["buckets"].get<decltype(sparse.buckets)>();
  sparse.overflow = histogram["overflow"];
  sparse.sum_ns = histogram["sum"];
  sparse.min_ns = histogram["min"];
  sparse.max_ns = histogram["max"];
  const auto back = measure::HistogramSnapshot::from_sparse(sparse);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->count(), 120u);
  EXPECT_EQ(back->percentile_ns(95), result.transactions[0].latency.percentile_ns(95));
}

TEST(ResultJson, ClientTimeSeriesAndVerdicts) {
  const json document = to_json(example_result());
  const json& client = document["client"];
  EXPECT_EQ(client["cpu_seconds"], 1.25);
  EXPECT_DOUBLE_EQ(client["cpu_us_per_transaction"].get<double>(), 1.25e6 / 124);
  EXPECT_EQ(client["peak_rss_bytes"], 50u << 20);
  EXPECT_EQ(client["threads"], 4);
  EXPECT_EQ(client["terminals"], 100);
  EXPECT_EQ(client["connections"], 16);
  EXPECT_EQ(client["busiest_worker_load"], 0.25);
  EXPECT_EQ(client["worker_loads"], (json{0.01, 0.25}));
  ASSERT_EQ(document["time_series"].size(), 2u);
  const json ok = {
      {"NewOrder", 6}, {"Payment", 5}, {"OrderStatus", 0}, {"Delivery", 1}, {"StockLevel", 1}};
  EXPECT_EQ(document["time_series"][1], (json{{"t", 2.0},
                                              {"phase", "measure"},
                                              {"ok", ok},
                                              {"failed", 1},
                                              {"p50_ms", 1.25},
                                              {"p90_ms", 2.25},
                                              {"p99_ms", 3.25},
                                              {"in_flight", 3},
                                              {"waiting", 0}}));
  EXPECT_EQ(document["verdicts"][1],
            (json{{"name", "client"}, {"ok", false}, {"text", "the client was overloaded"}}));
}

TEST(ResultJson, AnEmptyResultIsADocumentToo) {
  Result result;
  result.transactions = tpcc_transactions();
  result.client.cpu_seconds = std::numeric_limits<double>::quiet_NaN();
  result.summary.tpmc = std::numeric_limits<double>::infinity();
  const json document = json::parse(document_text(to_json(result)));
  EXPECT_EQ(document["client"]["cpu_seconds"], 0.0);
  EXPECT_EQ(document["summary"]["tpmc"], 0.0);
  EXPECT_TRUE(document["transactions"]["NewOrder"]["histogram"]["buckets"].is_array());
  EXPECT_TRUE(document["transactions"]["NewOrder"]["errors_by_class"].is_object());
  EXPECT_TRUE(document["time_series"].is_array());
  EXPECT_TRUE(document["verdicts"].is_array());
}

TEST(ResultJson, TheTextIsTheDocument) {
  const json document = to_json(example_result());
  const std::string text = document_text(document);
  EXPECT_EQ(json::parse(text), document);
  EXPECT_THAT(text, HasSubstr("\n    \"tpmc\": "));
  // A point of the time series, and all buckets of a histogram, on one line each.
  EXPECT_THAT(text, HasSubstr("\n    " + document["time_series"][1].dump() + "\n  ]"));
  EXPECT_THAT(text, HasSubstr("\"worker_loads\": [0.01,0.25]\n"));
}

TEST(ResultJson, TextThatIsNotUtf8IsReplaced) {
  Result result = example_result();
  result.environment.server->version = "15\xff";
  const std::string text = document_text(to_json(result));
  EXPECT_EQ(json::parse(text)["environment"]["server"]["version"], "15\xef\xbf\xbd");
}

}  // namespace
}  // namespace drover::report
