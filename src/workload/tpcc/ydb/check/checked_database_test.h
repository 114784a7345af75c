// For tests of the check: a database of YDB with the valid population of small_population.sql, two
// warehouses, and the PostgreSQL behind it, which sees each table by its own name, as an updatable
// view: so tests spoil it by SQL.
//
// Making one takes some seconds: one for the program. Belongs to one thread.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/small_population.h"
#include "support/ydb_test_server.h"
#include "workload/tpcc/postgres/small_database_test.h"
#include "workload/tpcc/ydb/check/check.h"
#include "workload/tpcc/ydb/import/import.h"
#include "workload/tpcc/ydb/import/schema.h"

namespace drover::tpcc::ydb {

using database::ydb::YdbDatabase;

class CheckedYdbDatabase {
 public:
  // Requires: YdbTestServer::reason_to_skip() is empty.
  static CheckedYdbDatabase& instance() {
    static CheckedYdbDatabase database;
    return database;
  }

  test::YdbTestServer& server() { return server_; }
  void script(std::string sql) { sql_.script(std::move(sql)); }

  template <class T>
  T run(coro::Task<T> task) {
    return sql_.run(std::move(task));
  }

  // Patient: a starved machine is no failure.
  YdbDatabase database(std::string folder = "checked") const {
    database::ydb::ClientOptions client;
    client.target = database::ydb::parse_target(server_.url());
    client.opening_timeout = std::chrono::minutes(5);
    client.request_timeout = std::chrono::minutes(5);
    return {.client = std::move(client), .folder = std::move(folder)};
  }

  CheckReport check(CheckSettings settings, std::string folder = "checked") {
    return run(ydb::check(database(std::move(folder)), std::move(settings)));
  }

  // One condition over a range of warehouses.
  PieceAnswer judge(const YqlCondition& condition, std::int32_t first, std::int32_t last) {
    return run(judge_alone(database(), condition, {0, first, last}));
  }

 private:
  CheckedYdbDatabase() {
    run(initialise(database(), {.warehouses = 2}));
    script("CREATE SCHEMA source; SET search_path TO source; " + test::small_population());
    script("CREATE SCHEMA seen; SET search_path TO seen");
    for (const Table table : all_tables) {
      const std::string behind =
          sql_.value(fmt::format("SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ "
                                 "'^t[0-9]+_{}$' AND relnamespace = 'ydb_server'::regnamespace",
                                 table_name(table)));
      script(
          fmt::format("CREATE VIEW {0} AS SELECT * FROM ydb_server.{1}; {2}; "
                      "ANALYZE ydb_server.{1}",
                      table_name(table), behind, fill_statement(table)));
    }
  }

  static std::string fill_statement(Table table) {
    std::string names;
    std::string values;
    for (const Column& column : columns(table)) {
      const std::string_view comma = names.empty() ? "" : ", ";
      names += fmt::format("{}{}", comma, column.name);
      if (column.name == "h_c_nano_ts") {
        values += fmt::format("{}row_number() OVER ()", comma);
      } else if (column.type.primitive == database::ydb::Primitive::timestamp) {
        values += fmt::format("{}(extract(epoch FROM {}) * 1000000)::int8", comma, column.name);
      } else {
        values += fmt::format("{}{}", comma, column.name);
      }
    }
    return fmt::format("INSERT INTO {0} ({1}) SELECT {2} FROM source.{0}", table_name(table), names,
                       values);
  }

  static coro::Task<PieceAnswer> judge_alone(YdbDatabase database, YqlCondition condition,
                                             CheckPiece piece) {
    database::ydb::Client client(database.client);
    co_await client.connect();
    CheckSession session(client, database);
    PieceAnswer answer = co_await session.judge(condition, piece);
    co_await session.close();
    co_return answer;
  }

  postgres::SmallDatabase sql_;
  test::YdbTestServer server_{{.postgres = sql_.conninfo(), .postgres_connections = 30}};
};

}  // namespace drover::tpcc::ydb
