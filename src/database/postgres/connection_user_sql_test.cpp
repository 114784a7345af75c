// SQL that is not ours on a real server: several statements in a message, errors among them,
// pipelines, loss.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "coro/block_on.h"
#include "coro/worker.h"
#include "database/postgres/connection.h"
#include "support/test_server.h"

namespace drover::database::postgres {
namespace {

class UserSql : public testing::Test {
 protected:
  static void SetUpTestSuite() { server = std::make_unique<test::TestServer>(); }
  static void TearDownTestSuite() { server.reset(); }

  template <class T>
  T run(coro::Task<T> task) {
    return coro::block_on(worker, std::move(task));
  }

  Result next() {
    if (!connection->answer_is_here()) run(connection->wait_for_answer());
    return connection->take_answer();
  }

  // Values and errors up to the end.
  std::string answer() {
    std::string all;
    for (Result result = next(); result.get() != nullptr; result = next()) {
      if (!all.empty()) all += ", ";
      if (PQresultStatus(result.get()) == PGRES_FATAL_ERROR) {
        all += error_of(result.get()).sqlstate();
      } else if (result.rows() > 0) {
        all += result.text(0, 0);
      } else {
        all += PQcmdStatus(result.get());
      }
    }
    return all;
  }

  inline static std::unique_ptr<test::TestServer> server;
  coro::Worker worker;
  std::unique_ptr<Connection> connection = run(Connection::open(server->conninfo()));
  Parameters none;
};

TEST_F(UserSql, LeavesAnyStateBehind) {
  connection->ask("begin; select 5; savepoint s");
  EXPECT_EQ(answer(), "BEGIN, 5, SAVEPOINT");
  EXPECT_TRUE(connection->in_transaction());
  connection->ask("select 1/0; select 6");
  EXPECT_EQ(answer(), "22012");
  EXPECT_FALSE(connection->broken()) << "the session goes on";
  connection->ask("commit");
  EXPECT_EQ(answer(), "ROLLBACK");
  connection->ask("");
  EXPECT_EQ(answer(), "");
  connection->ask(" -- nothing", none);
  EXPECT_EQ(answer(), "");
  EXPECT_EQ(run(connection->query("SELECT 7")).text(0, 0), "7") << "beside statements of ours";
  connection->ask("select 8");
  EXPECT_EQ(answer(), "8");
}

TEST_F(UserSql, MayBeAPipeline) {
  connection->open_pipeline();
  connection->ask("select 1", none);
  connection->ask("select 1/0", none);
  connection->ask("select 2", none);
  connection->sync_pipeline();
  connection->ask("select 3", none);
  connection->sync_pipeline();
  std::string statuses;
  for (int syncs = 0; syncs < 2;) {
    const Result result = next();
    const ExecStatusType status = PQresultStatus(result.get());
    if (result.get() == nullptr) continue;
    if (status == PGRES_PIPELINE_SYNC) ++syncs;
    statuses += fmt::format("{} ", PQresStatus(status));
  }
  EXPECT_EQ(statuses,
            "PGRES_TUPLES_OK PGRES_FATAL_ERROR PGRES_PIPELINE_ABORTED PGRES_PIPELINE_SYNC "
            "PGRES_TUPLES_OK PGRES_PIPELINE_SYNC ");
  EXPECT_TRUE(connection->broken()) << "until it is closed";
  connection->close_pipeline();
  EXPECT_FALSE(connection->broken());
  connection->ask("select 4");
  EXPECT_EQ(answer(), "4");
}

TEST_F(UserSql, IsNotCopied) {
  connection->ask("copy pg_class to stdout");
  EXPECT_THROW(answer(), Error);
  EXPECT_TRUE(connection->broken());
}

TEST_F(UserSql, SaysWhyTheSessionIsLost) {
  connection->ask("select pg_terminate_backend(pg_backend_pid())");
  try {
    answer();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::connection_lost);
    EXPECT_EQ(error.sqlstate(), "57P01");
  }
  EXPECT_TRUE(connection->broken());
  EXPECT_THROW(connection->ask("select 1"), Error);
}

}  // namespace
}  // namespace drover::database::postgres
