// For tests of YCSB on test/ydb_server: a folder for each test, and ways to look into its tables.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "database/ydb/served_folder_test.h"
#include "support/ydb_test_server.h"
#include "workload/ycsb/database_test.h"
#include "workload/ycsb/ydb/database_on_ydb.h"

namespace drover::ycsb::ydb {

class ServedTable : public TestOfDatabase {
 protected:
  ServedTable() : ServedTable(database::ydb::served_folder("ycsb")) {}

  void SetUp() override {
    if (server == nullptr) GTEST_SKIP() << test::YdbTestServer::reason_to_skip();
    server->set_faults("{}");
  }

  // SQL on the table of YDB of this name that was made last: {} stands for its name. The first
  // field of the first row.
  std::string query(std::string_view sql, std::string_view table = "usertable") const {
    return run(query_task(std::string(sql), std::string(table)));
  }

  test::YdbTestServer* const server = database::ydb::served();
  const database::ydb::YdbDatabase where;

 private:
  explicit ServedTable(const database::ydb::YdbDatabase& its_place)
      : TestOfDatabase(make_database(its_place)), where(its_place) {}

  coro::Task<std::string> query_task(std::string sql, std::string table) const {
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
