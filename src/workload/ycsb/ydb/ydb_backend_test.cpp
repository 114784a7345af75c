// Sessions on the server of the tests, one operation at a time; writes whose answer never came; and
// runs.
#include "workload/ycsb/ydb/ydb_backend.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "database/error.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/ydb/served_table_test.h"

namespace drover::ycsb::ydb {
namespace {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::Isolation;
using database::Resolution;

class BackendOnYdb : public ServedTable {
 protected:
  BackendOnYdb()
      : properties(properties_of("a", {"recordcount=10", "fieldcount=3", "scanproportion=1",
                                       "insertproportion=1", "readmodifywriteproportion=1"})) {}

  std::unique_ptr<Backend> backend(bool write_all_fields = false) const {
    BackendSettings settings;
    settings.properties = properties;
    settings.properties.write_all_fields = write_all_fields;
    settings.verify = true;
    settings.isolation = Isolation::serializable;
    settings.resolve_timeout = std::chrono::minutes(10);
    return database->make_backend(settings);
  }

  struct Executed {
    WriteTrace trace;
    OperationOutcome outcome;
    std::optional<Error> error;
  };

  static Task<Executed> execute_on(Backend& on, Operation operation, std::uint64_t stamp) {
    Executed executed;
    executed.trace.stamp = stamp;
    database::Session* session = co_await on.acquire();
    const database::SessionLease lease(on, *session);
    try {
      co_await static_cast<Session&>(*session).execute(operation, executed.trace, executed.outcome);
    } catch (const Error& error) {
      executed.error = error;
    }
    co_return executed;
  }

  // One after the other, with the stamps 1, 2, …; then the doubts are resolved.
  struct Done {
    std::vector<Executed> executed;
    std::vector<Resolution> resolved;
  };
  Done perform(std::vector<Operation> operations, std::vector<UnknownCommit> doubts = {},
               bool write_all_fields = false) const {
    Done done;
    auto body = [&]() -> Task<void> {
      const auto on = backend(write_all_fields);
      co_await on->open();
      for (const Operation& operation : operations) {
        done.executed.push_back(co_await execute_on(*on, operation, done.executed.size() + 1));
      }
      done.resolved = co_await on->resolve(doubts);
    };
    run(body());
    return done;
  }

  static Operation update_of(std::uint64_t key, std::optional<std::uint32_t> field) {
    return {.type = OperationType::update, .key = key, .written_field = field};
  }
  static Operation insert_of(std::uint64_t key) {
    return {.type = OperationType::insert, .key = key};
  }

  std::string version_of_row(std::uint64_t row, int field) const {
    return query(fmt::format("SELECT left(field{}, 10)::int8 FROM {{0}} WHERE ycsb_key = '{}'",
                             field, KeyName(row, InsertOrder::hashed, 1).view()));
  }

