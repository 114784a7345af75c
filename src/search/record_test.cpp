#include "search/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/document/example_result_test.h"

namespace drover::search {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

Record example_record() {
  Record record{.unit = "warehouses",
                .bounds = {.low = 1, .high = 100, .start = 8, .tolerance = 0.05},
                .settings = {{"--probe", "30s"}, {"--schema", ""}},
                .runs = {}};
  const report::Result result = report::example_result();
  record.runs.push_back(recorded({.load = 8}, "run-01-probe-8.json", result, {}));
  record.runs.push_back(
      recorded({.load = 16}, "run-02-probe-16.json", result, {"latency.NewOrder: \"6 s\""}));
  return record;
}

std::string message_of(const json& document) {
  try {
    read_record(document.dump());
  } catch (const RecordError& error) {
    return error.what();
  }
  return "(it was read)";
}

TEST(SearchRecord, IsReadAsItWasWritten) {
  const Record record = example_record();
  EXPECT_TRUE(record.runs[0].probe.held);
  EXPECT_FALSE(record.runs[1].probe.held);
  const Record back = read_record(to_json(record).dump());
  EXPECT_EQ(to_json(back), to_json(record));
  EXPECT_THAT(differences(back, record), IsEmpty());
}

TEST(SearchRecord, OfAnotherBenchmark) {
  Record record{.unit = "rate",
                .bounds = {.low = 10, .high = 1'000, .start = 100, .tolerance = 0.05},
                .settings = {},
                .runs = {}};
  record.runs.push_back(
      recorded({.load = 100}, "run-01-probe-100.json", report::example_ycsb_result(), {}));
  record.runs.push_back(recorded({.load = 200}, "run-02-probe-200.json",
                                 report::example_ycsb_result(),
                                 {"rate: 100 of 200 transactions a second"}));
  EXPECT_DOUBLE_EQ(record.runs[0].throughput, 100);
  EXPECT_EQ(record.runs[0].tpmc, 0);
  EXPECT_FALSE(record.runs[0].new_order_p90_ms);
  EXPECT_NEAR(*record.runs[0].p90_ms, 7.2, 0.1);
  EXPECT_EQ(to_json(read_record(to_json(record).dump())), to_json(record));
  EXPECT_FALSE(to_json(example_record())["runs"][0].contains("p90_ms"));
  EXPECT_EQ(answer_text(record), "all rules hold at 100 tx/s (not confirmed)");
  EXPECT_EQ(sought_text("rate"), "rate");
  EXPECT_EQ(sought_text("clients"), "number of clients");
}

TEST(SearchRecord, TheFiguresOfARun) {
  const RecordedRun run = example_record().runs[0];
  EXPECT_NEAR(run.throughput, 132 / 60.25, 0.001);
  EXPECT_NEAR(*run.new_order_p90_ms, 108, 1.1);
  EXPECT_EQ(run.client_load, 0.25);
}

TEST(SearchRecord, WhatIsNoRecordIsRefusedWithItsPlace) {
  EXPECT_THAT(message_of(json::object()), HasSubstr("expected a field document"));
  json document = to_json(example_record());
  document["document"] = "something";
  EXPECT_THAT(message_of(document), HasSubstr("it is not the record of a search"));
  document = to_json(example_record());
  document["runs"][1]["load"] = 0;
  EXPECT_THAT(message_of(document), HasSubstr("runs[1].load"));
  document = to_json(example_record());
  document["bounds"]["start"] = 1000;
  EXPECT_THAT(message_of(document), HasSubstr("low <= start <= high"));
  document = to_json(example_record());
  document["schema_version"] = 2;
  EXPECT_THAT(message_of(document), HasSubstr("schema_version"));
  document = to_json(example_record());
  document["runs"][1]["load"] = 101;
  EXPECT_THAT(message_of(document),
              HasSubstr("it has a run with a load of 101, outside its bounds (1 to 100)"));
  EXPECT_THROW(read_record("{"), RecordError);
}

TEST(SearchRecord, FiguresThatCannotBeAreRefused) {
  const auto message_after = [](const char* pointer, const json& value) {
    json document = to_json(example_record());
    document.at(json::json_pointer(pointer)) = value;
    return message_of(document);
  };
  EXPECT_THAT(message_after("/runs/0/tpmc", -5), HasSubstr("runs[0].tpmc: expected a number from"));
  EXPECT_THAT(message_after("/runs/0/tpmc", 1e11), HasSubstr("60 times the throughput"));
  EXPECT_THAT(message_after("/runs/0/measured_s", 1e308), HasSubstr("runs[0].measured_s"));
  EXPECT_THAT(message_after("/runs/0/new_order_p90_ms", 1e308), HasSubstr("new_order_p90_ms"));
  EXPECT_THAT(message_after("/runs/0/client_load", 40), HasSubstr("runs[0].client_load"));
  EXPECT_THAT(message_after("/runs/1/held", true),
              HasSubstr("runs[1]: expected no rules in broken"));
  EXPECT_THAT(message_after("/runs/0/held", false),
              HasSubstr("runs[0]: expected a rule in broken"));
  EXPECT_THAT(message_after("/runs/0/file", "../secret.json"), HasSubstr("in the folder"));
  EXPECT_THAT(message_after("/unit", "sheep"),
              HasSubstr("unit: expected warehouses, terminals, clients or rate"));
}

TEST(SearchRecord, AnotherQuestionIsNamed) {
  const Record record = example_record();
  Record other = record;
  other.settings["--probe"] = "60s";
  EXPECT_THAT(differences(record, other), testing::ElementsAre("--probe was 30s and is 60s"));
  other = record;
  other.unit = "terminals";
  EXPECT_THAT(differences(record, other),
              testing::ElementsAre("the kind of load (--find) was warehouses and is terminals"));
  other = record;
  other.settings["--pace"] = "10";
  EXPECT_THAT(differences(record, other), testing::ElementsAre("--pace was not given and is 10"));
}

// 8 held; of 16 the client's machine broke `times` probes.
Record record_with_slow_client(int times) {
  Record record = example_record();
  record.runs.pop_back();
  for (int i = 0; i < times; ++i) {
    record.runs.push_back(recorded({.load = 16}, "run.json", report::example_result(),
                                   {"efficiency 60%", "client.load: 95%"}));
  }
  return record;
}

TEST(SearchRecord, WhatTheClientsMachineBrokeIsNoAnswer) {
  Record record = record_with_slow_client(client_failures_most - 1);
  EXPECT_TRUE(record.runs[1].probe.by_client);
  EXPECT_EQ(answer_text(record), "all rules hold at 8 warehouses (not confirmed)");
  record = record_with_slow_client(client_failures_most);
  EXPECT_EQ(
      answer_text(record),
      "undecided: the client machine was overloaded in the runs at 16 warehouses: client.load: "
      "95%. Known so far: all rules hold at 8 warehouses (not confirmed)");
  EXPECT_EQ(to_json(record)["answer"]["ended"], false) << "8 can be confirmed";
  record.runs.push_back(record.runs[0]);
  record.runs.back().probe.confirmation = true;
  const json answer = to_json(record)["answer"];
  EXPECT_EQ(answer["holds"], 8);
  EXPECT_EQ(answer["breaks"], nullptr);
  EXPECT_EQ(answer["confirmed"], true);
  EXPECT_EQ(answer["not_judged"], 16);
  EXPECT_EQ(answer["found_out"], false);
  EXPECT_EQ(answer["ended"], true);
  record.runs.erase(record.runs.begin());
  record.runs.pop_back();
  EXPECT_EQ(
      answer_text(record),
      "undecided: the client machine was overloaded in the runs at 16 warehouses: client.load: "
      "95%");
}

TEST(SearchRecord, AnOlderRecordDoesNotSayWhatTheClientBroke) {
  const Record record = record_with_slow_client(client_failures_most);
  json document = to_json(record);
  for (json& run : document["runs"]) EXPECT_EQ(run.erase("by_client"), 1U);
  EXPECT_EQ(document["answer"].erase("not_judged"), 1U);
  EXPECT_EQ(document["answer"].erase("found_out"), 1U);
  EXPECT_EQ(to_json(read_record(document.dump())), to_json(record));
}

TEST(SearchRecord, TheReasonIsOfARunThatTells) {
  Record record = example_record();
  record.runs.push_back(record.runs[1]);
  record.runs.push_back(
      recorded({.load = 16}, "run.json", report::example_result(), {"client.timers: late"}));
  EXPECT_EQ(answer_text(record),
            "all rules hold at 8 warehouses (not confirmed); they do not hold at 16 warehouses: "
            "latency.NewOrder: \"6 s\"");
  record.runs[1].broken = record.runs[2].broken = {"client.waiting: use more --connections"};
  EXPECT_EQ(answer_text(record),
            "all rules hold at 8 warehouses (not confirmed); they do not hold at 16 warehouses: "
            "client.waiting: use more --connections");
}

TEST(SearchRecord, TheAnswerInASentence) {
  Record record = example_record();
  EXPECT_EQ(answer_text(record), "all rules hold at 8 warehouses (not confirmed)")
      << "16 has another chance";
  record.runs.push_back(record.runs[1]);
  EXPECT_EQ(answer_text(record),
            "all rules hold at 8 warehouses (not confirmed); they do not hold at 16 warehouses: "
            "latency.NewOrder: \"6 s\"");
  RecordedRun confirmation = record.runs[0];
  confirmation.probe.confirmation = true;
  record.runs.push_back(confirmation);
  EXPECT_EQ(answer_text(record),
            "all rules hold at 8 warehouses (confirmed over 60 s); they do not hold at 16 "
            "warehouses: latency.NewOrder: \"6 s\"");
  record.runs.erase(record.runs.begin());
  record.runs.pop_back();
  EXPECT_EQ(answer_text(record),
            "the rules do not hold even at 16 warehouses: latency.NewOrder: \"6 s\"");
  record = example_record();
  record.bounds.high = 8;
  record.bounds.start = 8;
  record.runs.pop_back();
  EXPECT_EQ(answer_text(record),
            "all rules hold at 8 warehouses (not confirmed), the highest load of this search");
  record.runs.clear();
  EXPECT_EQ(answer_text(record), "no run has ended yet");
}

}  // namespace
}  // namespace drover::search
