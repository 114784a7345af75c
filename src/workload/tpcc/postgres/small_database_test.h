// For tests of the transactions: a server with a database that is small, but complete and
// consistent, made anew for each test. Two warehouses, 60 customers and 30 orders a district, of
// which the last nine are not delivered, 5,000 items.
//
// Three customers share each of the last names 0 to 18, and by first name they stand in the reverse
// order of their numbers. Belongs to one thread.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/worker.h"
#include "database/postgres/connection.h"
#include "support/test_server.h"
#include "workload/tpcc/postgres/check/check.h"
#include "workload/tpcc/postgres/database_on_postgres.h"
#include "workload/tpcc/postgres/import/import.h"
#include "workload/tpcc/random.h"

namespace drover::tpcc::postgres {

using database::postgres::identify_session;
using database::postgres::open_in_schema;
using database::postgres::SessionIdentity;

class SmallDatabase {
 public:
  static constexpr std::int32_t small_customers = 60;
  static constexpr std::int32_t small_names = 19;

  SmallDatabase() : connection_(run(Connection::open(server_.conninfo()))) {}

  test::TestServer& server() { return server_; }
  coro::Worker& worker() { return worker_; }
  std::string conninfo() const { return server_.conninfo(); }

  template <class T>
  T run(coro::Task<T> task) {
    return coro::block_on(worker_, std::move(task));
  }

  void script(std::string sql) { run(connection_->script(std::move(sql))); }

  // Every row as its columns, parted by '|'.
  std::vector<std::string> rows(std::string sql) {
    const Result result = run(connection_->query(std::move(sql)));
    std::vector<std::string> all;
    for (int row = 0; row < result.rows(); ++row) {
      std::string text;
      for (int column = 0; column < result.columns(); ++column) {
        if (column > 0) text += '|';
        text += result.is_null(row, column) ? "NULL" : result.text(row, column);
      }
      all.push_back(std::move(text));
    }
    return all;
  }

  std::string value(std::string sql) {
    const auto all = rows(std::move(sql));
    return all.size() == 1 ? all.front() : fmt::format("{} rows", all.size());
  }

  // All rows of the table.
  std::string digest(Table table) {
    return value(fmt::format("SELECT md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM {} t",
                             table_name(table)));
  }

  // The tables in a new schema `name`, which the session then sees first.
  void make(std::string_view name) {
    make_schema(name);
    for (const Table table : all_tables) script(create_table(table, name));
    fill();
    for (const SchemaObject& object : schema_objects(name)) {
      if (object.kind != SchemaObject::Kind::foreign_key) script(object.sql);
    }
    script("ANALYZE");
  }

  // A session that an earlier test gave up may still be at work on the server, and would lock the
  // tables in another order than a DROP. Idle ones lock nothing, and are the server's of YDB, where
  // there is one.
  void make_schema(std::string_view name) {
    const std::string quoted = quote_identifier(name);
    script(
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
        "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND state <> 'idle'");
    script(
        fmt::format("DROP SCHEMA IF EXISTS {0} CASCADE; CREATE SCHEMA {0}; "
                    "SET search_path TO {0}",
                    quoted));
  }

  // Into tables of any tool: the columns are named.
  void fill() {
    fill_stock();
    fill_customers();
    fill_orders();
  }

  void expect_conditions(Money money) {
    for (const std::string_view setting : session_settings) script(std::string(setting));
    for (const auto& [rule, sql, several_warehouses] : conditions(money)) {
      if (rule.number == 0 || rule.fresh_only) continue;
      const Result offenders = run(connection_->query(sql, 1, 2, 3));
      if (offenders.rows() == 0) continue;
      ADD_FAILURE() << "condition " << rule.name << ", " << rule.title << ": "
                    << offenders.text(0, 0) << " expected " << offenders.text(0, 1) << " found "
                    << offenders.text(0, 2) << ", " << offenders.text(0, 3) << " in all";
    }
  }

