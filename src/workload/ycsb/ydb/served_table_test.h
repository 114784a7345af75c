// For tests: test/ydb_server and the PostgreSQL behind it, one for the program, and a folder for each test.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "database/ydb/target.h"
#include "database/ydb/ydb_database.h"
#include "support/ydb_test_server.h"
#include "workload/ycsb/database_test.h"
#include "workload/ycsb/ydb/database_on_ydb.h"

namespace drover::ycsb::ydb {

class ServedTable : public TestOfDatabase {
 protected:
  static void SetUpTestSuite() {
    if (test::YdbTestServer::reason_to_skip().empty() && !server) {
      static test::YdbTestServer made({.arguments = {"--lock-timeout", "60"}});
      server = &made;
    }
  }

  ServedTable() : ServedTable(place()) {}

  void SetUp() override {
    if (server == nullptr) GTEST_SKIP() << test::YdbTestServer::reason_to_skip();
    server->set_faults("{}");
  }

  // SQL on the table of YDB of this name that was made last: {} stands for its name. The first field of the first row.
  std::string query(std::string_view sql, std::string_view table = "usertable") const {
    return run(query_task(std::string(sql), std::string(table)));
  }

  inline static test::YdbTestServer* server = nullptr;
  inline static int folders = 0;
  const database::ydb::YdbDatabase where;

 private:
  explicit ServedTable(const database::ydb::YdbDatabase& its_place)
      : TestOfDatabase(make_database(its_place)), where(its_place) {}

  // Patient: a starved machine is no failure.
  static database::ydb::YdbDatabase place() {
    database::ydb::ClientOptions client;
    client.target = database::ydb::parse_target(server ? server->url() : "ydb://nowhere/Root/test");
    client.opening_timeout = std::chrono::minutes(5);
    client.request_timeout = std::chrono::minutes(5);
    return {.client = std::move(client), .folder = fmt::format("bench/ycsb_{}", ++folders)};
  }

  static coro::Task<std::string> query_task(std::string sql, std::string table) {
    const auto connection = co_await database::postgres::Connection::open(server->postgres());
    const database::postgres::Result named = co_await connection->query(
        "SELECT relname FROM pg_class WHERE relkind = 'r' "
        "AND relnamespace = 'ydb_server'::regnamespace "
        "AND relname ~ ('^t[0-9]+_' || $1::text || '$') ORDER BY oid DESC LIMIT 1",
        std::string_view(table));
    const std::string name = fmt::format("ydb_server.{}", named.text(0, 0));
    const database::postgres::Result result =
        co_await connection->script(fmt::format(fmt::runtime(sql), name));
    co_return result.rows() > 0 ? std::string(result.text(0, 0)) : std::string();
  }
};

}  // namespace drover::ycsb::ydb
