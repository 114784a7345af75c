// What a connection does that knows to go through pgpool-II, on a server without it: the statements
// that come out.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <utility>

#include "coro/block_on.h"
#include "coro/worker.h"
#include "database/postgres/connection.h"
#include "database/postgres/dialect.h"
#include "database/postgres/server_facts.h"
#include "database/postgres/session_setup.h"
#include "database/postgres/shared_snapshot.h"
#include "support/test_server.h"

namespace drover::database::postgres {
namespace {

using namespace std::chrono_literals;
using coro::Task;

const Statement own_text{"own_text", "SELECT current_query()"};

class Pgpool : public testing::Test {
 protected:
  static void SetUpTestSuite() { server = std::make_unique<test::TestServer>(); }
  static void TearDownTestSuite() { server.reset(); }

  void SetUp() override {
    connection = run(Connection::open(server->conninfo()));
    connection->set_pooling(Pooling::pgpool);
  }

  template <class T>
  T run(Task<T> task) {
    return coro::block_on(worker, std::move(task));
  }

  static inline std::unique_ptr<test::TestServer> server;
  coro::Worker worker;
  std::unique_ptr<Connection> connection;
};

TEST_F(Pgpool, IsNotWhatAServerSays) {
  EXPECT_FALSE(run(is_pgpool(*connection)));
}

TEST_F(Pgpool, IsNotFoundWhereFunctionsAreRevoked) {
  run(
      connection->script("CREATE ROLE little; REVOKE EXECUTE ON FUNCTION version(), "
                         "inet_server_addr(), inet_server_port() FROM PUBLIC"));
  run(connection->script("SET ROLE little"));
  EXPECT_THROW(run(connection->query("SELECT version()")), Error);
  EXPECT_FALSE(run(is_pgpool(*connection)));
  EXPECT_EQ(run(find_dialect(*connection)), Dialect::postgres);
  run(
      connection->script("RESET ROLE; GRANT EXECUTE ON FUNCTION version(), inet_server_addr(), "
                         "inet_server_port() TO PUBLIC; DROP ROLE little"));
}

TEST_F(Pgpool, SendsWhatIsReadToThePrimary) {
  const char* const routed = "/*NO LOAD BALANCE*/ SELECT current_query()";
  EXPECT_EQ(run(connection->query(own_text.sql)).text(0, 0), routed);
  EXPECT_EQ(run(connection->script(own_text.sql)).text(0, 0), routed);
  run(connection->prepare({&own_text, 1}));
  run(connection->execute(own_text));
  const Result prepared = run(
      connection->query("SELECT statement FROM pg_prepared_statements WHERE name = 'own_text'"));
  EXPECT_EQ(prepared.text(0, 0), routed);
}

TEST_F(Pgpool, SendsWhatIsNotOursAsItIs) {
  connection->ask(own_text.sql);
  const auto answer = [&]() -> Task<Result> {
    while (!connection->answer_is_here()) co_await connection->wait_for_answer();
    co_return connection->take_answer();
  };
  EXPECT_EQ(run(answer()).text(0, 0), own_text.sql);
  EXPECT_EQ(run(answer()).get(), nullptr);
}

TEST_F(Pgpool, KeepsTheTagsOfTransactions) {
  run(connection->script("BEGIN"));
  EXPECT_TRUE(connection->in_transaction());
  run(connection->script("COMMIT"));
  EXPECT_FALSE(connection->in_transaction());
}

TEST_F(Pgpool, SharesNoSnapshot) {
  SharedSnapshot snapshot;
  run(snapshot.begin(*connection));
  const auto other = run(snapshot.join([] { return Connection::open(server->conninfo()); }));
  ASSERT_TRUE(snapshot.refusal());
  EXPECT_TRUE(snapshot.refusal()->starts_with("pgpool-II")) << *snapshot.refusal();
  EXPECT_TRUE(other->in_transaction());
}

// The process may be another session's by then, and the name is not.
TEST_F(Pgpool, ASessionIsEndedByItsName) {
  const auto identity = run(identify_session(*connection));
  ASSERT_TRUE(identity);
  EXPECT_TRUE(identity->application_name.starts_with("drover "));
  const auto asking = run(Connection::open(server->conninfo()));
  asking->set_pooling(Pooling::pgpool);
  const std::array sessions = {*identity};
  EXPECT_TRUE(run(end_sessions(*asking, sessions, 60s)));
  try {
    run(connection->query("SELECT 1"));
    ADD_FAILURE() << "it goes on";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::connection_lost) << error.what();
  }
}

}  // namespace
}  // namespace drover::database::postgres
