// Runs of the built-in scripts on a real server, and their tables.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "database/embedded/program.h"
#include "database/error.h"
#include "workload/sql/postgres/script_fixture_test.h"

namespace drover::sql::postgres {
namespace {

using database::UnfitSchema;
using testing::HasSubstr;

class BuiltinScripts : public ScriptFixture, public testing::WithParamInterface<Protocol> {
 protected:
  static void SetUpTestSuite() {
    ScriptFixture::SetUpTestSuite();
    coro::Worker worker;
    coro::block_on(worker, fill());
  }
  static Task<void> fill() {
    const auto database = make_database({server->conninfo()});
    co_await database->initialise({});
  }

  static std::uint64_t executions(const RunCounts& records, std::size_t statement) {
    std::uint64_t sum = 0;
    for (const WorkerCounts& worker : records.workers) {
      const StatementCounts& counts = *worker.statements[statement];
      EXPECT_EQ(counts.failures.get(), 0U);
      EXPECT_EQ(counts.executions.get(), counts.latency.snapshot().count());
      sum += counts.executions.get();
    }
    return sum;
  }
};

INSTANTIATE_TEST_SUITE_P(All, BuiltinScripts, testing::ValuesIn(all_protocols),
                         [](const auto& info) { return std::string(protocol_name(info.param)); });

TEST_P(BuiltinScripts, LeaveTheMoneyConsistent) {
  query(
      "TRUNCATE pgbench_history; UPDATE pgbench_accounts SET abalance = 0 WHERE abalance <> 0; "
      "UPDATE pgbench_tellers SET tbalance = 0; UPDATE pgbench_branches SET bbalance = 0");
  std::vector<ScriptText> texts;
  for (const BuiltinScript& script : builtin_scripts()) {
    const std::int32_t weight = script.name == "simple-update" ? 0 : 1;
    texts.push_back({std::string(script.name), std::string(script.text), weight});
  }
  const ScriptPlan plan = plan_of(std::move(texts), GetParam());
  RunCounts records(plan);
  const load::Outcome outcome = run_plan(*make_database({server->conninfo()}), plan, records);
  std::uint64_t transfers = 0;
  std::uint64_t reads = 0;
  for (const auto& worker : outcome.workers) {
    transfers += worker->measured[0].ok_count.get();
    reads += worker->measured[2].ok_count.get();
    EXPECT_EQ(worker->measured[1].attempts.get(), 0U) << "its weight is 0";
    EXPECT_EQ(worker->measured[0].failed_count.get(), 0U);
  }
  EXPECT_EQ(transfers + reads, 600U);
  EXPECT_GT(transfers, 200U);
  EXPECT_GT(reads, 200U);
  EXPECT_EQ(
      query(
          "SELECT (SELECT count(*) FROM pgbench_history), "
          "(SELECT sum(abalance) FROM pgbench_accounts) = (SELECT sum(delta) FROM "
          "pgbench_history), "
          "(SELECT sum(tbalance) FROM pgbench_tellers) = (SELECT sum(delta) FROM pgbench_history), "
          "(SELECT sum(bbalance) FROM pgbench_branches) = (SELECT sum(delta) FROM "
          "pgbench_history)"),
      fmt::format("{},t,t,t", transfers));
  // tpcb-like has seven statements, simple-update five, select-only one.
  const std::vector<Statement>& statements = plan.scripts->statements();
  ASSERT_EQ(statements.size(), 7U + 5U + 1U);
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const std::uint64_t expected = statements[i].script == 0   ? transfers
                                   : statements[i].script == 2 ? reads
                                                               : 0;
    EXPECT_EQ(executions(records, i), expected) << statements[i].title;
  }
}

TEST_P(BuiltinScripts, ThatFailSayWhy) {
  ScriptPlan plan = plan_of({{"bad.sql", "SELECT 1;\nSELECT 1/0;"}}, GetParam());
  plan.operations = 4;
  plan.terminal_count = 2;
  RunCounts records(plan);
  const load::Outcome outcome = run_plan(*make_database({server->conninfo()}), plan, records);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(outcome.workers[i]->measured[0].failed_count.get(), 2U);
    EXPECT_THAT(records.workers[i].first_failures[0],
                HasSubstr("bad.sql:2: SELECT 1/0;: division by zero"));
    EXPECT_EQ(records.workers[i].statements[1]->failures.get(), 2U);
    EXPECT_EQ(records.workers[i].statements[0]->executions.get(), 2U);
  }
}

