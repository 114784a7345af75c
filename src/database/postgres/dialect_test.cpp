#include "database/postgres/dialect.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "coro/block_on.h"
#include "coro/worker.h"
#include "database/postgres/connection.h"
#include "database/postgres/session_setup.h"
#include "support/test_server.h"

namespace drover::database::postgres {
namespace {

using coro::Task;

TEST(Dialect, HasTheNameOfItsTraits) {
  std::string names;
  for (const DialectTraits& traits : all_dialects()) {
    EXPECT_EQ(traits_of(traits.dialect).name, traits.name);
    names += std::string(traits.name) + " ";
  }
  EXPECT_EQ(names, "postgres cockroach yugabyte citus ");
}

TEST(Dialect, HasADefaultIsolation) {
  EXPECT_EQ(traits_of(Dialect::postgres).default_isolation, Isolation::read_committed);
  EXPECT_EQ(traits_of(Dialect::cockroach).default_isolation, Isolation::serializable);
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

// An ERROR at COMMIT means that the transaction was rolled back, or that its outcome is unknown.
TEST(Dialect, SaysWhatAnErrorAtCommitMeans) {
  using enum ErrorClass;
  struct Case {
    const char* sqlstate;
    ErrorClass postgres;
    ErrorClass several_nodes;
  };
  for (const Case& c : {
           Case{"40001", retryable, retryable},
           Case{"40P01", retryable, retryable},
           Case{"23505", statement, statement},
           Case{"23503", statement, statement},
           Case{"25P02", statement, statement},
           Case{"P0001", statement, statement},  // a deferred trigger
           Case{"22012", statement, statement},
           Case{"42P01", statement, statement},
           Case{"0A000", statement, statement},
           Case{"55P03", timed_out, timed_out},
           Case{"08001", statement, ambiguous_commit},
           Case{"08006", ambiguous_commit, ambiguous_commit},
           Case{"53100", statement, ambiguous_commit},
           Case{"53200", statement, ambiguous_commit},
           Case{"57014", timed_out, ambiguous_commit},  // while another node commits
           Case{"XX000", ambiguous_commit, ambiguous_commit},
           Case{"53000", ambiguous_commit, ambiguous_commit},
           Case{"58030", ambiguous_commit, ambiguous_commit},
           Case{"40003", ambiguous_commit, ambiguous_commit},
       }) {
    ErrorClass read_as = classify_sqlstate(c.sqlstate);
    // An ERROR of class 08 concerns a connection of the server's own: error_of() reads it so.
    if (read_as == connection_lost) read_as = statement;
    const Error error(read_as, c.sqlstate, "so it is");
    EXPECT_EQ(of_a_commit(Dialect::postgres, error).error_class(), c.postgres) << c.sqlstate;
    for (const Dialect dialect : {Dialect::citus, Dialect::cockroach, Dialect::yugabyte}) {
      EXPECT_EQ(of_a_commit(dialect, error).error_class(), c.several_nodes) << c.sqlstate;
    }
  }
  // COMMIT that was answered with ROLLBACK.
  const Error rolled_back(statement, "", "");
  EXPECT_EQ(of_a_commit(Dialect::citus, rolled_back).error_class(), statement);
}

TEST(Dialect, KnowsThatANodeOfCitusCouldNotConnect) {
  const auto class_of = [](const std::string& text) {
    const Error error(ErrorClass::statement, "08006",
                      "connection to the remote node a:1 failed with the following error: " + text);
    return of_a_commit(Dialect::citus, error).error_class();
  };
  EXPECT_EQ(class_of("Connection refused Is the server running on that host and accepting TCP/IP "
                     "connections?"),
            ErrorClass::statement);
  EXPECT_EQ(class_of("server closed the connection unexpectedly"), ErrorClass::ambiguous_commit);
}

TEST(Dialect, TakesAWorkersRefusalForTheReasonOnCitus) {
  const Error error(ErrorClass::statement, "XX000", "could not commit transaction for shard 1");
  const Error refused = of_a_commit(Dialect::citus, error, "40001");
  EXPECT_EQ(refused.error_class(), ErrorClass::retryable);
  EXPECT_EQ(refused.sqlstate(), "40001");
  EXPECT_EQ(of_a_commit(Dialect::citus, error, "23503").error_class(), ErrorClass::statement);
  // The worker may have committed before its connection was lost.
  EXPECT_EQ(of_a_commit(Dialect::citus, error, "08006").error_class(),
            ErrorClass::ambiguous_commit);
  EXPECT_EQ(of_a_commit(Dialect::citus, error, "").error_class(), ErrorClass::ambiguous_commit);
  EXPECT_EQ(of_a_commit(Dialect::yugabyte, error, "40001").error_class(),
            ErrorClass::ambiguous_commit);
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

TEST_F(DialectOfServer, IsFoundByItsExtension) {
  EXPECT_EQ(found(), Dialect::postgres);
  execute(
      "CREATE SCHEMA other; CREATE VIEW other.pg_extension AS SELECT 'citus' AS extname; "
      "ALTER ROLE drover SET search_path = other, pg_catalog");
  EXPECT_EQ(found(), Dialect::citus);
  execute("ALTER ROLE drover RESET ALL");
}

TEST_F(DialectOfServer, IsNotAskedForWhereItIsTold) {
  run([&]() -> Task<void> {
    const auto connection = co_await open_connection(access(Dialect::cockroach));
    EXPECT_EQ(connection->dialect(), Dialect::cockroach);
  });
}

// PostgreSQL does not know SHOW session_id, which names a session of CockroachDB.
TEST_F(DialectOfServer, MayHaveSessionsWithoutAName) {
  run([&]() -> Task<void> {
    const auto connection = co_await open_connection(access(Dialect::cockroach));
    EXPECT_FALSE((co_await identify_session(*connection)).has_value());
    EXPECT_FALSE(connection->broken());
  });
}

}  // namespace
}  // namespace drover::database::postgres
