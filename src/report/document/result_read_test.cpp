#include "report/document/result_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <set>

#include "report/document/example_result_test.h"
#include "report/document/json_reader.h"

namespace drover::report {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string message_of(const std::string& text) {
  try {
    read_result(text);
  } catch (const ResultReadError& error) {
    return error.what();
  }
  return "(it was read)";
}

// The message for the example with one change in it.
std::string message_after(const std::function<void(json&)>& change) {
  json document = to_json(example_result());
  change(document);
  return message_of(document.dump());
}

void expect_round_trip(const Result& result) {
  const json document = to_json(result);
  EXPECT_EQ(to_json(read_result(document_text(document))), document);
}

TEST(ResultRead, TheExampleComesBack) {
  expect_round_trip(example_result());
}

TEST(ResultRead, TheOrderOfTransactionsComesBack) {
  const Result result = read_result(document_text(to_json(example_result())));
  std::vector<std::string> names;
  for (const TransactionResult& one : result.transactions) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"NewOrder", "Payment", "OrderStatus", "Delivery",
                                             "StockLevel"}));
  ASSERT_EQ(result.time_series.size(), 2u);
  EXPECT_EQ(result.time_series[0].ok, example_result().time_series[0].ok);
}

TEST(ResultRead, EmptyResultsComeBack) {
  Result result;
  expect_round_trip(result);
  result.transactions = tpcc_transactions();
  expect_round_trip(result);
}

