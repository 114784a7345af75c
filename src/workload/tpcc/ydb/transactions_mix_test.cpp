// Hundreds of transactions at once keep the conditions of clause 3.3.2, and both styles leave the
// same data.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "workload/tpcc/postgres/random_mix_test.h"
#include "workload/tpcc/ydb/small_database_test.h"

namespace drover::tpcc::ydb {
namespace {

using postgres::execute_all;
using postgres::random_inputs;
using postgres::Tally;

class YdbMix : public testing::Test {
 protected:
  static void SetUpTestSuite() { database = SmallYdbDatabase::shared_if_possible(); }
  static void TearDownTestSuite() { database.reset(); }

  void SetUp() override {
    if (!database) GTEST_SKIP() << test::YdbTestServer::reason_to_skip();
    database->reset();
  }

  Tally run(StatementStyle style, const std::vector<Input>& inputs, std::size_t connections,
            Isolation isolation = Isolation::serializable) {
    const BackendSettings settings{
        .style = style, .isolation = isolation, .connections = connections};
    YdbBackend backend(database->database(), settings);
    Tally tally;
    database->run(execute_all(backend, inputs, static_cast<int>(connections) * 2, tally));
    for (const auto& [error, count] : tally.errors) ADD_FAILURE() << error << " x " << count;
    EXPECT_EQ(tally.committed + tally.rolled_back, static_cast<int>(inputs.size()));
    return tally;
  }

  static std::shared_ptr<SmallYdbDatabase> database;
};

std::shared_ptr<SmallYdbDatabase> YdbMix::database;

TEST_F(YdbMix, KeepsTheConditions) {
  const Tally tally = run(StatementStyle::batched, random_inputs(1, 300), 4);
  EXPECT_GT(tally.committed, 280);
  EXPECT_GT(tally.rolled_back, 0);
  database->expect_conditions();
  EXPECT_NE(database->value("SELECT max(d_next_o_id) FROM district"), "31");
}

TEST_F(YdbMix, KeepsTheConditionsWithAStatementARequest) {
  const Tally tally = run(StatementStyle::single, random_inputs(2, 150), 4);
  EXPECT_GT(tally.committed, 140);
  database->expect_conditions();
}

TEST_F(YdbMix, KeepsTheConditionsInSnapshots) {
  run(StatementStyle::batched, random_inputs(4, 100), 4, Isolation::snapshot);
  database->expect_conditions();
}

// What fails now and then is tried again, and nothing is done twice or by halves.
TEST_F(YdbMix, KeepsTheConditionsThroughFailures) {
  database->server().set_faults(R"({
      "aborted": {"probability": 0.05, "methods": ["ExecuteQuery"]},
      "overloaded": {"probability": 0.03, "methods": ["ExecuteQuery"]},
      "unavailable": {"probability": 0.03, "methods": ["ExecuteQuery"]},
      "late_error": {"probability": 0.03, "methods": ["ExecuteQuery"]}})");
  const Tally tally = run(StatementStyle::batched, random_inputs(5, 150), 4);
  EXPECT_GT(tally.retries, 0);
  database->expect_conditions();
}

// The times apart, a delivered line is told from one that is not.
std::vector<std::string> contents(SmallYdbDatabase& database) {
  std::vector<std::string> all;
  for (const Table table : all_tables) {
    for (std::string& row : database.rows(fmt::format(
             "SELECT (to_jsonb(t) - '{{o_entry_d,h_date,c_since,ol_delivery_d,h_c_nano_ts}}'"
             "::text[])::text || coalesce((to_jsonb(t)->'ol_delivery_d' = 'null')::text, '') "
             "FROM {} t ORDER BY 1",
             table_name(table)))) {
      all.push_back(std::move(row));
    }
  }
  return all;
}

TEST_F(YdbMix, StylesLeaveTheSameData) {
  const std::vector<Input> inputs = random_inputs(3, 120);
  const std::vector<std::string> before = contents(*database);
  run(StatementStyle::batched, inputs, 1);
  const std::vector<std::string> batched = contents(*database);
  database->reset();
  run(StatementStyle::single, inputs, 1);
  const std::vector<std::string> single = contents(*database);
  EXPECT_NE(before, single);
  ASSERT_EQ(batched.size(), single.size());
  for (std::size_t i = 0; i < batched.size(); ++i) ASSERT_EQ(batched[i], single[i]);
}

}  // namespace
}  // namespace drover::tpcc::ydb
