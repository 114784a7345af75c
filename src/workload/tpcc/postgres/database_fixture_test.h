// For tests of the import: a server of the suite's own, and short ways to use it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "coro/block_on.h"
#include "database/postgres/connection.h"
#include "support/test_server.h"
#include "workload/tpcc/postgres/import/import.h"

namespace drover::tpcc::postgres {

class DatabaseFixture : public testing::Test {
 protected:
  static void SetUpTestSuite() { server = std::make_unique<test::TestServer>(); }
  static void TearDownTestSuite() { server.reset(); }

  template <class T>
  static T run(coro::Task<T> task) {
    coro::Worker worker;
    return coro::block_on(worker, std::move(task));
  }

  // The first column of the last statement's rows, parted by commas.
  static std::string query(std::string sql) { return run(query_task(std::move(sql))); }

  static std::vector<std::string> initialise_schema(InitialiseOptions options) {
    return run(initialise_task(std::move(options)));
  }
  static std::vector<std::string> clean_schema(std::string schema) {
    return run(clean_task(std::move(schema)));
  }

  inline static std::unique_ptr<test::TestServer> server;

 private:
  static coro::Task<std::string> query_task(std::string sql) {
    const auto connection = co_await database::postgres::Connection::open(server->conninfo());
    const database::postgres::Result result = co_await connection->script(std::move(sql));
    std::string values;
    for (int row = 0; row < result.rows(); ++row) {
      if (row > 0) values += ',';
      values += result.text(row, 0);
    }
    co_return values;
  }

  static coro::Task<std::vector<std::string>> initialise_task(InitialiseOptions options) {
    const auto connection = co_await database::postgres::Connection::open(server->conninfo());
    co_return co_await initialise(*connection, std::move(options));
  }

  static coro::Task<std::vector<std::string>> clean_task(std::string schema) {
    const auto connection = co_await database::postgres::Connection::open(server->conninfo());
    co_return co_await clean(*connection, std::move(schema));
  }
};

}  // namespace drover::tpcc::postgres