  const Properties properties;
};

TEST_F(BackendOnYdb, AnUpdateCountsItsFieldUp) {
  load(properties);
  std::vector<Operation> operations(12, update_of(4, 1));
  operations.push_back({.type = OperationType::read, .key = 4});
  const Done done = perform(operations);
  for (const Executed& one : done.executed) EXPECT_FALSE(one.error);
  EXPECT_TRUE(done.executed.front().trace.commit_sent);
  EXPECT_FALSE(done.executed.back().trace.commit_sent);
  EXPECT_EQ(done.executed.back().outcome.rows_read, 1U);
  EXPECT_EQ(done.executed.back().outcome.values_verified, 3U);
  EXPECT_EQ(done.executed.back().outcome.values_wrong, 0U);
  EXPECT_EQ(version_of_row(4, 1), "12");
  EXPECT_EQ(version_of_row(4, 0), "0");
}

TEST_F(BackendOnYdb, AVersionKeepsItsDigitsWhereTheyGrow) {
  load(properties);
  const std::string key(KeyName(3, InsertOrder::hashed, 1).view());
  query(
      fmt::format("UPDATE {{0}} SET field0 = '0999999999' || substr(field0, 11) "
                  "WHERE ycsb_key = '{}'",
                  key));
  EXPECT_FALSE(perform({update_of(3, 0)}).executed[0].error);
  EXPECT_EQ(version_of_row(3, 0), "1000000000");
  EXPECT_EQ(query(fmt::format("SELECT length(field0) FROM {{0}} WHERE ycsb_key = '{}'", key)),
            "100");
}

TEST_F(BackendOnYdb, AValueWithoutAVersionIsLeftAsItIs) {
  load(properties);
  query("UPDATE {0} SET field0 = 'nothing of ours'");
  const Done done = perform({update_of(3, 0)});
  ASSERT_TRUE(done.executed[0].error);
  EXPECT_EQ(done.executed[0].error->error_class(), ErrorClass::statement);
  EXPECT_EQ(query("SELECT count(*) FROM {0} WHERE field0 = 'nothing of ours'"), "10");
}

TEST_F(BackendOnYdb, AScanReadsFromItsKeyOn) {
  load(properties);
  const Done done = perform({{.type = OperationType::scan, .key = 3, .scan_length = 5}});
  const std::string behind =
      query(fmt::format("SELECT least(5, count(*)) FROM {{0}} WHERE ycsb_key >= '{}'",
                        KeyName(3, InsertOrder::hashed, 1).view()));
  EXPECT_EQ(std::to_string(done.executed[0].outcome.rows_read), behind);
  EXPECT_EQ(done.executed[0].outcome.values_verified, 3 * done.executed[0].outcome.rows_read);
}

TEST_F(BackendOnYdb, ARowThatIsThereIsNotInsertedAgain) {
  load(properties);
  const Done done = perform({insert_of(9), update_of(9, 0)});
  ASSERT_TRUE(done.executed[0].error);
  EXPECT_EQ(done.executed[0].error->error_class(), ErrorClass::statement);
  EXPECT_NE(std::string(done.executed[0].error->what()).find("--share"), std::string::npos);
  EXPECT_FALSE(done.executed[1].error);
  EXPECT_EQ(version_of_row(9, 0), "1");
}

TEST_F(BackendOnYdb, ARowThatIsMissingLeavesNoTransactionOpen) {
  load(properties);
  for (const OperationType type :
       {OperationType::read, OperationType::update, OperationType::read_modify_write}) {
    const Operation operation = {.type = type, .key = 77, .written_field = 0};
    const Done done = perform({operation, update_of(1, 0)});
    EXPECT_TRUE(done.executed[0].outcome.not_found);
    EXPECT_TRUE(done.executed[0].error &&
                done.executed[0].error->error_class() == ErrorClass::statement);
    EXPECT_FALSE(done.executed[1].error);
  }
}

TEST_F(BackendOnYdb, FindsOutWhetherAWriteHappened) {
  load(properties);
  const Done done = perform({update_of(1, 0), update_of(2, 0), update_of(2, 0), insert_of(20)},
                            {{update_of(1, 0), {1}},
                             {update_of(2, 0), {2}},
                             {update_of(2, 0), {3}},
                             {update_of(4, 1), {10}},
                             {update_of(55, 0), {11}},
                             {insert_of(20), {4}},
                             {insert_of(21), {12}}});
  const std::vector<Resolution> expected = {Resolution::committed,     Resolution::unknown,
                                            Resolution::committed,     Resolution::not_committed,
                                            Resolution::not_committed, Resolution::committed,
                                            Resolution::not_committed};
  EXPECT_EQ(done.resolved, expected);
  EXPECT_EQ(query("SELECT count(*) FROM {0}"), "11");
  EXPECT_EQ(version_of_row(2, 0), "2");
}

TEST_F(BackendOnYdb, ALostAnswerLeavesWritesInDoubtAndReadsNot) {
  load(properties);
  for (const OperationType type :
       {OperationType::read, OperationType::scan, OperationType::update, OperationType::insert}) {
    server->set_faults(R"({"transport_after": {"count": 1, "methods": ["ExecuteQuery"]}})");
    const Operation operation = {.type = type,
                                 .key = type == OperationType::insert ? 50U : 5U,
                                 .scan_length = 1,
                                 .written_field = 0};
    const Executed executed = perform({operation}).executed[0];
    ASSERT_TRUE(executed.error);
    const bool writes = type == OperationType::update || type == OperationType::insert;
    EXPECT_EQ(executed.error->error_class() == ErrorClass::ambiguous_commit, writes);
    EXPECT_EQ(executed.trace.commit_sent, writes);
  }
}

class RunOnYdb : public ServedTable {
 protected:
  static void expect_sound(const Run& run) {
    EXPECT_EQ(run.failed(), 0U);
    EXPECT_EQ(run.counted(&WorkerCounts::values_wrong), 0U);
    EXPECT_EQ(run.counted(&WorkerCounts::not_found), 0U);
    expect_ledger(run);
  }