 private:
  void fill_stock() {
    script(
        "INSERT INTO warehouse (w_id, w_name, w_street_1, w_street_2, w_city, w_state, w_zip, "
        "w_tax, w_ytd) SELECT w, 'Ware' || w, 's1', 's2', 'city', 'CA', '123411111', 0.1, 300000 "
        "FROM generate_series(1, 2) w;"
        "INSERT INTO district (d_w_id, d_id, d_name, d_street_1, d_street_2, d_city, d_state, "
        "d_zip, d_tax, d_ytd, d_next_o_id) SELECT w, d, 'Dist' || d, 's1', 's2', 'city', 'CA', "
        "'123411111', 0.2, 30000, 31 FROM generate_series(1, 2) w, generate_series(1, 10) d;"
        "INSERT INTO item (i_id, i_im_id, i_name, i_price, i_data) "
        "SELECT i, i, 'item ' || i, i % 100 + 0.37, repeat('i', 30) "
        "FROM generate_series(1, 5000) i");
    std::string names;
    std::string values;
    for (int d = 1; d <= 10; ++d) {
      names += fmt::format(", s_dist_{:02}", d);
      values += fmt::format(", rpad('dist {} of ' || i || ' at ' || w, 24, '.')", d);
    }
    script(
        fmt::format("INSERT INTO stock (s_w_id, s_i_id, s_quantity, s_ytd, s_order_cnt, "
                    "s_remote_cnt, s_data{}) SELECT w, i, 10 + i * 7 % 91, 0, 0, 0, "
                    "repeat('s', 30){} FROM generate_series(1, 2) w, "
                    "generate_series(1, 5000) i",
                    names, values));
  }

  void fill_customers() {
    std::string last = "CASE (c - 1) % 19";
    for (int n = 0; n < small_names; ++n)
      last += fmt::format(" WHEN {} THEN '{}'", n, last_name(n));
    script(fmt::format(
        "INSERT INTO customer (c_w_id, c_d_id, c_id, c_first, c_middle, c_last, c_street_1, "
        "c_street_2, c_city, c_state, c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount, "
        "c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt, c_data) "
        "SELECT w, d, c, 'First' || 999 - c, 'OE', CASE WHEN c > 57 THEN 'OTHER' ELSE {} END END, "
        "'s1', 's2', 'city', 'NY', '123411111', '0123456789012345', localtimestamp, "
        "CASE WHEN c % 5 = 0 THEN 'BC' ELSE 'GC' END, 50000, 0.05, -500, 500, 1, 0, "
        "repeat('c', 490) FROM generate_series(1, 2) w, generate_series(1, 10) d, "
        "generate_series(1, {}) c;"
        "INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)"
        " SELECT c_id, c_d_id, c_w_id, c_d_id, c_w_id, localtimestamp, 500, 'at the load' "
        "FROM customer",
        last, small_customers));
  }

  void fill_orders() {
    script(
        "INSERT INTO oorder (o_w_id, o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt, o_all_local, "
        "o_entry_d) SELECT w, d, o, o * 7 % 60 + 1, CASE WHEN o < 22 THEN 5 END, 5 + o % 11, 1, "
        "localtimestamp FROM generate_series(1, 2) w, generate_series(1, 10) d, "
        "generate_series(1, 30) o;"
        "INSERT INTO new_order (no_w_id, no_d_id, no_o_id) "
        "SELECT o_w_id, o_d_id, o_id FROM oorder WHERE o_id >= 22;"
        "INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_delivery_d, "
        "ol_amount, ol_supply_w_id, ol_quantity, ol_dist_info) SELECT o_w_id, o_d_id, o_id, n, "
        "(o_id * 31 + n * 7) % 100 + 1, CASE WHEN o_id < 22 THEN o_entry_d END, "
        "CASE WHEN o_id < 22 THEN 0 ELSE o_id * n + 0.11 * o_d_id END, o_w_id, 5, repeat('d', 24) "
        "FROM oorder, generate_series(1, o_ol_cnt::int) n");
  }

  test::TestServer server_{{"max_connections=50", "deadlock_timeout=10ms"}};
  coro::Worker worker_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace drover::tpcc::postgres
