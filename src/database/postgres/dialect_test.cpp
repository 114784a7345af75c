#include "database/postgres/dialect.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "coro/block_on.h"
#include "database/postgres/connection.h"
#include "database/postgres/session_identity.h"
#include "database/postgres/session_setup.h"
#include "test_server.h"

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

  static Access access(std::optional<Dialect> dialect = {}) {
    return {.conninfo = server->conninfo(), .dialect = dialect};
  }

  // Of a session that is opened without knowing.
  static Dialect found() {
    Dialect dialect = Dialect::postgres;
    coro::block_on([&]() -> Task<void> {
      const auto connection = co_await open_connection(access());
      dialect = connection->dialect();
    }());
    return dialect;
  }

  static void execute(std::string sql) {
    coro::block_on([&]() -> Task<void> {
      const auto connection = co_await Connection::open(server->conninfo());
      co_await connection->script(sql);
    }());
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
  execute("DROP SCHEMA sys CASCADE; CREATE SCHEMA spanner_sys");
  EXPECT_EQ(found(), Dialect::spanner);
  execute("DROP SCHEMA spanner_sys");
}

TEST_F(DialectOfServer, IsNotAskedForWhereItIsTold) {
  coro::block_on([&]() -> Task<void> {
    const auto connection = co_await open_connection(access(Dialect::cockroach));
    EXPECT_EQ(connection->dialect(), Dialect::cockroach);
  }());
}

// A whole number of four bytes goes as one of eight, and one of eight is read that fits into four.
TEST_F(DialectOfServer, MayHaveWideIntegersOnly) {
  coro::block_on([&]() -> Task<void> {
    const auto connection = co_await open_connection(access(Dialect::spanner));
    const Statement doubled{"doubled", "SELECT $1::bigint * 2"};
    co_await connection->prepare({&doubled, 1});
    const Result fits = co_await connection->execute(doubled, std::int32_t{21});
    EXPECT_EQ(fits.int4(0, 0), 42);
    const Result large = co_await connection->execute(doubled, std::int64_t{1} << 40);
    EXPECT_EQ(large.int8(0, 0), std::int64_t{1} << 41);
    EXPECT_THROW(large.int4(0, 0), Error);
  }());
}

// What is asked of a CockroachDB is an error here, and so there is no identity; and where nobody is asked, none either.
TEST_F(DialectOfServer, MayHaveSessionsWithoutAName) {
  for (const Dialect dialect : {Dialect::cockroach, Dialect::dsql}) {
    coro::block_on([&]() -> Task<void> {
      const auto connection = co_await open_connection(access(dialect));
      EXPECT_FALSE((co_await identify_session(*connection)).has_value());
      EXPECT_FALSE(connection->broken());
    }());
  }
}

TEST_F(DialectOfServer, OpensASessionWithoutSettingTheOnlyLevel) {
  coro::block_on([&]() -> Task<void> {
    const SessionSettings settings{.access = access(Dialect::dsql),
                                   .isolation = Isolation::repeatable_read};
    const OpenedSession opened = co_await open_session(settings, {});
    const Result level =
        co_await opened.connection->query("SHOW default_transaction_isolation");
    EXPECT_EQ(level.text(0, 0), "read committed");
  }());
}

}  // namespace
}  // namespace drover::database::postgres
