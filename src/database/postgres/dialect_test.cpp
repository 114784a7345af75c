#include "database/postgres/dialect.h"

#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "coro/block_on.h"
#include "coro/worker.h"
#include "database/postgres/connection.h"
#include "database/postgres/session_identity.h"
#include "database/postgres/session_setup.h"
#include "support/test_server.h"

namespace drover::database::postgres {
namespace {

using coro::Task;
using testing::HasSubstr;

TEST(Dialect, HasTheNameOfItsTraits) {
  for (const char* name : {"postgres", "cockroach", "yugabyte", "citus", "dsql", "spanner"}) {
    const auto dialect = dialect_of(name);
    ASSERT_TRUE(dialect) << name;
    EXPECT_EQ(traits_of(*dialect).name, name);
    EXPECT_EQ(traits_of(*dialect).dialect, *dialect);
    EXPECT_THAT(dialect_names(), HasSubstr(name));
  }
  EXPECT_FALSE(dialect_of("oracle"));
  EXPECT_FALSE(dialect_of(""));
}

TEST(Dialect, SaysWhichErrorsAreRetried) {
  const Error restart(ErrorClass::statement, "XX000", "Restart read required");
  EXPECT_EQ(in_dialect(Dialect::yugabyte, restart).error_class(), ErrorClass::retryable);
  EXPECT_STREQ(in_dialect(Dialect::yugabyte, restart).what(), "Restart read required");
  EXPECT_EQ(in_dialect(Dialect::postgres, restart).error_class(), ErrorClass::statement);
  // At the end of a transaction nobody knows what became of it, save where the state says so.
  const Error repeated = in_dialect(Dialect::yugabyte, restart);
  EXPECT_EQ(of_a_commit(Dialect::yugabyte, repeated).error_class(), ErrorClass::ambiguous_commit);
  const Error refused(ErrorClass::retryable, "40001", "");
  EXPECT_EQ(of_a_commit(Dialect::yugabyte, refused).error_class(), ErrorClass::retryable);
  const Error lost(ErrorClass::connection_lost, "XX000", "");
  EXPECT_EQ(in_dialect(Dialect::yugabyte, lost).error_class(), ErrorClass::connection_lost);
}

TEST(Dialect, HasItsLevelsOfIsolation) {
  EXPECT_EQ(choose_isolation(Dialect::postgres, {}), Isolation::read_committed);
  EXPECT_EQ(choose_isolation(Dialect::cockroach, {}), Isolation::serializable);
  EXPECT_EQ(choose_isolation(Dialect::dsql, {}), Isolation::repeatable_read);
  EXPECT_EQ(choose_isolation(Dialect::cockroach, Isolation::read_committed),
            Isolation::read_committed);
  try {
    choose_isolation(Dialect::dsql, Isolation::serializable);
    FAIL() << "it has no such level";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("Aurora DSQL has no serializable; it has repeatable read"));
  }
}

class DialectOfServer : public testing::Test {
 protected:
  static void SetUpTestSuite() { server = std::make_unique<test::TestServer>(); }
  static void TearDownTestSuite() { server.reset(); }

  // The body as a task on a worker of its own.
  static void run(const std::function<Task<void>()>& body) {
    coro::Worker worker;
    coro::block_on(worker, body());
  }

  static Access access(std::optional<Dialect> dialect = {}) {
    return {.conninfo = server->conninfo(), .dialect = dialect};
  }

  // What a session finds that is opened without being told.
  static Dialect found() {
    Dialect dialect = Dialect::postgres;
    run([&]() -> Task<void> {
      const auto connection = co_await open_connection(access());
      dialect = connection->dialect();
    });
    return dialect;
  }

  static void execute(std::string sql) {
    run([&]() -> Task<void> {
      const auto connection = co_await Connection::open(server->conninfo());
      co_await connection->script(sql);
    });
  }

  static std::unique_ptr<test::TestServer> server;
};

std::unique_ptr<test::TestServer> DialectOfServer::server;

TEST_F(DialectOfServer, IsFoundByWhatIsThere) {
  EXPECT_EQ(found(), Dialect::postgres);
  execute("CREATE SCHEMA sys; CREATE TABLE sys.mine ()");
  EXPECT_EQ(found(), Dialect::postgres) << "anybody may have a schema of that name";
  execute("CREATE TABLE sys.jobs ()");
  EXPECT_EQ(found(), Dialect::dsql);
  execute(
      "DROP SCHEMA sys CASCADE; CREATE SCHEMA adapter; CREATE VIEW adapter.pg_settings AS "
      "SELECT 'spanner.autocommit_dml_mode' AS name; "
      "ALTER ROLE drover SET search_path = adapter, pg_catalog");
  EXPECT_EQ(found(), Dialect::spanner);
  execute("ALTER ROLE drover RESET ALL");
}

TEST_F(DialectOfServer, IsNotAskedForWhereItIsTold) {
  run([&]() -> Task<void> {
    const auto connection = co_await open_connection(access(Dialect::cockroach));
    EXPECT_EQ(connection->dialect(), Dialect::cockroach);
  });
}

// A whole number of four bytes goes as one of eight, and one of eight is read that fits into four.
TEST_F(DialectOfServer, MayHaveWideIntegersOnly) {
  run([&]() -> Task<void> {
    const auto connection = co_await open_connection(access(Dialect::spanner));
    const Statement doubled{"doubled", "SELECT $1::bigint * 2"};
    co_await connection->prepare({&doubled, 1});
    const Result fits = co_await connection->execute(doubled, std::int32_t{21});
    EXPECT_EQ(fits.int4(0, 0), 42);
    constexpr std::int64_t too_large = std::int64_t{1} << 40;
    const Result large = co_await connection->execute(doubled, too_large);
    EXPECT_EQ(large.int8(0, 0), 2 * too_large);
    EXPECT_THROW(large.int4(0, 0), Error);
  });
}

// What is asked of a CockroachDB is an error here, and so there is no identity; and where nobody is asked, none either.
TEST_F(DialectOfServer, MayHaveSessionsWithoutAName) {
  for (const Dialect dialect : {Dialect::cockroach, Dialect::dsql}) {
    run([&]() -> Task<void> {
      const auto connection = co_await open_connection(access(dialect));
      EXPECT_FALSE((co_await identify_session(*connection)).has_value());
      EXPECT_FALSE(connection->broken());
    });
  }
}

TEST_F(DialectOfServer, OpensASessionWithoutSettingTheOnlyLevel) {
  run([&]() -> Task<void> {
    const SessionSettings settings{.access = access(Dialect::dsql),
                                   .isolation = Isolation::repeatable_read};
    const Statement one{"one", "SELECT 1"};
    const OpenedSession opened = co_await open_session(settings, {&one, 1});
    const Result level = co_await opened.connection->query("SHOW default_transaction_isolation");
    EXPECT_EQ(level.text(0, 0), "read committed");
  });
}

}  // namespace
}  // namespace drover::database::postgres
