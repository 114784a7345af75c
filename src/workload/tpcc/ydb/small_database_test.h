// For tests: a database of YDB with the small population of
// workload/tpcc/postgres/small_database_test.h, on test/ydb_server and the PostgreSQL behind it.
// Tests look at the data by SQL: the session of the PostgreSQL sees each table of YDB by its own
// name, as an updatable view. There a Timestamp is a bigint of microseconds.
//
// Making one takes some seconds: one for the program. Belongs to one thread.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "database/ydb/client.h"
#include "database/ydb/database_access.h"
#include "database/ydb/session.h"
#include "database/ydb/target.h"
#include "support/ydb_test_server.h"
#include "workload/tpcc/postgres/small_database_test.h"
#include "workload/tpcc/ydb/database_on_ydb.h"
#include "workload/tpcc/ydb/import/schema.h"

namespace drover::tpcc::ydb {

using database::ydb::YdbDatabase;

class SmallYdbDatabase {
 public:
  // For SetUpTestSuite(), the same each time: nothing where there can be no server.
  static std::shared_ptr<SmallYdbDatabase> shared_if_possible() {
    if (!test::YdbTestServer::reason_to_skip().empty()) return nullptr;
    static const auto shared = std::make_shared<SmallYdbDatabase>();
    return shared;
  }

  SmallYdbDatabase() {
    sql_.make("source");
    sql_.run(make_tables());
    sql_.script("CREATE SCHEMA seen");
    for (const Table table : all_tables) {
      sql_.script(fmt::format("CREATE VIEW seen.{0} AS SELECT * FROM ydb_server.{1}",
                              table_name(table), name_in_postgres(table)));
    }
    sql_.script("SET search_path TO seen");
  }

  test::YdbTestServer& server() { return server_; }
  postgres::SmallDatabase& sql() { return sql_; }

  // Patient: a starved machine is no failure.
  YdbDatabase database() const {
    database::ydb::ClientOptions client;
    client.target = database::ydb::parse_target(server_.url());
    client.opening_timeout = std::chrono::minutes(5);
    client.request_timeout = std::chrono::minutes(5);
    return {.client = std::move(client), .folder = "bench/tpcc"};
  }

  // The population anew; no faults.
  void reset() {
    server_.set_faults("{}");
    for (const Table table : all_tables) {
      sql_.script(fmt::format("TRUNCATE ydb_server.{}", name_in_postgres(table)));
      sql_.script(fill_statement(table));
    }
  }

  template <class T>
  T run(coro::Task<T> task) {
    return sql_.run(std::move(task));
  }
  void script(std::string sql) { sql_.script(std::move(sql)); }
  std::vector<std::string> rows(std::string sql) { return sql_.rows(std::move(sql)); }
  std::string value(std::string sql) { return sql_.value(std::move(sql)); }
  void expect_conditions() { sql_.expect_conditions(Money::exact); }

 private:
  coro::Task<void> make_tables() {
    const YdbDatabase where = database();
    database::ydb::Client client(where.client);
    co_await client.connect();
    const auto session = co_await database::ydb::ServerSession::open(client);
    for (const Table table : all_tables) {
      const std::string text = folder_pragma(where) + create_table(table, 2);
      co_await session->execute_alone(text);
    }
    for (const SecondaryIndex& index : secondary_indexes) {
      const std::string text =
          fmt::format("{}ALTER TABLE {} ADD INDEX {} GLOBAL ON ({});", folder_pragma(where),
                      table_name(index.table), index.name, fmt::join(index.columns, ", "));
      co_await session->execute_alone(text);
    }
  }

  std::string name_in_postgres(Table table) {
    return sql_.value(
        fmt::format("SELECT relname FROM pg_class WHERE relkind = 'r' "
                    "AND relname ~ '^t[0-9]+_{}$' "
                    "AND relnamespace = 'ydb_server'::regnamespace",
                    table_name(table)));
  }

  std::string fill_statement(Table table) {
    std::string names;
    std::string values;
    for (const Column& column : columns(table)) {
      if (!names.empty()) names += ", ";
      if (!values.empty()) values += ", ";
      names += column.name;
      if (column.name == "h_c_nano_ts") {
        values += "row_number() OVER ()";
      } else if (column.type.primitive == database::ydb::Primitive::timestamp) {
        values += fmt::format("(extract(epoch FROM {}) * 1000000)::int8", column.name);
      } else {
        values += column.name;
      }
    }
    return fmt::format("INSERT INTO seen.{0} ({1}) SELECT {2} FROM source.{0}", table_name(table),
                       names, values);
  }

  postgres::SmallDatabase sql_;
  test::YdbTestServer server_{{.postgres = sql_.conninfo(),
                               .postgres_connections = 30,
                               .arguments = {"--lock-timeout", "60"}}};
};

}  // namespace drover::tpcc::ydb
