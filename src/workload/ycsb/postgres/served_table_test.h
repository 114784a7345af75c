// For tests: a server of the suite's own, a schema for each test, and short ways to use them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "database/postgres/session_setup.h"
#include "support/test_server.h"
#include "workload/ycsb/database_test.h"
#include "workload/ycsb/postgres/database_on_postgres.h"

namespace drover::ycsb::postgres {

class ServedTable : public TestOfDatabase {
 protected:
  static void SetUpTestSuite() { server = std::make_unique<test::TestServer>(); }
  static void TearDownTestSuite() { server.reset(); }

  ServedTable() : ServedTable(fmt::format("ycsb_{}", ++schemas)) {}

  // The first field of the last statement's first row.
  std::string query(std::string sql) const { return run(query_task(std::move(sql))); }

  inline static std::unique_ptr<test::TestServer> server;
  inline static int schemas = 0;
  const std::string schema;

 private:
  explicit ServedTable(const std::string& its_schema)
      : TestOfDatabase(make_database({server->conninfo(), its_schema})), schema(its_schema) {}

  coro::Task<std::string> query_task(std::string sql) const {
    const auto connection =
        co_await database::postgres::open_in_schema({server->conninfo(), schema});
    const database::postgres::Result result = co_await connection->script(std::move(sql));
    co_return result.rows() > 0 ? std::string(result.text(0, 0)) : std::string();
  }
};

}  // namespace drover::ycsb::postgres
