#include "report/document/result_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "report/document/example_result_test.h"

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
  EXPECT_EQ(keys(document), (std::set<std::string>{"schema_version",
                                                   "tool",
                                                   "plan",
                                                   "environment",
                                                   "summary",
                                                   "transactions",
                                                   "inputs",
                                                   "delivery_skipped_districts",
                                                   "deferred_delivery",
                                                   "availability",
                                                   "ledger",
                                                   "ledger_in_data",
                                                   "lost_commits",
                                                   "client",
                                                   "time_series",
                                                   "time_series_step_s",
                                                   "checkpoints",
                                                   "server_stats",
                                                   "audit",
                                                   "failure",
                                                   "interrupted",
                                                   "hosts",
                                                   "warehouse_availability"}));
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_EQ(document["delivery_skipped_districts"], 3);
  EXPECT_EQ(document["interrupted"], false);
  EXPECT_EQ(document["failure"], "the database was away for longer than it may");
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
                                    {"on_db_loss", "wait"},
                                    {"statement_timeout_s", 2.5},
                                    {"max_attempts", 20},
                                    {"max_inflight_chosen", true},
                                    {"deferred_delivery", true},
                                    {"server_stats", true},
                                    {"connection_max_age_s", 3300.0},
                                    {"balance", true},
                                    {"affinity", true},
                                    {"simulate_ms", nullptr},
                                    {"terminals", 100},
                                    {"of_all_hosts", nullptr}}));
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
  EXPECT_EQ(new_order["failed_count"], 4);  // a user's abort is no failure
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
  EXPECT_EQ(new_order["all_count"], 126);
  EXPECT_EQ(new_order["attempts"], 130);
  EXPECT_EQ(new_order["ambiguous"],
            (json{{"count", 3}, {"committed", 1}, {"not_committed", 1}, {"unresolved", 1}}));
  EXPECT_EQ(new_order["errors_by_class"],
            (json{{"retryable", 4}, {"statement", 1}, {"ambiguous_commit", 3}}));
  EXPECT_EQ(new_order["errors_by_sqlstate"], (json{{"40001", 4}, {"XX000", 1}}));
  EXPECT_EQ(new_order["error_messages"], (json{{"XX000", "tuple concurrently updated"}}));
  EXPECT_EQ(new_order["latency_limit_s"], 5.0);
  EXPECT_EQ(new_order["latency_limit_held"], true);
  EXPECT_DOUBLE_EQ(new_order["mean_ms"].get<double>(), 60.5);
  EXPECT_DOUBLE_EQ(new_order["min_ms"].get<double>(), 1);
  EXPECT_DOUBLE_EQ(new_order["max_ms"].get<double>(), 120);
  EXPECT_DOUBLE_EQ(new_order["wait"]["max_ms"].get<double>(), 0.12);
  EXPECT_NEAR(new_order["wait"]["percentiles"]["50"].get<double>(), 0.06, 0.0006);
  EXPECT_EQ(new_order["wait"]["histogram"]["count"], 120);
  EXPECT_NEAR(new_order["keying"]["min_ms"].get<double>(), 18'000.001, 1e-6);
  EXPECT_EQ(new_order["think"]["max_ms"], 24'000.0);
  EXPECT_EQ(new_order["think"]["histogram"]["count"], 120);
  const json payment = to_json(example_result())["transactions"]["Payment"];
  EXPECT_TRUE(payment["keying"].is_null());
  EXPECT_TRUE(payment["think"].is_null());
  EXPECT_EQ(payment["ambiguous"]["count"], 0);
}

TEST(ResultJson, Inputs) {
  EXPECT_EQ(to_json(example_result())["inputs"], (json{{"new_orders", 122},
                                                       {"new_orders_rolled_back", 2},
                                                       {"order_lines", 1'230},
                                                       {"order_lines_remote", 13},
                                                       {"payments", 110},
                                                       {"payments_remote", 17},
                                                       {"payments_by_name", 66},
                                                       {"order_statuses", 12},
                                                       {"order_statuses_by_name", 7},
                                                       {"deliveries", 11}}));
}

TEST(ResultJson, Availability) {
  const json availability = to_json(example_result())["availability"];
  EXPECT_EQ(availability["outages"][0], (json{{"start_s", 20.5},
                                              {"end_s", 31.25},
                                              {"seconds", 10.75},
                                              {"transactions_lost", 9},
                                              {"first_error", "server closed the connection"}}));
  EXPECT_TRUE(availability["outages"][1]["end_s"].is_null());
  EXPECT_TRUE(availability["outages"][1]["seconds"].is_null());
  EXPECT_EQ(availability["interruptions"], 1);
  EXPECT_EQ(availability["sessions_lost"], 17);
  EXPECT_EQ(availability["sessions_reopened"], 16);
  EXPECT_EQ(availability["sessions_refused"], 42);
  EXPECT_EQ(availability["unavailable_s"], 16.5);
  EXPECT_EQ(to_json(example_result())["warehouse_availability"],
            (json{{"away", json::array()}, {"away_s", 0}, {"available_percent", 72.5}}));
}

TEST(ResultJson, Ledgers) {
  Result result = example_result();
  EXPECT_EQ(to_json(result)["ledger"], (json{{"new_orders", 131},
                                             {"payments", 118},
                                             {"payment_cents", 29'500'050},
                                             {"deliveries", 12},
                                             {"orders_delivered", 117},
                                             {"exact", false}}));
  EXPECT_EQ(to_json(result)["ledger_in_data"],
            (json{{"new_orders", 132}, {"payment_cents", 29'500'050}, {"orders_delivered", 117}}));
  result.ledger_in_data.reset();
  EXPECT_TRUE(to_json(result)["ledger_in_data"].is_null());
  const json lost = to_json(result)["lost_commits"];
  EXPECT_EQ(lost["count"], 3);
  EXPECT_EQ(lost["complete"], false);
  EXPECT_EQ(lost["commits"][1], (json{{"transaction", "Payment"},
                                      {"answered_ts", 1'763'670'014.75},
                                      {"w_id", 7},
                                      {"d_id", 4},
                                      {"o_id", nullptr},
                                      {"c_id", nullptr},
                                      {"amount_cents", 4'250},
                                      {"carrier_id", nullptr},
                                      {"mark", 999'999}}));
}

TEST(ResultJson, DeferredDelivery) {
  Result result = example_result();
  const json deferred = to_json(result)["deferred_delivery"];
  EXPECT_EQ(deferred["queued"], 14);
  EXPECT_EQ(deferred["completed"], 11);
  EXPECT_EQ(deferred["failed"], 1);
  EXPECT_EQ(deferred["unfinished"], 2);
  EXPECT_EQ(deferred["latency_limit_s"], 80.0);
  EXPECT_EQ(deferred["latency"]["max_ms"], 1'100.0);
  EXPECT_EQ(deferred["latency"]["histogram"]["count"], 11);
  result.deferred_delivery.reset();
  EXPECT_TRUE(to_json(result)["deferred_delivery"].is_null());
}

TEST(ResultJson, Audit) {
  const json audit = to_json(example_result())["audit"];
  EXPECT_EQ(audit["validity"], "invalid");
  EXPECT_EQ(audit["compliant"], false);
  EXPECT_EQ(audit["sentence"],
            "INVALID: client overloaded: a worker needed 96% of a processor; use more --threads");
  EXPECT_EQ(audit["lines"].size(), 4u);
  EXPECT_EQ(audit["lines"][1], (json{{"name", "availability"},
                                     {"clause", ""},
                                     {"judgement", "broken"},
                                     {"text", "2 outages in the measurement interval"}}));
  EXPECT_EQ(audit["lines"][0]["judgement"], "held");
  EXPECT_EQ(audit["lines"][0]["clause"], "5.2.3");
  EXPECT_EQ(audit["lines"][2]["judgement"], "invalid");
  EXPECT_EQ(audit["lines"][3]["judgement"], "not_judged");
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
    const json& pending = one["pending"];
    EXPECT_EQ(in_buckets, number("ok_count") + pending["answered"].get<std::uint64_t>() +
                              pending["unanswered"].get<std::uint64_t>());
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

TEST(ResultJson, ClientAndTimeSeries) {
  const json document = to_json(example_result());
  const json& client = document["client"];
  EXPECT_EQ(client["cpu_seconds"], 1.25);
  EXPECT_DOUBLE_EQ(client["cpu_us_per_transaction"].get<double>(), 1.25e6 / 138);
  EXPECT_EQ(client["peak_rss_bytes"], 50u << 20);
  EXPECT_EQ(client["threads"], 3);
  EXPECT_EQ(client["terminals"], 100);
  EXPECT_EQ(client["connections"], 16);
  EXPECT_EQ(client["busiest_worker_load"], 0.25);
  EXPECT_EQ(client["worker_loads"], (json{0.01, 0.25}));
  EXPECT_EQ(client["workers"][1],
            (json{{"load", 0.25}, {"run_queue_share", 0.01}, {"wake_up_delay_ms", 0.125}}));
  EXPECT_EQ(client["run_queue_known"], true);
  EXPECT_EQ(client["timer_lag"]["max_ms"], 1.0);
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
                                              {"waiting", 0},
                                              {"retries", 2},
                                              {"client_load", 0.125}}));
  EXPECT_EQ(document["checkpoints"],
            (json{{{"start_s", 0.0}, {"end_s", 12.5}, {"requested", true}},
                  {{"start_s", 50.0}, {"end_s", nullptr}, {"requested", false}}}));
}

TEST(ResultJson, ServerStats) {
  const json stats = to_json(example_result())["server_stats"];
  EXPECT_EQ(stats["samples_measured"], 4);
  EXPECT_EQ(stats["wait_events"][0], (json{{"name", "IO:WALSync"}, {"sessions", 2.5}}));
  EXPECT_EQ(stats["samples"][1], (json{{"t", 1.5}, {"sessions", {{"CPU", 1}, {"IO:WALSync", 2}}}}));
  EXPECT_EQ(stats["statements"],
            (json{{{"text", "UPDATE stock SET s_quantity = $1 WHERE s_i_id = $2"},
                   {"calls", 1'000},
                   {"total_ms", 1'250.0},
                   {"mean_ms", 1.25},
                   {"rows", 9'876}}}));
  Result result = example_result();
  result.server_stats->statements.reset();
  EXPECT_TRUE(to_json(result)["server_stats"]["statements"].is_null());
  result.server_stats.reset();
  EXPECT_TRUE(to_json(result)["server_stats"].is_null());
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
  EXPECT_TRUE(document["audit"]["lines"].is_array());
  EXPECT_TRUE(document["availability"]["outages"].is_array());
  EXPECT_TRUE(document["client"]["workers"].is_array());
  EXPECT_TRUE(document["client"]["timer_lag"].is_null());
  EXPECT_TRUE(document["failure"].is_null());
}

TEST(ResultJson, TheTextIsTheDocument) {
  const json document = to_json(example_result());
  const std::string text = document_text(document);
  EXPECT_EQ(json::parse(text), document);
  EXPECT_THAT(text, HasSubstr("\n    \"tpmc\": "));
  // A point of the time series, and all buckets of a histogram, on one line each.
  EXPECT_THAT(text, HasSubstr("\n    " + document["time_series"][1].dump() + "\n  ]"));
  EXPECT_THAT(text, HasSubstr("\"worker_loads\": [0.01,0.25],\n"));
}

TEST(ResultJson, TextThatIsNotUtf8IsReplaced) {
  Result result = example_result();
  result.environment.server->version = "15\xff";
  const std::string text = document_text(to_json(result));
  EXPECT_EQ(json::parse(text)["environment"]["server"]["version"], "15\xef\xbf\xbd");
}

}  // namespace
}  // namespace drover::report
