// Facts about the server: how many connections a run can have.
#include "database/postgres/server_facts.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/postgres/session_setup.h"
#include "support/test_server.h"

namespace drover::database::postgres {
namespace {

using coro::Task;

class OwnLimits : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    server = std::make_unique<test::TestServer>();
    as("drover", "CREATE ROLE unlimited LOGIN; CREATE ROLE limited LOGIN CONNECTION LIMIT 7");
  }
  static void TearDownTestSuite() { server.reset(); }

  static std::string conninfo(const std::string& user) {
    return server->conninfo() + " user=" + user;
  }

  static void as(const std::string& user, std::string sql) {
    coro::Worker worker;
    const auto connection = coro::block_on(worker, Connection::open(conninfo(user)));
    coro::block_on(worker, connection->script(std::move(sql)));
  }

  ServerFacts facts_for(const std::string& user) {
    auto read = [&]() -> Task<ServerFacts> {
      const auto connection = co_await open_in_schema({.conninfo = conninfo(user)});
      co_return co_await read_server_facts(*connection);
    };
    return coro::block_on(worker, read());
  }

  static std::unique_ptr<test::TestServer> server;
  coro::Worker worker;
};

std::unique_ptr<test::TestServer> OwnLimits::server;

TEST_F(OwnLimits, OfTheRole) {
  const ServerFacts facts = facts_for("limited");
  EXPECT_EQ(facts.connections_max, 7);
  EXPECT_EQ(facts.connections_used, 0);
  EXPECT_EQ(facts.connections_limit, "the CONNECTION LIMIT of the role limited");
  const auto other = coro::block_on(worker, Connection::open(conninfo("limited")));
  EXPECT_GE(facts_for("limited").connections_used, 1);
  EXPECT_GT(facts_for("unlimited").connections_max, 7);
  EXPECT_EQ(facts.connections_reserved, 0);
  EXPECT_EQ(facts_for("unlimited").connections_limit, "max_connections");
  EXPECT_EQ(facts_for("unlimited").connections_reserved, 3) << "superuser_reserved_connections";
}

TEST_F(OwnLimits, AreWaitedForWhileASessionEnds) {
  as("drover", "CREATE ROLE alone LOGIN CONNECTION LIMIT 1");
  auto held = coro::block_on(worker, Connection::open(conninfo("alone")));
  std::unique_ptr<Connection> next;
  auto open = [&]() -> Task<void> {
    next = co_await open_in_schema(
        {.conninfo = conninfo("alone"), .room_timeout = std::chrono::minutes(1)});
  };
  auto both = [&](coro::Scope& scope) -> Task<void> {
    scope.start(open());
    co_await coro::sleep_for(std::chrono::milliseconds(50));
    held.reset();
  };
  coro::block_on(worker, coro::with_scope(both));
  EXPECT_FALSE(next->broken());
}

TEST_F(OwnLimits, OfTheDatabase) {
  as("drover", "ALTER DATABASE drover CONNECTION LIMIT 5");
  EXPECT_EQ(facts_for("unlimited").connections_max, 5);
  EXPECT_EQ(facts_for("unlimited").connections_limit,
            "the CONNECTION LIMIT of the database drover");
  EXPECT_EQ(facts_for("limited").connections_max, 5) << "the one that leaves less";
  // The limit does not apply to superusers.
  EXPECT_GT(facts_for("drover").connections_max, 7);
  as("drover", "ALTER DATABASE drover CONNECTION LIMIT -1");
}

}  // namespace
}  // namespace drover::database::postgres
