// Runs of the built-in scripts on the test server, and their tables.
#include <gmock/gmock.h>

#include "database/error.h"
#include "workload/sql/ydb/script_fixture_test.h"

namespace drover::sql::ydb {
namespace {

using database::UnfitSchema;
using testing::HasSubstr;

class BuiltinScriptsOnYdb : public ScriptsOnYdb {
 protected:
  std::string unfit(Task<ScriptPreparation> task) {
    try {
      run(std::move(task));
    } catch (const UnfitSchema& error) {
      return error.what();
    }
    return "nothing was thrown";
  }

  std::uint64_t committed(const load::Outcome& outcome, std::size_t script) {
    std::uint64_t sum = 0;
    for (const auto& worker : outcome.workers) {
      sum += worker->measured[script].ok_count.get();
      EXPECT_EQ(worker->measured[script].failed_count.get(), 0U);
    }
    return sum;
  }

  void expect_money(std::uint64_t rows) {
    EXPECT_EQ(query("SELECT COUNT(*) FROM pgbench_history;"), std::to_string(rows));
    const std::string delta = query("SELECT COALESCE(SUM(delta), 0l) FROM pgbench_history;");
    EXPECT_EQ(query("SELECT SUM(abalance) FROM pgbench_accounts;"), delta);
    EXPECT_EQ(query("SELECT SUM(tbalance) FROM pgbench_tellers;"), delta);
    EXPECT_EQ(query("SELECT SUM(bbalance) FROM pgbench_branches;"), delta);
  }
};

TEST_F(BuiltinScriptsOnYdb, LeaveTheMoneyConsistentAmongFaults) {
  EXPECT_THAT(unfit(sql_database->prepare(true)),
              HasSubstr("the table pgbench_branches does not exist. Create the tables of the "
                        "built-in scripts first ('drover sql init', or pgbench -i)"));
  std::vector<std::int64_t> progress;
  const InitialiseSettings settings{
      .scale = 1, .on_progress = [&](std::int64_t done) { progress.push_back(done); }};
  EXPECT_TRUE(run(sql_database->initialise(settings)).empty());
  EXPECT_EQ(progress, std::vector<std::int64_t>{1});
  EXPECT_EQ(query("SELECT COUNT(*), MIN(aid), MAX(aid), MAX(bid), SUM(abalance) FROM "
                  "pgbench_accounts;"),
            "100000,1,100000,1,0");
  EXPECT_EQ(query("SELECT COUNT(*), MIN(tid), MAX(tid), MAX(bid) FROM pgbench_tellers;"),
            "10,1,10,1");
  EXPECT_EQ(run(sql_database->prepare(true)).branches, 1);
  EXPECT_FALSE(run(sql_database->prepare(false)).branches);
  EXPECT_THROW(run(sql_database->initialise(settings)), UnfitSchema);

  std::vector<ScriptText> texts;
  for (const BuiltinScript& script : builtin_scripts()) {
    const std::int32_t weight = script.name == "simple-update" ? 0 : 1;
    texts.push_back({std::string(script.name), std::string(script.yql), weight});
  }
  ScriptPlan plan = plan_of(std::move(texts), Protocol::declared);
  plan.operations = 200;
  plan.retry.attempts_max = 1000;
  RunCounts records(plan);
  server->set_faults(R"({"aborted": {"probability": 0.05}, "bad_session": {"probability": 0.02},
                         "unavailable": {"probability": 0.02, "methods": ["ExecuteQuery"]}})");
  const load::Outcome outcome = run_plan(*sql_database, plan, records);
  server->set_faults("{}");
  const std::uint64_t transfers = committed(outcome, 0);
  EXPECT_EQ(committed(outcome, 1), 0U) << "its weight is 0";
  EXPECT_EQ(transfers + committed(outcome, 2), 200U);
  EXPECT_GT(transfers, 50U);
  EXPECT_EQ(plan.scripts->statements().size(), 7U + 5U + 1U);
  expect_money(transfers);

  executed(std::string(find_builtin("simple-update").yql));
  EXPECT_EQ(query("SELECT COUNT(*) FROM pgbench_history;"), std::to_string(transfers + 1));
  server->change_settings(R"({"snapshot_writes": false})");
  EXPECT_THAT(message_of(sql_database->require_isolation(database::Isolation::snapshot)),
              HasSubstr("--tx-mode serializable-rw"));
  server->change_settings(R"({"snapshot_writes": true})");
  run(sql_database->require_isolation(database::Isolation::snapshot));

  executed("DELETE FROM pgbench_branches;");
  EXPECT_THAT(unfit(sql_database->prepare(true)), HasSubstr("pgbench_branches is empty"));
  EXPECT_EQ(run(sql_database->clean()).size(), 4U);
  EXPECT_EQ(run(sql_database->clean()).size(), 0U);
}

TEST_F(BuiltinScriptsOnYdb, ARunOfFailuresSaysWhy) {
  ScriptPlan plan =
      plan_of({{"bad.yql", "SELECT 1;\nSELECT Unwrap(CAST(\"x\" AS Int32));"}}, Protocol::declared);
  plan.operations = 4;
  plan.terminal_count = 2;
  RunCounts records(plan);
  const load::Outcome outcome = run_plan(*sql_database, plan, records);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(outcome.workers[i]->measured[0].failed_count.get(), 2U);
    EXPECT_THAT(records.workers[i].first_failures[0],
                HasSubstr("bad.yql:2: SELECT Unwrap(CAST(\"x\" AS Int32));: ExecuteQuery: "
                          "PRECONDITION_FAILED: "));
    EXPECT_EQ(records.workers[i].statements[1]->failures.get(), 2U);
    EXPECT_EQ(records.workers[i].statements[0]->executions.get(), 2U);
  }
}

}  // namespace
}  // namespace drover::sql::ydb
