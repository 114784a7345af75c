// For tests of scripts on a real PostgreSQL. Each suite has a server of its own.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coro/sleep.h"
#include "database/postgres/connection.h"
#include "support/test_server.h"
#include "workload/sql/clients/script_client_test.h"
#include "workload/sql/postgres/database_on_postgres.h"

namespace drover::sql::postgres {

using database::postgres::Connection;
using database::postgres::Result;

class ScriptFixture : public TestOfScripts {
 protected:
  static void SetUpTestSuite() {
    server = std::make_unique<test::TestServer>(
        std::vector<std::string>{"deadlock_timeout=20ms", "max_connections=100"});
  }
  static void TearDownTestSuite() { server.reset(); }

  // Makes a client with this script, "test.sql".
  std::unique_ptr<ScriptClient> client(std::string text, Protocol protocol = Protocol::simple) {
    auto made =
        std::make_unique<ScriptClient>(*make_database({server->conninfo()}),
                                       std::vector<ScriptText>{{"test.sql", std::move(text)}},
                                       ScriptBackendSettings{.protocol = protocol});
    run(made->open());
    return made;
  }

  // Returns a line with commas for each row of the last statement.
  std::string query(std::string sql) {
    if (!connection) connection = run(Connection::open(server->conninfo()));
    const Result result = run(connection->script(std::move(sql)));
    std::string rows;
    for (int row = 0; row < result.rows(); ++row) {
      if (row > 0) rows += '\n';
      for (int column = 0; column < result.columns(); ++column) {
        rows += fmt::format("{}{}", column > 0 ? "," : "", result.text(row, column));
      }
    }
    return rows;
  }

  // Repeats the query until it returns "t".
  static Task<void> wait_until(Connection& connection, std::string sql) {
    for (;;) {
      const Result result = co_await connection.query(sql);
      if (result.text(0, 0) == "t") co_return;
      co_await coro::sleep_for(std::chrono::milliseconds(5));
    }
  }

  inline static std::unique_ptr<test::TestServer> server;
  std::unique_ptr<Connection> connection;
};

constexpr std::array<Protocol, 3> all_protocols = {Protocol::simple, Protocol::extended,
                                                   Protocol::prepared};

}  // namespace drover::sql::postgres