TEST(ResultRead, ExtremesComeBack) {
  Result result = example_result();
  result.plan.seed = std::numeric_limits<std::uint64_t>::max();
  result.plan.simulate_ms = 0.1 + 0.2;
  result.summary.time_seconds = 1e10;
  result.summary.measure_start_ts = 253'402'300'799;
  result.client.peak_rss_bytes = settings::count_max;
  TransactionResult& one = result.transactions[0];
  one.ok_count = one.failed_count = one.attempts = one.retry_count = settings::count_max;
  one.latency.record(0);
  // Longer than the run is none; these are in the bucket of what overflows.
  one.latency.record(std::uint64_t{10'000'000'000} * 1'000'000'000);
  one.latency.record(std::uint64_t{10'000'000'000} * 1'000'000'000);  // the sum stops at the top
  one.errors_by_sqlstate["40001"] = settings::count_max;
  result.ledger.payment_cents = settings::count_max;
  result.ledger_in_data->payment_cents = -static_cast<std::int64_t>(settings::count_max);
  // A result that says itself that its counts do not add up is read all the same.
  result.audit.push_back({"counts", "", Judgement::invalid, "they do not add up"});
  result.plan.duration_s = 1e10;
  complete_summary(result);
  result.availability.outages[0] = {0, 0, settings::count_max, std::string(100'000, 'x')};
  result.time_series.clear();
  expect_round_trip(result);
}

TEST(ResultRead, FullHistogramsComeBack) {
  Result result = example_result();
  TransactionResult& one = result.transactions[1];
  for (std::size_t i = 0; i < measure::bucket_count; ++i) {
    one.latency.record(measure::bucket_middle_ns(i));
  }
  one.ok_count = one.attempts = measure::bucket_count;
  result.plan.duration_s = 1e10;
  expect_round_trip(result);
}

TEST(ResultRead, TextsComeBackWhateverIsInThem) {
  Result result = example_result();
  result.plan.schema = "it's \"Größe\"\\\n\x1b[31m\x01 \xf0\x9f\x90\x91";
  result.environment.client.hostname = "";
  result.environment.server->settings["a.b \"c\""] = std::string("\0", 1);
  expect_round_trip(result);
}

// An earlier version had a dialect of this name.
TEST(ResultRead, AcceptsUnknownDialects) {
  Result result = example_result();
  result.environment.server->kind = "Spanner (PGAdapter)";
  result.environment.server->settings["dialect"] = "spanner";
  expect_round_trip(result);
}

TEST(ResultRead, TransactionsNeedNotBeThoseOfTpcc) {
  Result result = example_result();
  result.transactions[2].name = "Other";
  result.transactions[0].name = "Another";
  complete_summary(result);
  expect_round_trip(result);
  const Result back = read_result(document_text(to_json(result)));
  EXPECT_EQ(back.transactions[0].name, "Payment");
  EXPECT_EQ(back.transactions[3].name, "Another");
  EXPECT_EQ(back.transactions[4].name, "Other");
  EXPECT_EQ(back.time_series[0].ok, (std::vector<std::uint64_t>{4, 0, 0, 5, 1}));
}

TEST(ResultRead, UnknownFieldsAreSkipped) {
  json document = to_json(example_result());
  const json expected = document;
  document["news"] = {{"a", {1, 2.5, "x", nullptr, true, {{"b", json::array()}}}}};
  document["plan"]["news"] = -1;
  document["transactions"]["NewOrder"]["news"] = json::object();
  document["time_series"][0]["news"] = "x";
  EXPECT_EQ(to_json(read_result(document.dump())), expected);
}

TEST(ResultRead, EveryCutIsFound) {
  const std::string text = document_text(to_json(example_result()));
  const std::size_t last = text.rfind('}');
  EXPECT_EQ(message_of(""), "cannot read result: it is empty");
  // At every byte for as long as that is quick, then at some of all kinds.
  for (std::size_t length = 1; length <= last; length += length < 3'000 ? 1 : 37) {
    const std::string message = message_of(text.substr(0, length));
    ASSERT_THAT(message,
                HasSubstr("the document ends too early, at byte " + std::to_string(length)));
  }
  EXPECT_EQ(message_of(text.substr(0, last + 1)), "(it was read)");
}

TEST(ResultRead, EveryMissingFieldIsNamed) {
  const json document = to_json(example_result());
  // Fields that follow from others are not needed, nor are those that drover 0.1 did not write.
  const std::set<std::string> unneeded = {"all_count",
                                          "percentiles",
                                          "mean_ms",
                                          "min_ms",
                                          "max_ms",
                                          "latency_limit_held",
                                          "time_seconds",
                                          "efficiency_is_meaningful",
                                          "throughput",
                                          "cpu_us_per_transaction",
                                          "busiest_worker_load",
                                          "seconds",
                                          "validity",
                                          "compliant",
                                          "sentence",
                                          "on_db_loss",
                                          "statement_timeout_s",
                                          "max_attempts",
                                          "max_inflight_chosen",
                                          "of_all_hosts",
                                          "deferred_delivery",
                                          "ambiguous",
                                          "keying",
                                          "think",
                                          "workers",
                                          "run_queue_known",
                                          "timer_lag",
                                          "terminals_up_s",
                                          "pending",
                                          "unanswered",
                                          "lower_bounds",
                                          "stalls",
                                          "stalled_s",
                                          "checkpoints",
                                          "server_stats",
                                          "connection_max_age_s",
                                          "balance",
                                          "affinity",
                                          "sessions_ended_idle",
                                          "sessions_refused",
                                          "sessions_renewed",
                                          "hosts",
                                          "retries",
                                          "client_load",
                                          "inputs",
                                          "kind",
                                          "availability",
                                          "warehouse_availability",
                                          "ledger",
                                          "ledger_in_data",
                                          "orders_delivered",
                                          "lost_commits",
                                          "error_messages",
                                          "run_start_ts",
                                          "time_series_step_s",
                                          "audit",
                                          "failure"};
  const auto try_each = [&](const std::string& pointer) {
    const json& object = document.at(json::json_pointer(pointer));
    for (const auto& [key, value] : object.items()) {
      if (pointer.ends_with("ambiguous") && key == "count") continue;  // the sum of the others
      if (key == "waited") continue;  // it may be missing where nobody waited
      json changed = document;
      changed.at(json::json_pointer(pointer)).erase(key);
      const std::string message = message_of(changed.dump());
      if (unneeded.contains(key) || (pointer == "/plan" && key == "terminals")) {
        EXPECT_EQ(message, "(it was read)") << pointer << " " << key;
      } else {
        const std::string wanted =
            key == "schema_version"
                ? "it is not a result of drover: the field schema_version is missing"
                : "expected a field " + key;
        EXPECT_THAT(message, HasSubstr(wanted)) << pointer;
      }
    }
  };
  for (const char* pointer : {"",
                              "/tool",
                              "/plan",
                              "/environment",
                              "/environment/client",
                              "/environment/server",
                              "/summary",
                              "/transactions/NewOrder",
                              "/transactions/NewOrder/histogram",
                              "/transactions/NewOrder/ambiguous",
                              "/client",
                              "/client/workers/0",
                              "/inputs",
                              "/ledger",
                              "/ledger_in_data",
                              "/lost_commits/commits/2",
                              "/transactions/StockLevel/pending",
                              "/availability",
                              "/warehouse_availability",
                              "/availability/stalls/0",
                              "/availability/outages/1",
                              "/deferred_delivery",
                              "/deferred_delivery/latency",
                              "/time_series/1",
                              "/hosts/1",
                              "/server_stats",
                              "/server_stats/wait_events/0",
                              "/server_stats/samples/1",
                              "/server_stats/statements/0",
                              "/audit",
                              "/audit/lines/0"}) {
    try_each(pointer);
  }
}

// As results were before what was pending counted.
Result without_pending() {
  Result result = example_result();
  TransactionResult& stock_level = result.transactions[4];
  stock_level.pending = {};
  stock_level.latency = {};
  for (std::uint64_t i = 0; i < stock_level.ok_count; ++i) stock_level.latency.record(30'000'000);
  return result;
}

TEST(ResultRead, DocumentsOfDrover01) {
  json document = to_json(without_pending());
  for (const char* key : {"inputs", "deferred_delivery", "availability", "warehouse_availability",
                          "ledger", "ledger_in_data", "audit", "failure"}) {
    document.erase(key);
  }
  document["verdicts"] = json::array();
  for (const char* key : {"workers", "run_queue_known", "timer_lag", "terminals_up_s"}) {
    document["client"].erase(key);
  }
  for (const char* key :
       {"on_db_loss", "statement_timeout_s", "max_inflight_chosen", "deferred_delivery"}) {
    document["plan"].erase(key);
  }
  for (json& one : document["transactions"]) {
    for (const char* key : {"ambiguous", "keying", "think", "pending"}) one.erase(key);
  }
  const Result result = read_result(document.dump());
  EXPECT_EQ(to_json(result)["client"]["worker_loads"], (json{0.01, 0.25}));
  EXPECT_TRUE(result.audit.empty());
  EXPECT_FALSE(result.warehouse_availability);
  EXPECT_EQ(result.transactions[0].ok_count, 120u);
}

TEST(ResultRead, WarehousesThatWereAway) {
  Result result = example_result();
  result.warehouse_availability = {.away = {2, 4}, .away_s = 26.5, .available_percent = 66.75};
  const Result read = read_result(to_json(result).dump());
  ASSERT_TRUE(read.warehouse_availability);
  EXPECT_EQ(read.warehouse_availability->away, (std::vector<std::uint64_t>{2, 4}));
  EXPECT_EQ(read.warehouse_availability->away_s, 26.5);
  EXPECT_EQ(read.warehouse_availability->available_percent, 66.75);
}

TEST(ResultRead, DocumentsWithoutStallsAndWhatWasPending) {
  json document = to_json(without_pending());
  for (json& one : document["transactions"]) one.erase("pending");
  for (const char* key : {"stalls", "stalled_s"}) document["availability"].erase(key);
  for (const char* key : {"waited", "lower_bounds"}) document["deferred_delivery"].erase(key);
  document["client"].erase("terminals_up_s");
  const Result read = read_result(document.dump());
  EXPECT_TRUE(read.availability.stalls.empty());
  EXPECT_EQ(read.availability.outages.size(), 2u);
  EXPECT_EQ(all_transactions(read).pending.count, 0u);
  EXPECT_FALSE(read.client.terminals_up_s.has_value());
}

TEST(ResultRead, WrongTypesAreNamedWithTheirPlace) {
  EXPECT_EQ(message_after([](json& d) { d["transactions"]["NewOrder"]["ok_count"] = -5; }),
            "cannot read result: transactions.NewOrder.ok_count: expected a whole number from 0 to "
            "72057594037927936, found -5 (byte " +
                std::to_string([] {
                  json d = to_json(example_result());
                  d["transactions"]["NewOrder"]["ok_count"] = -5;
                  return d.dump().find("\"ok_count\":-5") + 11;
                }()) +
                ")");
  EXPECT_THAT(message_after([](json& d) { d["plan"]["warehouses"] = "ten"; }),
              HasSubstr("plan.warehouses: expected a whole number from 0 to 1000000000, "
                        "found \"ten\""));
  EXPECT_THAT(message_after([](json& d) { d["plan"]["warehouses"] = 1.5; }),
              HasSubstr("found 1.5"));
  EXPECT_THAT(message_after([](json& d) { d["plan"]["no_delays"] = 1; }),
              HasSubstr("plan.no_delays: expected true or false, found 1"));
  EXPECT_THAT(message_after([](json& d) { d["plan"]["pace"] = nullptr; }),
              HasSubstr("plan.pace: expected a number from 0 to 1e+06, found null"));
  EXPECT_THAT(message_after([](json& d) { d["tool"] = json::array(); }),
              HasSubstr("tool: expected an object, found a list"));
  EXPECT_THAT(message_after([](json& d) { d["audit"]["lines"] = json::object(); }),
              HasSubstr("audit.lines: expected a list, found an object"));
  EXPECT_THAT(message_after([](json& d) { d["tool"]["version"] = json::object(); }),
              HasSubstr("tool.version: expected a text, found an object"));
  EXPECT_THAT(message_after([](json& d) { d["time_series"][1]["t"] = -1; }),
              HasSubstr("time_series[1].t: expected a number"));
}

TEST(ResultRead, CountsThatCannotBe) {
  EXPECT_THAT(message_after([](json& d) { d["client"]["threads"] = settings::count_max + 1; }),
              HasSubstr("client.threads: expected a whole number from 0 to 1000000000"));
  std::string text = to_json(example_result()).dump();
  const std::string seed = "18446744073709551615";
  text.replace(text.find(seed), seed.size(), "18446744073709551616");
  EXPECT_THAT(message_of(text), HasSubstr("plan.seed: expected a whole number from 0 to " + seed));
}

TEST(ResultRead, WhatContradictsItself) {
  EXPECT_THAT(
      message_after([](json& d) { d["availability"]["outages"][0]["end_s"] = 1; }),
      HasSubstr(
          "availability.outages[0]: expected an end_s of at least 20.5, the start_s, found 1"));
  EXPECT_THAT(message_after([](json& d) { d["client"]["workers"].erase(0); }),
              HasSubstr("client: expected as many workers as worker_loads"));
  EXPECT_THAT(message_after([](json& d) { d["audit"]["lines"][2]["judgement"] = "fine"; }),
              HasSubstr("audit.lines[2].judgement: expected held, broken, invalid or not_judged, "
                        "found \"fine\""));
}

TEST(ResultRead, NumbersThatCannotBe) {
  const auto with_pace = [](const std::string& number) {
    std::string text = to_json(example_result()).dump();
    const std::string pace = "\"pace\":1.0";
    return message_of(text.replace(text.find(pace), pace.size(), "\"pace\":" + number));
  };
  EXPECT_EQ(with_pace("1.0E+0"), "(it was read)");
  for (const char* number : {"1e999", "-1e999", "-1", "1e19"}) {
    EXPECT_THAT(with_pace(number), HasSubstr("plan.pace: expected a number from 0 to 1e+06, found"))
        << number;
  }
  for (const char* number : {"NaN", "Infinity", "01", "1.", ".5", "+1", "1e", "0x1", "--1"}) {
    EXPECT_THAT(with_pace(number), HasSubstr("the document is not valid JSON at byte")) << number;
  }
}

TEST(ResultRead, HistogramsThatCannotBe) {
  const auto message = [](const std::function<void(json&)>& change) {
    return message_after([&](json& d) { change(d["transactions"]["NewOrder"]["histogram"]); });
  };
  const std::string cannot_be = "transactions.NewOrder.histogram: expected a histogram";
  EXPECT_THAT(message([](json& h) { std::swap(h["buckets"][0], h["buckets"][1]); }),
              HasSubstr(cannot_be));
  EXPECT_THAT(message([](json& h) { std::swap(h["min"], h["max"]); }), HasSubstr(cannot_be));
  EXPECT_THAT(message([](json& h) { h["buckets"].push_back({2000, 0}); }), HasSubstr(cannot_be));
  EXPECT_THAT(message([](json& h) {
                h["count"] = 0;
                h["buckets"] = json::array();
              }),
              HasSubstr(cannot_be));
  EXPECT_THAT(message([](json& h) { h["buckets"].push_back({measure::bucket_count, 1}); }),
              HasSubstr("][0]: expected a whole number from 0 to 2367"));
  EXPECT_THAT(message([](json& h) { h["buckets"].push_back({1}); }), HasSubstr("less"));
  EXPECT_THAT(message([](json& h) { h["buckets"].push_back({1, 1, 1}); }), HasSubstr("more"));
  EXPECT_THAT(message([](json& h) { h["unit"] = "us"; }), HasSubstr("expected the unit ns"));
  EXPECT_THAT(message([](json& h) { h["sub_buckets_per_octave"] = 32; }),
              HasSubstr("expected 64 sub_buckets_per_octave, found 32"));
  EXPECT_THAT(message([](json& h) { h["count"] = 121; }),
              HasSubstr("expected 121 samples in the buckets, as in count"));
  EXPECT_THAT(message([](json& h) {
                for (json& bucket : h["buckets"]) bucket[1] = settings::count_max;
              }),
              HasSubstr("found too many"));
}

// Each number of the document in turn becomes one that cannot be.
void try_each_number(const json& value, const json::json_pointer& place,
                     const std::function<void(const json::json_pointer&)>& try_one) {
  if (value.is_number()) return try_one(place);
  if (!value.is_structured()) return;
  std::size_t index = 0;
  for (const auto& [key, inner] : value.items()) {
    // The first elements of a long list are as good as all.
    if (value.is_array() && index++ == 3) return;
    try_each_number(inner, value.is_array() ? place / (index - 1) : place / key, try_one);
  }
}

TEST(ResultRead, NoNumberIsBelievedThatCannotBe) {
  const json document = to_json(example_result());
  for (const json& impossible : {json(-1), json(-1e308), json(1e308), json("NaN")}) {
    try_each_number(document, json::json_pointer(), [&](const json::json_pointer& place) {
      // May be below zero: the data of a run in which rows vanished.
      if (impossible == -1 && place.to_string().starts_with("/ledger_in_data/")) return;
      json changed = document;
      changed.at(place) = impossible;
      EXPECT_THAT(message_of(changed.dump()), HasSubstr("expected")) << place << " " << impossible;
    });
  }
}

// What follows from other fields is another figure than it must be.
TEST(ResultRead, FiguresThatDoNotGoTogether) {
  const auto message = [](const char* pointer, const json& value) {
    return message_after([&](json& d) { d.at(json::json_pointer(pointer)) = value; });
  };
  const std::string one = "/transactions/NewOrder";
  EXPECT_THAT(message((one + "/percentiles/99").c_str(), 5.5),
              AllOf(HasSubstr("transactions.NewOrder: expected percentiles.99 to be "),
                    HasSubstr("found 5.5")));
  EXPECT_THAT(message((one + "/mean_ms").c_str(), 1), HasSubstr("expected mean_ms to be 60.5"));
  EXPECT_THAT(message((one + "/max_ms").c_str(), 121), HasSubstr("expected max_ms to be 120"));
  EXPECT_THAT(message((one + "/all_count").c_str(), 127),
              HasSubstr("expected all_count to be 126"));
  EXPECT_THAT(message((one + "/ambiguous/count").c_str(), 4), HasSubstr("expected count to be 3"));
  EXPECT_THAT(message((one + "/attempts").c_str(), 131),
              HasSubstr("transactions: NewOrder: attempts is 131, expected 130"));
  EXPECT_THAT(message((one + "/ok_count").c_str(), 119), HasSubstr("expected"));
  EXPECT_THAT(message((one + "/histogram/max").c_str(), 130'000'000),
              HasSubstr("transactions.NewOrder.histogram: expected a max from"));
  EXPECT_THAT(message((one + "/histogram/sum").c_str(), 1), HasSubstr("expected a sum from"));
  EXPECT_THAT(message("/summary/tpmc", 1e6), HasSubstr("summary.tpmc: expected 119.5"));
  EXPECT_THAT(message("/summary/efficiency", 100), HasSubstr("summary.efficiency: expected 92.9"));
  EXPECT_THAT(message("/summary/warehouses", 11), HasSubstr("summary.warehouses: expected 10"));
  EXPECT_THAT(message("/summary/time_seconds", 61), HasSubstr("expected time_seconds to be 60"));
  EXPECT_THAT(message("/time_series/1/p50_ms", 3),
              HasSubstr("expected p50_ms <= p90_ms <= p99_ms"));
  EXPECT_THAT(
      message("/time_series/1/t", 1),
      HasSubstr("time_series[1]: expected a t above 1, the t of the previous point, found 1"));
  EXPECT_THAT(message("/time_series/1/p99_ms", 1e12),
              HasSubstr("time_series[1].p99_ms: expected at most 3665.75 s"));
  EXPECT_THAT(message("/availability/unavailable_s", 1e7),
              HasSubstr("availability.unavailable_s: expected at most"));
  EXPECT_THAT(message("/availability/outages/1/start_s", 1e7),
              HasSubstr("availability.outages[1]"));
  EXPECT_THAT(
      message("/inputs/payments_remote", 111),
      HasSubstr("inputs: expected payments_remote of at most 110, the payments, found 111"));
  EXPECT_THAT(message("/client/worker_loads/0", 0.5), HasSubstr("with the same loads"));
}

TEST(ResultRead, OtherSchemaVersions) {
  EXPECT_EQ(message_of(R"({"schema_version": 2, "plan": "all new"})"),
            "cannot read result: a newer version of drover wrote this result: expected "
            "schema_version 1, found 2. Use that version");
  EXPECT_EQ(
      message_of(R"({"summary": {}, "transactions": {}})"),
      "cannot read result: it is not a result of drover: the field schema_version is missing");
  EXPECT_THAT(message_of(R"({"schema_version": 0})"),
              HasSubstr("schema_version: expected a whole"));
  EXPECT_THAT(message_of(R"({"schema_version": "1"})"), HasSubstr("found \"1\""));
}

TEST(ResultRead, WhatIsNoResult) {
  EXPECT_THAT(message_of("hello"), HasSubstr("not valid JSON at byte 0: expected an object"));
  EXPECT_THAT(message_of("[]"), HasSubstr("expected an object, found a list"));
  EXPECT_THAT(message_of("\"x\""), HasSubstr("expected an object, found \"x\""));
  EXPECT_THAT(message_of(std::string("\0\xff\x7f", 3)), HasSubstr("found \\x00"));
  const std::string text = to_json(example_result()).dump();
  EXPECT_THAT(message_of(text + "{}"), HasSubstr("nothing more after the end of the document"));
  EXPECT_EQ(message_of("\xef\xbb\xbf" + text + " \r\n\t"), "(it was read)");
}

TEST(ResultRead, DuplicateKeys) {
  std::string text = to_json(example_result()).dump();
  EXPECT_THAT(message_of("{\"interrupted\":true," + text.substr(1)),
              HasSubstr("interrupted: expected one such field, found a second one"));
  EXPECT_THAT(message_of("{\"schema_version\":1," + text.substr(1)), HasSubstr("a second one"));
  for (const std::string key : {"\"settings\":{", "\"transactions\":{", "\"errors_by_class\":{"}) {
    std::string changed = text;
    const std::size_t begin = text.find(key) + key.size();
    const std::size_t end = text.find(key[1] == 't' ? ",\"OrderStatus\"" : "}", begin);
    const std::string first = text.substr(begin, end - begin);
    changed.insert(begin, first + (first.empty() ? "\"a\":1,\"a\":1" : ","));
    EXPECT_THAT(message_of(changed), HasSubstr("a second one")) << key;
  }
}

TEST(ResultRead, NestingIsLimited) {
  const auto nested = [](std::size_t depth, char open, char close) {
    return "{\"x\":" + std::string(depth, open) + std::string(depth, close) +
           ",\"schema_version\":9}";
  };
  EXPECT_THAT(message_of(nested(json_depth_max - 1, '[', ']')),
              HasSubstr("a newer version of drover"));
  EXPECT_THAT(message_of(nested(json_depth_max, '[', ']')),
              HasSubstr("values that nest at most 32 deep"));
  EXPECT_THAT(message_of(nested(10'000'000, '[', ']')), HasSubstr("nest at most 32 deep"));
}

TEST(ResultRead, NamesOfTransactionsArePlain) {
  for (const std::string name : {"", "a\x1b[31m", "a\nb", "a\"b", "\xc2\x9b", "\xe2\x80\xae"}) {
    EXPECT_THAT(message_after([&](json& d) {
                  json& transactions = d["transactions"];
                  transactions[name] = transactions["NewOrder"];
                }),
                HasSubstr("a printable name of 1 to 200 bytes"))
        << name;
  }
}

TEST(ResultRead, TimeSeriesHasTheSameTransactions) {
  EXPECT_THAT(message_after([](json& d) { d["time_series"][1]["ok"].erase("Payment"); }),
              HasSubstr("time_series[1].ok: expected the same transactions as in the first point"));
  EXPECT_THAT(message_after([](json& d) { d["time_series"][1]["ok"]["Other"] = 1; }),
              HasSubstr("time_series[1].ok.Other: expected the same transactions"));
  EXPECT_THAT(message_after([](json& d) {
                for (json& point : d["time_series"]) point["ok"]["Other"] = 1;
              }),
              HasSubstr("expected the names of the transactions in time_series"));
}

TEST(ResultRead, TooManyOfAnything) {
  EXPECT_THAT(message_after([](json& d) {
                for (int i = 0; i < 130; ++i)
                  d["transactions"][std::to_string(i)] = d["transactions"]["Payment"];
              }),
              HasSubstr("expected at most 128 transactions"));
  EXPECT_THAT(message_after([](json& d) {
                for (int i = 0; i <= 10'000; ++i)
                  d["environment"]["server"]["settings"][std::to_string(i)] = "";
              }),
              HasSubstr("expected at most 10000 names"));
  EXPECT_THAT(message_after([](json& d) { d["tool"]["version"] = std::string(201, 'x'); }),
              HasSubstr("tool.version: expected a text of at most 200 bytes, found one of 201"));
}

TEST(ResultRead, MessagesArePrintable) {
  const auto hostile = [](json& d) {
    d["plan"]["warehouses"] =
        "\x1b]0;title\x07\n<script>\xe2\x80\xae\xc2\x9b" + std::string(500, 'x');
  };
  const std::string message = message_after(hostile);
  EXPECT_THAT(message, AllOf(HasSubstr("title"), Not(HasSubstr("\x1b")), Not(HasSubstr("\n")),
                             Not(HasSubstr("\xc2\x9b"))));
  EXPECT_LT(message.size(), 250u);
  const std::string key(10'000, '\x1b');
  EXPECT_LT(message_of("{\"" + std::string(10'000, 'k') + "\":-}").size(), 300u);
  EXPECT_LT(message_of("{\"x\":\"" + key).size(), 300u);
}

TEST(ResultRead, Files) {
  const std::filesystem::path folder = testing::TempDir();
  const std::filesystem::path path = folder / "drover-result-read-test.json";
  std::ofstream(path) << document_text(to_json(example_result()));
  EXPECT_EQ(to_json(read_result_file(path)), to_json(example_result()));
  std::ofstream(path) << "{";
  try {
    read_result_file(path);
    ADD_FAILURE() << "it was read";
  } catch (const ResultReadError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(path.native()), HasSubstr("ends too early")));
  }
  std::filesystem::resize_file(path, result_bytes_max + 1);  // sparse
  EXPECT_THROW(
      try { read_result_file(path); } catch (const ResultReadError& error) {
        EXPECT_THAT(error.what(), HasSubstr("it is larger than 256 MiB"));
        throw;
      },
      ResultReadError);
  std::filesystem::remove(path);
  for (const auto& [other, reason] : std::map<std::filesystem::path, std::string>{
           {path, "No such file"}, {folder, "it is a folder"}, {"/dev/null", "it is empty"}}) {
    try {
      read_result_file(other);
      ADD_FAILURE() << "it was read";
    } catch (const ResultReadError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(other.native()), HasSubstr(reason)));
    }
  }
}

}  // namespace
}  // namespace drover::report