class PgbenchTables : public ScriptFixture {
 protected:
  std::unique_ptr<Database> database_of(const std::string& schema) {
    query(fmt::format("DROP SCHEMA IF EXISTS {0} CASCADE; CREATE SCHEMA {0}", schema));
    return make_database({server->conninfo(), schema});
  }
};

TEST_F(PgbenchTables, AreMadeCountedAndDropped) {
  const auto database = database_of("made");
  std::string message;
  auto prepare = [&]() -> Task<void> {
    try {
      co_await database->prepare(true);
    } catch (const UnfitSchema& error) {
      message = error.what();
    }
  };
  run(prepare());
  EXPECT_THAT(message, HasSubstr("the table pgbench_branches does not exist. Create the tables of "
                                 "the built-in scripts first ('drover sql init', or pgbench -i)"));
  std::vector<std::int64_t> progress;
  InitialiseSettings settings{.scale = 2,
                              .on_progress = [&](std::int64_t done) { progress.push_back(done); }};
  EXPECT_EQ(run(database->initialise(settings)).size(), 0U);
  EXPECT_EQ(progress, std::vector<std::int64_t>{2});
  EXPECT_EQ(run(database->prepare(true)).branches, 2);
  EXPECT_FALSE(run(database->prepare(false)).branches);
  EXPECT_THROW(run(database->initialise(settings)), UnfitSchema);
  settings.scale = 1;
  settings.force = true;
  EXPECT_EQ(run(database->initialise(settings)).size(), 4U);
  EXPECT_EQ(run(database->prepare(true)).branches, 1);
  query("TRUNCATE made.pgbench_branches");
  message.clear();
  run(prepare());
  EXPECT_THAT(message, HasSubstr("pgbench_branches is empty"));
  EXPECT_EQ(run(database->clean()).size(), 4U);
  EXPECT_EQ(run(database->clean()).size(), 0U);
}

// Returns a query for columns, keys, options and rows of the tables, in a fixed order.
std::string description_sql(const std::string& schema) {
  return fmt::format(
      "SELECT 'column', table_name, column_name, data_type, character_maximum_length, is_nullable "
      "FROM information_schema.columns WHERE table_schema = '{0}' "
      "UNION ALL SELECT 'index', indexname, replace(indexdef, '{0}.', ''), '', 0, '' FROM "
      "pg_indexes "
      "WHERE schemaname = '{0}' "
      "UNION ALL SELECT 'options', relname, reloptions::text, '', 0, '' FROM pg_class "
      "WHERE relnamespace = '{0}'::regnamespace AND relkind = 'r' "
      "UNION ALL SELECT 'rows', 'accounts', md5(string_agg(a::text, ';' ORDER BY aid)), '', 0, '' "
      "FROM {0}.pgbench_accounts a "
      "UNION ALL SELECT 'rows', 'tellers', md5(string_agg(t::text, ';' ORDER BY tid)), '', 0, '' "
      "FROM {0}.pgbench_tellers t "
      "UNION ALL SELECT 'rows', 'branches', md5(string_agg(b::text, ';' ORDER BY bid)), '', 0, '' "
      "FROM {0}.pgbench_branches b "
      "UNION ALL SELECT 'rows', 'history', count(*)::text, '', 0, '' FROM {0}.pgbench_history "
      "ORDER BY 1, 2, 3",
      schema);
}

TEST_F(PgbenchTables, AreThoseOfPgbench) {
  const auto pgbench = database::embedded::find_installation().program("pgbench");
  if (!std::filesystem::exists(pgbench)) GTEST_SKIP() << "no " << pgbench;
  run(database_of("ours")->initialise({}));
  database_of("theirs");
  const std::string command = fmt::format("{} -i -q '{} options=-csearch_path=theirs' 2>&1",
                                          pgbench.string(), server->conninfo());
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  EXPECT_EQ(query(description_sql("ours")), query(description_sql("theirs")));
}

}  // namespace
}  // namespace drover::sql::postgres
