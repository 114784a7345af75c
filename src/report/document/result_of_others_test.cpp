// Documents of benchmarks that are not TPC-C.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "report/document/example_result_test.h"
#include "report/document/result_json.h"

namespace drover::report {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

json written_and_read(const Result& result) {
  return to_json(read_result(document_text(to_json(result))));
}

std::string message_about(const std::function<void(json&)>& change) {
  json document = to_json(example_ycsb_result());
  change(document);
  try {
    read_result(document.dump());
  } catch (const ResultReadError& error) {
    return error.what();
  }
  return "(it was read)";
}

TEST(ResultOfOthers, ComesBack) {
  EXPECT_EQ(written_and_read(example_ycsb_result()), to_json(example_ycsb_result()));
  EXPECT_EQ(written_and_read(example_sql_result()), to_json(example_sql_result()));
  EXPECT_THAT(count_errors(example_ycsb_result()), IsEmpty());
  EXPECT_THAT(count_errors(example_sql_result()), IsEmpty());
}

TEST(ResultOfOthers, HasWhatIsOfIt) {
  const json ycsb = to_json(example_ycsb_result());
  EXPECT_EQ(ycsb["plan"]["rate"], 100.0);
  EXPECT_EQ(ycsb["plan"]["arrivals"], "poisson");
  EXPECT_EQ(ycsb["plan"]["clients"], 32);
  EXPECT_EQ(ycsb["plan"]["workload"][1],
            (json{{"name", "requestdistribution"}, {"value", "zipfian"}}));
  EXPECT_EQ(ycsb["transactions"]["READ"]["service"]["max_ms"], 4.0);
  EXPECT_EQ(ycsb["transactions"]["READ"]["share"], 0.5);
  EXPECT_EQ(ycsb["summary"]["throughput"], 100.0);
  EXPECT_EQ(ycsb["accounts"][1],
            (json{{"name", "inserts"}, {"counted", 310}, {"in_data", 310}, {"unresolved", 0}}));
  EXPECT_EQ(ycsb["verification"],
            (json{{"values", 30'000}, {"wrong", 0}, {"not_found", 0}, {"first_wrong", ""}}));
  EXPECT_EQ(ycsb["backlog"], 3);
  const json sql = to_json(example_sql_result());
  EXPECT_EQ(sql["plan"]["protocol"], "prepared");
  EXPECT_EQ(sql["plan"]["operations"], 4'000);
  const json& statement = sql["transactions"]["look up.sql"]["statements"][1];
  EXPECT_EQ(statement["name"], "2 SELECT balance <b>");
  EXPECT_EQ(statement["failed_count"], 1);
  EXPECT_EQ(statement["latency"]["max_ms"], 0.5);
  EXPECT_FALSE(sql["transactions"]["look up.sql"].contains("service"));
}

TEST(ResultOfOthers, HasNothingOfTpcc) {
  const json document = to_json(example_ycsb_result());
  for (const char* key :
       {"inputs", "delivery_skipped_districts", "deferred_delivery", "ledger", "ledger_in_data"}) {
    EXPECT_FALSE(document.contains(key)) << key;
  }
  for (const char* key :
       {"warehouses", "new_orders", "tpmc", "efficiency", "efficiency_is_meaningful"}) {
    EXPECT_FALSE(document["summary"].contains(key)) << key;
  }
  const json tpcc = to_json(example_result());
  for (const char* key : {"accounts", "verification", "backlog", "transaction_order"}) {
    EXPECT_FALSE(tpcc.contains(key)) << key;
  }
  for (const char* key : {"clients", "rate", "workload", "protocol"})
    EXPECT_FALSE(tpcc["plan"].contains(key)) << key;
  for (const char* key : {"service", "statements", "share"}) {
    EXPECT_FALSE(tpcc["transactions"]["NewOrder"].contains(key)) << key;
  }
}

TEST(ResultOfOthers, TheOrderOfTransactionsComesBack) {
  const Result result = read_result(document_text(to_json(example_ycsb_result())));
  ASSERT_EQ(result.transactions.size(), 3u);
  EXPECT_EQ(result.transactions[0].name, "READ");
  EXPECT_EQ(result.transactions[1].name, "READ-MODIFY-WRITE");
  EXPECT_THAT(result.time_series[0].ok, ElementsAre(50, 45, 5));
  // Whoever leaves the order out has that of the names.
  json document = to_json(example_ycsb_result());
  document.erase("transaction_order");
  EXPECT_EQ(read_result(document.dump()).transactions[0].name, "INSERT");
  document["transaction_order"] = {"READ", "nobody"};
  EXPECT_EQ(read_result(document.dump()).transactions[0].name, "READ");
  document["transaction_order"] = json(std::vector<std::string>(129, "x"));
  EXPECT_THAT(message_about([&](json& d) { d = document; }), HasSubstr("at most 128 transactions"));
}

TEST(ResultOfOthers, TheBenchmarkIsKnownWhereverThePlanStands) {
  json document = to_json(example_ycsb_result());
  const json plan = document["plan"];
  document.erase("plan");
  std::string text = document.dump();
  text.pop_back();
  EXPECT_TRUE(read_result(text + ",\"plan\":" + plan.dump() + "}").transactions.size() == 3);
  EXPECT_THAT(message_about([](json& d) { d["plan"]["benchmark"] = "tpcc"; }),
              HasSubstr("expected a field "));
}

TEST(ResultOfOthers, WhatIsOfTpccIsLeftAside) {
  json document = to_json(example_result());
  document["plan"]["benchmark"] = "somebody's";
  const json back = to_json(read_result(document.dump()));
  EXPECT_FALSE(back["summary"].contains("tpmc"));
  EXPECT_FALSE(back.contains("ledger"));
  EXPECT_EQ(back["transactions"], document["transactions"]);
}

TEST(ResultOfOthers, WhatCannotBeIsRefused) {
  EXPECT_THAT(message_about([](json& d) { d["plan"]["rate"] = -1; }),
              HasSubstr("plan.rate: expected a number"));
  EXPECT_THAT(message_about([](json& d) { d["plan"]["workload"] = "fast"; }),
              HasSubstr("plan.workload: expected a list"));
  EXPECT_THAT(message_about([](json& d) { d["accounts"][0]["counted"] = -1; }),
              HasSubstr("accounts[0].counted"));
  EXPECT_THAT(message_about([](json& d) { d["accounts"][0].erase("unresolved"); }),
              HasSubstr("expected a field unresolved"));
  EXPECT_THAT(message_about([](json& d) { d["transactions"]["READ"]["share"] = 2; }),
              HasSubstr("transactions.READ.share: expected a number from 0 to 1"));
  EXPECT_THAT(message_about([](json& d) {
                const json statement =
                    to_json(example_sql_result())["transactions"]["look up.sql"]["statements"][0];
                d["transactions"]["READ"]["statements"] =
                    json(std::vector<json>(statements_max + 1, statement));
              }),
              HasSubstr("expected at most 100 statements"));
}

}  // namespace
}  // namespace drover::report
