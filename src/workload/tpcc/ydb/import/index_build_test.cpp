// Index builds on a server: done, found again, cancelled, failed.

#include <gmock/gmock.h>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "database/postgres/connection.h"
#include "database/ydb/database_access.h"
#include "workload/tpcc/ydb/check/fresh_database_test.h"
#include "workload/tpcc/ydb/import/import.h"

namespace drover::tpcc::ydb {
namespace {

using coro::Task;
using testing::HasSubstr;

constexpr coro::Duration interval = std::chrono::milliseconds(1);

const SecondaryIndex& index_of_orders() {
  return secondary_indexes[1];
}

class IndexBuilding : public FreshDatabase {
 protected:
  void TearDown() override {
    if (server) server->change_settings(R"({"index_polls": 0})");
    FreshDatabase::TearDown();
  }

  static Task<void> build(DatabaseAccess& access, std::string operation = {}) {
    IndexBuild wanted{
        .index = index_of_orders(), .operation = std::move(operation), .poll_interval = interval};
    co_await build_index(access, std::move(wanted));
  }

  static bool exists(std::string folder) {
    bool found = false;
    use(std::move(folder), [&](DatabaseAccess& access) -> Task<void> {
      found = co_await index_exists(access, index_of_orders());
    });
    return found;
  }

  static void on_postgres(std::string sql) { run(on_postgres_task(std::move(sql))); }

 private:
  static Task<void> on_postgres_task(std::string sql) {
    const auto connection = co_await database::postgres::Connection::open(server->postgres());
    co_await connection->script(std::move(sql));
  }
};

TEST_F(IndexBuilding, WaitsUntilTheIndexCanBeUsed) {
  initialise_folder("built");
  EXPECT_FALSE(exists("built"));
  server->change_settings(R"({"index_polls": 4})");
  const std::int64_t polls = calls("GetOperation");
  use("built", [](DatabaseAccess& access) { return build(access); });
  EXPECT_GE(calls("GetOperation") - polls, 4);
  EXPECT_TRUE(exists("built"));
  EXPECT_EQ(settings_of("built").index_builds[1], "");
}

TEST_F(IndexBuilding, LeavesAnIndexThatIsThere) {
  initialise_folder("there");
  use("there", [](DatabaseAccess& access) { return build(access); });
  const std::int64_t alters = calls("AlterTable");
  use("there", [](DatabaseAccess& access) { return build(access, "ydb://forgotten"); });
  EXPECT_EQ(calls("AlterTable"), alters);
  use("there", [](DatabaseAccess& access) { return drop_index(access, index_of_orders()); });
  EXPECT_FALSE(exists("there"));
}

// Cancels a build that does not end by itself; `operation` is what is recorded meanwhile.
Task<void> build_and_cancel(DatabaseAccess& access, IndexBuild wanted, std::string& operation) {
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(build_index(access, std::move(wanted)));
    while (operation.empty()) {
      YdbAdminSession session(access);
      const std::optional<ImportRecord> settings = co_await read_record(session, "");
      operation = settings->index_builds[1];
    }
    scope.cancel();
  };
  try {
    co_await coro::with_scope(body);
  } catch (const coro::Cancelled&) {
  }
}

TEST_F(IndexBuilding, CancelsTheBuildWithItsTask) {
  initialise_folder("cancelled");
  server->change_settings(R"({"index_polls": 1000000000})");
  const std::int64_t cancels = calls("CancelOperation");
  std::string operation;
  use("cancelled", [&](DatabaseAccess& access) {
    IndexBuild wanted{.index = index_of_orders(), .poll_interval = interval};
    return build_and_cancel(access, std::move(wanted), operation);
  });
  EXPECT_THAT(operation, HasSubstr("ydb://"));
  EXPECT_EQ(calls("CancelOperation") - cancels, 1);
  EXPECT_EQ(settings_of("cancelled").index_builds[1], "");
  EXPECT_FALSE(exists("cancelled"));
  server->change_settings(R"({"index_polls": 0})");
  use("cancelled", [](DatabaseAccess& access) { return build(access); });
  EXPECT_TRUE(exists("cancelled"));
}

// As an import that was killed leaves it: nobody asks for the operation.
Task<void> begin_and_leave(DatabaseAccess& access, std::string& operation) {
  const auto begun = co_await database::ydb::begin_index(access.client(), access.path_of("oorder"),
                                                         "idx_order", index_of_orders().columns);
  operation = begun.id;
}

TEST_F(IndexBuilding, GoesOnWithABuildThatWasLeft) {
  initialise_folder("left");
  server->change_settings(R"({"index_polls": 3})");
  const std::int64_t alters = calls("AlterTable");
  use("left", [](DatabaseAccess& access) -> Task<void> {
    std::string operation;
    co_await begin_and_leave(access, operation);
    co_await build(access, operation);
  });
  EXPECT_EQ(calls("AlterTable") - alters, 1);
  EXPECT_TRUE(exists("left"));
}

TEST_F(IndexBuilding, SaysWhichIndexHasFailed) {
  initialise_folder("failing");
  on_postgres(
      "CREATE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS "
      "$$ BEGIN RAISE 'no index today'; END $$; "
      "CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ('CREATE INDEX') "
      "EXECUTE FUNCTION public.refuse()");
  // With polls, so that it fails behind the call that has begun it.
  server->change_settings(R"({"index_polls": 2})");
  std::string message;
  try {
    use("failing", [](DatabaseAccess& access) { return build(access); });
  } catch (const database::Error& error) {
    message = error.what();
  }
  on_postgres("DROP EVENT TRIGGER refuse; DROP FUNCTION public.refuse()");
  EXPECT_THAT(message, HasSubstr("index idx_order on oorder was not built: AlterTable: "));
  EXPECT_EQ(settings_of("failing").index_builds[1], "");
  use("failing", [](DatabaseAccess& access) { return build(access); });
  EXPECT_TRUE(exists("failing"));
}

}  // namespace
}  // namespace drover::tpcc::ydb
