// Sessions on a real server, one operation at a time; and writes whose answer never came.
#include "workload/ycsb/postgres/postgres_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coro/scope.h"
#include "database/error.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/postgres/served_table_test.h"

namespace drover::ycsb::postgres {
namespace {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::Resolution;

class BackendOnPostgres : public ServedTable {
 protected:
  BackendOnPostgres()
      : properties(properties_of("a", {"recordcount=10", "fieldcount=3", "scanproportion=1",
                                       "insertproportion=1", "readmodifywriteproportion=1"})) {
    load(properties);
  }

  std::unique_ptr<Backend> backend(bool write_all_fields = false) const {
    BackendSettings settings;
    settings.properties = properties;
    settings.properties.write_all_fields = write_all_fields;
    settings.verify = true;
    return database->make_backend(settings);
  }

  // On the worker of all backends.
  template <class T>
  T run_here(Task<T> task) {
    return coro::block_on(worker, std::move(task));
  }

  // Of the last call of execute().
  struct Executed {
    WriteTrace trace;
    OperationOutcome outcome;
    std::optional<Error> error;
  };

  static Task<void> execute_on(Backend& on, Operation operation, std::uint64_t stamp,
                               Executed& executed) {
    executed = {};
    executed.trace.stamp = stamp;
    database::Session* session = co_await on.acquire();
    const database::SessionLease lease(on, *session);
    try {
      co_await static_cast<Session&>(*session).execute(operation, executed.trace, executed.outcome);
    } catch (const Error& error) {
      executed.error = error;
    }
  }

  // Nothing else is done meanwhile.
  void with(Backend& backend, const std::function<Task<void>()>& body) {
    auto open_first = [&]() -> Task<void> {
      co_await backend.open();
      co_await body();
    };
    run_here(open_first());
  }

  static Operation update_of(std::uint64_t key, std::optional<std::uint32_t> field) {
    return {.type = OperationType::update, .key = key, .written_field = field};
  }

  std::string version_of(std::uint64_t row, int field) const {
    return query(fmt::format("SELECT left(field{}, 10)::int8 FROM usertable WHERE ycsb_key = '{}'",
                             field, KeyName(row, InsertOrder::hashed, 1).view()));
  }

