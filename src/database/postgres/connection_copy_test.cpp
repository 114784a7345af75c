// COPY … FROM STDIN on a real server: large streams, and servers that end them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "coro/block_on.h"
#include "coro/deadline.h"
#include "coro/worker.h"
#include "database/postgres/connection.h"
#include "support/test_server.h"

namespace drover::database::postgres {
namespace {

using namespace std::chrono_literals;
using coro::Task;

class Copy : public testing::Test {
 protected:
  static void SetUpTestSuite() { server = std::make_unique<test::TestServer>(); }
  static void TearDownTestSuite() { server.reset(); }

  void SetUp() override {
    run(
        connection->script("DROP TABLE IF EXISTS rows_in; "
                           "CREATE TABLE rows_in (id int PRIMARY KEY, text text NOT NULL)"));
  }

  template <class T>
  T run(Task<T> task) {
    return coro::block_on(worker, std::move(task));
  }

  template <class T>
  Error error_of(Task<T> task) {
    try {
      run(std::move(task));
    } catch (const Error& error) {
      return error;
    }
    return {ErrorClass::statement, "", "there was no error"};
  }

  std::string value(std::string sql) {
    return std::string(run(connection->query(std::move(sql))).text(0, 0));
  }

  static std::unique_ptr<test::TestServer> server;
  coro::Worker worker;
  std::unique_ptr<Connection> connection = run(Connection::open(server->conninfo()));
};

std::unique_ptr<test::TestServer> Copy::server;

// `rows` of about a kilobyte, in pieces; the row numbered `bad` is not one.
Task<std::int64_t> copy_rows(Connection& connection, int rows, int bad = -1) {
  co_await connection.copy_begin("COPY rows_in FROM STDIN");
  const std::string filler(1000, 'x');
  std::string piece;
  for (int row = 0; row < rows; ++row) {
    piece += row == bad ? std::string("no number\tx\n") : fmt::format("{}\t{}\n", row, filler);
    if (piece.size() < 200'000) continue;
    co_await connection.copy_send(piece);
    piece.clear();
  }
  co_await connection.copy_send(piece);
  co_return co_await connection.copy_end();
}

TEST_F(Copy, TakesTenMegabytes) {
  EXPECT_EQ(run(copy_rows(*connection, 10'000)), 10'000);
  EXPECT_FALSE(connection->broken());
  EXPECT_EQ(value("SELECT count(*) || ' ' || sum(length(text)) FROM rows_in"), "10000 10000000");
}

TEST_F(Copy, TakesNothing) {
  EXPECT_EQ(run(copy_rows(*connection, 0)), 0);
  EXPECT_EQ(value("SELECT count(*) FROM rows_in"), "0");
}

TEST_F(Copy, IsPartOfATransaction) {
  run(connection->script("BEGIN"));
  EXPECT_EQ(run(copy_rows(*connection, 10)), 10);
  EXPECT_TRUE(connection->in_transaction());
  run(connection->script("ROLLBACK"));
  EXPECT_EQ(value("SELECT count(*) FROM rows_in"), "0");
}

TEST_F(Copy, ThatIsRefusedLeavesTheConnection) {
  EXPECT_EQ(error_of(connection->copy_begin("COPY nowhere FROM STDIN")).sqlstate(), "42P01");
  EXPECT_FALSE(connection->broken());
  EXPECT_EQ(run(copy_rows(*connection, 3)), 3);
}

TEST_F(Copy, ThatBreaksAConstraintLeavesTheConnection) {
  EXPECT_EQ(run(copy_rows(*connection, 3)), 3);
  const Error error = error_of(copy_rows(*connection, 5));
  EXPECT_EQ(error.error_class(), ErrorClass::statement) << error.what();
  EXPECT_EQ(error.sqlstate(), "23505") << error.what();
  EXPECT_FALSE(connection->broken());
  EXPECT_EQ(value("SELECT count(*) FROM rows_in"), "3");
}

TEST_F(Copy, ThatEndsInTheMiddleOfALargeStreamLeavesTheConnection) {
  const Error error = error_of(copy_rows(*connection, 30'000, 1'000));
  EXPECT_EQ(error.error_class(), ErrorClass::statement) << error.what();
  EXPECT_EQ(error.sqlstate(), "22P02") << error.what();
  EXPECT_FALSE(connection->broken());
  EXPECT_EQ(value("SELECT count(*) FROM rows_in"), "0");
  EXPECT_EQ(run(copy_rows(*connection, 10)), 10);
}

Task<void> copy_and_lose(Connection& connection, Connection& killer, std::string pid) {
  co_await connection.copy_begin("COPY rows_in FROM STDIN");
  co_await connection.copy_send(std::string_view("1\tx\n"));
  co_await killer.query(fmt::format("SELECT pg_terminate_backend({}, 5000)", pid));
  const std::string row = "2\t" + std::string(1'000'000, 'x') + "\n";
  for (int i = 0; i < 20; ++i) co_await connection.copy_send(row);
  co_await connection.copy_end();
}

TEST_F(Copy, ThatLosesItsSessionSaysSo) {
  const auto killer = run(Connection::open(server->conninfo()));
  const Error error =
      error_of(copy_and_lose(*connection, *killer, value("SELECT pg_backend_pid()")));
  EXPECT_EQ(error.error_class(), ErrorClass::connection_lost) << error.what();
  EXPECT_TRUE(connection->broken());
}

Task<void> copy_forever(Connection& connection) {
  co_await connection.copy_begin("COPY rows_in FROM STDIN");
  const std::string row = "2\t" + std::string(1'000'000, 'x') + "\n";
  for (;;) co_await connection.copy_send(row);
}

TEST_F(Copy, ThatIsCancelledBreaksTheConnectionAndLoadsNothing) {
  run(connection->script("CREATE TEMP TABLE many (LIKE rows_in)"));
  const auto other = run(Connection::open(server->conninfo()));
  run(other->script("BEGIN; LOCK TABLE rows_in"));
  const coro::Instant soon = worker.now() + 30ms;
  EXPECT_THROW(run(coro::with_deadline(soon, copy_forever(*connection))), coro::DeadlineExceeded);
  EXPECT_TRUE(connection->broken());
}

}  // namespace
}  // namespace drover::database::postgres