  static Properties of_every_operation(const std::vector<std::string>& more = {}) {
    std::vector<std::string> settings = {"recordcount=100",    "readproportion=1",
                                         "updateproportion=1", "insertproportion=1",
                                         "scanproportion=1",   "readmodifywriteproportion=1",
                                         "maxscanlength=20",   "fieldcount=4"};
    settings.insert(settings.end(), more.begin(), more.end());
    return properties_of("a", settings);
  }
};

TEST_F(RunOnYdb, EveryOperationOnOneFieldOrAll) {
  for (const char* all : {"true", "false"}) {
    const Properties properties =
        of_every_operation({std::string("table=Table_") + all, std::string("readallfields=") + all,
                            std::string("writeallfields=") + all, "fieldlengthdistribution=uniform",
                            "minfieldlength=22"});
    load(properties);
    const auto run = run_engine(
        properties,
        {.operations = 300, .threads = 2, .verify = true, .isolation = Isolation::serializable});
    for (std::size_t type = 0; type < 5; ++type) {
      EXPECT_GT(run->sum(type, &load::SharedTotals::ok_count), 20U) << type;
    }
    expect_sound(*run);
  }
}

TEST_F(RunOnYdb, UpdatesOfOneHotRowAreAllInTheData) {
  for (const Isolation isolation : {Isolation::serializable, Isolation::snapshot}) {
    const Properties properties =
        properties_of("f", {"recordcount=2", "updateproportion=0.5", "fieldcount=2"});
    load(properties);
    ServedTable::run(database->choose_isolation(properties, isolation, {}));
    const auto run =
        run_engine(properties, {.operations = 200, .verify = true, .isolation = isolation});
    EXPECT_GT(run->records->ledger().versions, 50U);
    expect_ledger(*run);
    EXPECT_EQ(run->counted(&WorkerCounts::values_wrong), 0U);
  }
}

TEST_F(RunOnYdb, FaultsLoseNothingAndAreResolved) {
  const Properties properties = of_every_operation();
  load(properties);
  server->set_faults(R"({"undetermined_committed": {"probability": 0.05},
                         "undetermined_lost": {"probability": 0.05},
                         "transport_after": {"probability": 0.02, "methods": ["ExecuteQuery"]},
                         "transport_before": {"probability": 0.02, "methods": ["ExecuteQuery"]},
                         "aborted": {"probability": 0.05}, "bad_session": {"probability": 0.02}})");
  const auto run = run_engine(
      properties, {.operations = 400, .verify = true, .isolation = Isolation::serializable});
  server->set_faults("{}");
  EXPECT_EQ(run->counted(&WorkerCounts::values_wrong), 0U);
  expect_ledger(*run);
  EXPECT_TRUE(check(properties).holds());
}

TEST_F(RunOnYdb, ARunWantsTheTableAndThePropertiesOfItsRows) {
  Properties properties = properties_of("c", {"recordcount=10"});
  EXPECT_NE(unfit(database->prepare(properties)).find("there is no table usertable"),
            std::string::npos);
  load(properties);
  EXPECT_EQ(run(database->prepare(properties)).next_row, 10U);
  properties.insert_count = properties.record_count = 1'000'000;
  EXPECT_NE(unfit(database->prepare(properties)).find("the row 10 (user"), std::string::npos);
  properties.field_length = 50;
  EXPECT_NE(unfit(database->prepare(properties)).find("fieldlength=100, and not fieldlength=50"),
            std::string::npos);
}

TEST_F(RunOnYdb, GapsThatARunHasLeftAreLeftOut) {
  const Properties inserting =
      properties_of("d", {"recordcount=10", "readproportion=0", "insertproportion=1"});
  load(inserting);
  run_engine(inserting, {.operations = 20, .isolation = Isolation::serializable});
  query(fmt::format("DELETE FROM {{0}} WHERE ycsb_key = '{}'",
                    KeyName(12, InsertOrder::hashed, 1).view()));
  const auto run =
      run_engine(properties_of("c", {"recordcount=30", "requestdistribution=sequential"}),
                 {.operations = 29, .clients = 1, .isolation = Isolation::serializable});
  EXPECT_EQ(run->prepared.missing_rows, (std::vector<RowRange>{{12, 13}}));
  EXPECT_EQ(run->committed(OperationType::read), 29U);
}

TEST_F(RunOnYdb, AServerWithoutSnapshotsForWritesSaysSo) {
  const Properties properties = properties_of("a", {"recordcount=10"});
  load(properties);
  server->change_settings(R"({"snapshot_writes": false})");
  std::string refusal;
  try {
    run(database->choose_isolation(properties, Isolation::snapshot, {}));
  } catch (const Error& error) {
    refusal = error.what();
  }
  server->change_settings(R"({"snapshot_writes": true})");
  EXPECT_NE(refusal.find("--tx-mode serializable-rw"), std::string::npos) << refusal;
}

}  // namespace
}  // namespace drover::ycsb::ydb