  coro::Worker worker;
  const Properties properties;
};

TEST_F(BackendOnPostgres, AnUpdateCountsItsFieldUp) {
  const auto on = backend();
  Executed executed;
  with(*on, [&]() -> Task<void> {
    for (std::uint64_t stamp = 1; stamp <= 12; ++stamp) {
      co_await execute_on(*on, update_of(4, 1), stamp, executed);
      EXPECT_FALSE(executed.error);
      EXPECT_TRUE(executed.trace.commit_sent);
    }
    const Operation read = {.type = OperationType::read, .key = 4};
    co_await execute_on(*on, read, 0, executed);
    EXPECT_FALSE(executed.trace.commit_sent);
  });
  EXPECT_EQ(executed.outcome.rows_read, 1U);
  EXPECT_EQ(executed.outcome.values_verified, 3U);
  EXPECT_EQ(executed.outcome.values_wrong, 0U);
  EXPECT_EQ(version_of(4, 1), "12");
  EXPECT_EQ(version_of(4, 0), "0");
}

TEST_F(BackendOnPostgres, AScanReadsFromItsKeyOnInTheirOrder) {
  const auto on = backend();
  Executed executed;
  with(*on, [&]() -> Task<void> {
    const Operation scan = {.type = OperationType::scan, .key = 3, .scan_length = 5};
    co_await execute_on(*on, scan, 0, executed);
  });
  const std::string behind =
      query(fmt::format("SELECT least(5, count(*)) FROM usertable WHERE ycsb_key >= '{}'",
                        KeyName(3, InsertOrder::hashed, 1).view()));
  EXPECT_EQ(std::to_string(executed.outcome.rows_read), behind);
  EXPECT_EQ(executed.outcome.values_verified, 3 * executed.outcome.rows_read);
}

// Whatever the server thinks of the number of rows, which a plan for any parameters does not know.
TEST_F(BackendOnPostgres, AScanReadsByTheKeyAndSortsNothing) {
  const Statements statements(table_of(properties), properties, ValueKind::counted,
                              database::Isolation::read_committed);
  const std::string plan =
      query(fmt::format("SET plan_cache_mode = force_generic_plan; SET enable_sort = off; "
                        "SET max_parallel_workers_per_gather = 0; PREPARE scan AS {}; "
                        "EXPLAIN (FORMAT JSON) EXECUTE scan ('user1', 5)",
                        statements.scan[0].sql));
  EXPECT_NE(plan.find("Index Scan"), std::string::npos) << plan;
  EXPECT_EQ(plan.find("Sort"), std::string::npos) << plan;
}

TEST(SessionSettings, OnlyCitusGetsASettingOfItsOwn) {
  using testing::ElementsAre;
  const char* const no_sort = "SET enable_sort = off";
  const char* const no_gather = "SET max_parallel_workers_per_gather = 0";
  EXPECT_THAT(session_settings(database::Dialect::postgres), ElementsAre(no_sort, no_gather));
  EXPECT_THAT(session_settings(database::Dialect::citus),
              ElementsAre(no_sort, no_gather, "SET citus.max_adaptive_executor_pool_size = 1"));
}

TEST_F(BackendOnPostgres, ARowThatIsThereIsNotInsertedAgain) {
  const auto on = backend();
  Executed executed;
  with(*on, [&]() -> Task<void> {
    const Operation insert = {.type = OperationType::insert, .key = 9};
    co_await execute_on(*on, insert, 5, executed);
  });
  ASSERT_TRUE(executed.error);
  EXPECT_EQ(executed.error->error_class(), ErrorClass::statement);
  EXPECT_NE(std::string(executed.error->what()).find("--share"), std::string::npos);
}

TEST_F(BackendOnPostgres, ARowThatIsMissingLeavesNoTransactionOpen) {
  const auto on = backend();
  with(*on, [&]() -> Task<void> {
    for (const OperationType type :
         {OperationType::read, OperationType::update, OperationType::read_modify_write}) {
      const Operation operation = {.type = type, .key = 77, .written_field = 0};
      Executed executed;
      co_await execute_on(*on, operation, 5, executed);
      EXPECT_TRUE(executed.outcome.not_found);
      EXPECT_TRUE(executed.error && executed.error->error_class() == ErrorClass::statement);
      co_await execute_on(*on, update_of(1, 0), 6, executed);
      EXPECT_FALSE(executed.error);
    }
  });
}

struct Unobserved final : database::SessionObserver {
  void on_session_lost() noexcept override {}
  void on_session_refused(const Error&) noexcept override {}
  void on_session_opened() noexcept override {}
};

// The server ended the session before, and says so: nothing was executed. If the worker has already
// read that, no transaction fails.
TEST_F(BackendOnPostgres, ASessionThatWasEndedWhileIdleLeavesNothingInDoubt) {
  for (const OperationType type :
       {OperationType::read, OperationType::scan, OperationType::update, OperationType::insert}) {
    const auto on = backend();
    Executed executed;
    run_here(on->open());
    query(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE application_name = 'drover' AND pid <> pg_backend_pid()");
    const std::uint64_t key = type == OperationType::insert ? 50 : 5;
    const Operation operation = {.type = type, .key = key, .scan_length = 1, .written_field = 0};
    Unobserved observer;
    auto body = [&](coro::Scope& scope) -> Task<void> {
      scope.start(on->keep_open(observer));
      co_await execute_on(*on, operation, 1, executed);
      scope.cancel();
    };
    run_here(coro::with_scope(body));
    if (executed.error) {
      EXPECT_EQ(executed.error->error_class(), ErrorClass::connection_lost)
          << executed.error->what();
    }
  }
}

TEST_F(BackendOnPostgres, FindsOutWhetherAWriteHappened) {
  const auto one_field = backend();
  const auto all_fields = backend(true);
  Executed executed;
  with(*one_field, [&]() -> Task<void> {
    co_await execute_on(*one_field, update_of(1, 0), 101, executed);  // stays
    co_await execute_on(*one_field, update_of(2, 0), 102, executed);  // is written over
    co_await execute_on(*one_field, update_of(2, 0), 103, executed);
    const Operation insert = {.type = OperationType::insert, .key = 20};
    co_await execute_on(*one_field, insert, 104, executed);
  });
  with(*all_fields, [&]() -> Task<void> {
    co_await execute_on(*all_fields, update_of(3, std::nullopt), 105, executed);
  });
  std::vector<Resolution> answers;
  auto resolve = [&]() -> Task<void> {
    const Operation inserted = {.type = OperationType::insert, .key = 20};
    const Operation not_inserted = {.type = OperationType::insert, .key = 21};
    std::vector<UnknownCommit> doubts = {{update_of(1, 0), {101}},  {update_of(2, 0), {102}},
                                         {update_of(2, 0), {103}},  {update_of(4, 1), {110}},
                                         {update_of(3, {}), {105}}, {update_of(55, 0), {111}},
                                         {inserted, {104}},         {not_inserted, {112}}};
    answers = co_await one_field->resolve(doubts);
  };
  run_here(resolve());
  const std::vector<Resolution> expected = {Resolution::committed, Resolution::unknown,
                                            Resolution::committed, Resolution::not_committed,
                                            Resolution::committed, Resolution::not_committed,
                                            Resolution::committed, Resolution::not_committed};
  EXPECT_EQ(answers, expected);
}

}  // namespace
}  // namespace drover::ycsb::postgres
