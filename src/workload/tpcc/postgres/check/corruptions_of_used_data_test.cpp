// Corruptions of data that all five transactions have changed. The rows to be spoilt are looked up,
// as the transactions are random: {line.w} below is column w of the row that is called line.
#include <fmt/format.h>

#include <map>
#include <stdexcept>
#include <string_view>

#include "workload/tpcc/postgres/check/corruption_test.h"

namespace drover::tpcc::postgres {
namespace {

struct ChosenRow {
  std::string_view name;
  std::string_view query;
};

constexpr ChosenRow chosen_rows[] = {
    // A line supplied at home, written by a New-Order, and the quantity and price of its amount.
    {"line",
     "SELECT ol_w_id AS w, ol_d_id AS d, ol_o_id AS o, ol_number AS n, ol_i_id AS i, "
     "lpad(ol_d_id::text, 2, '0') AS dist, "
     "format('ol_w_id = %s AND ol_d_id = %s AND ol_o_id = %s AND ol_number = %s', ol_w_id, "
     "ol_d_id, ol_o_id, ol_number) AS row FROM order_line WHERE ol_o_id > 3000 "
     "AND ol_supply_w_id = ol_w_id ORDER BY ol_w_id, ol_d_id, ol_o_id, ol_number LIMIT 1"},
    {"remote",
     "SELECT ol_w_id AS w, ol_d_id AS d, ol_o_id AS o, ol_number AS n, ol_i_id AS i, "
     "ol_supply_w_id AS s, "
     "format('ol_w_id = %s AND ol_d_id = %s AND ol_o_id = %s AND ol_number = %s', ol_w_id, "
     "ol_d_id, ol_o_id, ol_number) AS row FROM order_line WHERE ol_o_id > 3000 "
     "AND ol_supply_w_id <> ol_w_id ORDER BY ol_w_id, ol_d_id, ol_o_id, ol_number LIMIT 1"},
    // What a Delivery writes.
    {"delivered",
     "SELECT o_w_id AS w, o_d_id AS d, o_id AS o, o_c_id AS c, "
     "format('o_w_id = %s AND o_d_id = %s AND o_id = %s', o_w_id, o_d_id, o_id) AS row, "
     "format('ol_w_id = %s AND ol_d_id = %s AND ol_o_id = %s AND ol_number = 3', o_w_id, o_d_id, "
     "o_id) AS line FROM oorder WHERE o_id > 2100 AND o_carrier_id IS NOT NULL "
     "ORDER BY o_w_id, o_d_id, o_id LIMIT 1"},
    // The newest of its district, of a New-Order.
    {"newest",
     "SELECT d_w_id AS w, d_id AS d, d_next_o_id - 1 AS o, d_next_o_id AS next, "
     "format('o_w_id = %s AND o_d_id = %s AND o_id = %s', d_w_id, d_id, d_next_o_id - 1) AS row, "
     "format('no_w_id = %s AND no_d_id = %s AND no_o_id = %s', d_w_id, d_id, d_next_o_id - 1) "
     "AS new_order, format('d_w_id = %s AND d_id = %s', d_w_id, d_id) AS district FROM district "
     "WHERE d_next_o_id > 3002 ORDER BY d_w_id, d_id LIMIT 1"},
    // A customer of bad credit, and one of good, who have paid.
    {"bad",
     "SELECT c_w_id AS w, c_d_id AS d, c_id AS c, format('c_w_id = %s AND c_d_id = %s AND c_id = "
     "%s', c_w_id, c_d_id, c_id) AS row FROM customer WHERE c_credit = 'BC' AND c_payment_cnt > 1 "
     "ORDER BY c_w_id, c_d_id, c_id LIMIT 1"},
    {"good",
     "SELECT c_w_id AS w, c_d_id AS d, c_id AS c, format('c_w_id = %s AND c_d_id = %s AND c_id = "
     "%s', c_w_id, c_d_id, c_id) AS row FROM customer WHERE c_credit = 'GC' AND c_payment_cnt > 1 "
     "ORDER BY c_w_id, c_d_id, c_id LIMIT 1"},
    // A payment of theirs.
    {"paid",
     "SELECT h_c_w_id AS w, h_c_d_id AS d, h_c_id AS c, h_w_id AS hw, h_d_id AS hd, "
     "3 - h_w_id AS elsewhere, least(h_d_id, h_d_id % 10 + 1) AS first_d, "
     "format('h_c_w_id = %s AND h_c_d_id = %s AND h_c_id = %s AND h_amount = %s', h_c_w_id, "
     "h_c_d_id, h_c_id, h_amount) AS row FROM history WHERE h_amount <> 10 "
     "ORDER BY h_c_w_id, h_c_d_id, h_c_id, h_date LIMIT 1"},
};

using Values = std::map<std::string, std::string>;

std::string filled_in(std::string text, const Values& values) {
  for (auto open = text.find('{'); open != text.npos; open = text.find('{', open)) {
    const auto close = text.find('}', open);
    const auto value = values.find(text.substr(open + 1, close - open - 1));
    if (value == values.end()) throw std::runtime_error("no such row or column in: " + text);
    text.replace(open, close - open + 1, value->second);
  }
  return text;
}

// Where a key forbids duplicates and nulls, they come once it is gone.
std::string without_key(std::string_view table, std::string_view column = {}) {
  std::string sql = fmt::format("ALTER TABLE {0} DROP CONSTRAINT {0}_pkey; ", table);
  if (!column.empty()) sql += fmt::format("ALTER TABLE {} ALTER {} DROP NOT NULL; ", table, column);
  return sql;
}

struct KeyedRow {
  std::string_view table;
  std::string_view row;
  std::string_view key;
};

// One row a table, and how the rule of its columns names it.
constexpr KeyedRow rows_of_tables[] = {
    {"item", "i_id = 7", "i_id=7"},
    {"warehouse", "w_id = 2", "w_id=2"},
    {"district", "d_w_id = 2 AND d_id = 3", "d_w_id=2 d_id=3"},
    {"stock", "s_w_id = 2 AND s_i_id = 77", "s_w_id=2 s_i_id=77"},
    {"customer", "{good.row}", "c_w_id={good.w} c_d_id={good.d} c_id={good.c}"},
    {"history", "{paid.row}", "h_c_w_id={paid.w} h_c_d_id={paid.d} h_c_id={paid.c}"},
    {"oorder", "{delivered.row}", "o_w_id={delivered.w} o_d_id={delivered.d} o_id={delivered.o}"},
    {"order_line", "{line.row}",
     "ol_w_id={line.w} ol_d_id={line.d} ol_o_id={line.o} ol_number={line.n}"},
};

// Columns that may be null or of which another condition than that of the values speaks, those of
// the keys, and i_im_id, which nobody reads once it is loaded.
constexpr std::string_view no_plain_columns =
    "'o_carrier_id', 'ol_delivery_d', 'i_im_id', 'h_c_id', 'h_c_d_id', 'h_c_w_id', 'i_id', 'w_id', "
    "'d_w_id', 'd_id', 's_w_id', 's_i_id', 'c_w_id', 'c_d_id', 'c_id', 'o_w_id', 'o_d_id', 'o_id', "
    "'ol_w_id', 'ol_d_id', 'ol_o_id', 'ol_number'";

// Each of the other columns of each table as null.
void append_nulls(std::vector<Corruption>& all) {
  for (const auto& [table, row, key] : rows_of_tables) {
    const auto columns = CheckedDatabase::instance().query(
        fmt::format("SELECT column_name FROM information_schema.columns "
                    "WHERE table_schema = 'used' AND table_name = '{}' AND column_name NOT IN ({}) "
                    "ORDER BY ordinal_position",
                    table, no_plain_columns));
    for (const auto& column : columns)
      all.push_back({fmt::format("UPDATE {} SET {} = NULL WHERE {}", table, column[0], row),
                     fmt::format("{}.values", table), fmt::format("{} {}", key, column[0]), 0});
  }
}

void append_nulls_in_keys(std::vector<Corruption>& all) {
  const auto add = [&all](std::string_view table, std::string_view column, std::string_view row,
                          std::string condition, std::string key, int count) {
    all.push_back({(table == "history" ? "" : without_key(table, column)) +
                       fmt::format("UPDATE {} SET {} = NULL WHERE {}", table, column, row),
                   std::move(condition), std::move(key), count});
  };
  constexpr std::string_view delivered_line = "{delivered.line}";
  constexpr std::string_view delivered = "{delivered.row}";
  add("item", "i_id", "i_id = 7", "item.rows", "i_id=7", 2);
  add("warehouse", "w_id", "w_id = 2", "warehouse.rows", "w_id=2", 1);
  add("district", "d_w_id", "d_w_id = 2 AND d_id = 3", "rows.outside", "district.d_w_id", 1);
  add("district", "d_id", "d_w_id = 2 AND d_id = 3", "district.rows", "d_w_id=2 d_id=3", 2);
  add("stock", "s_w_id", "s_w_id = 2 AND s_i_id = 77", "rows.outside", "stock.s_w_id", 1);
  add("stock", "s_i_id", "s_w_id = 2 AND s_i_id = 77", "stock.rows", "s_w_id=2 s_i_id=77", 2);
  add("customer", "c_w_id", "{good.row}", "rows.outside", "customer.c_w_id", 1);
  add("customer", "c_d_id", "{good.row}", "customer.rows",
      "c_w_id={good.w} c_d_id={good.d} c_id={good.c}", 2);
  add("customer", "c_id", "{good.row}", "customer.rows",
      "c_w_id={good.w} c_d_id={good.d} c_id={good.c}", 2);
  add("history", "h_c_w_id", "{paid.row}", "rows.outside", "history.h_c_w_id", 1);
  add("history", "h_c_d_id", "{paid.row}", "10", "w_id={paid.w} d_id={paid.d} c_id={paid.c}", 2);
  add("history", "h_c_id", "{paid.row}", "10", "w_id={paid.w} d_id={paid.d} c_id={paid.c}", 2);
  add("new_order", "no_w_id", "{newest.new_order}", "rows.outside", "new_order.no_w_id", 1);
  add("new_order", "no_d_id", "{newest.new_order}", "new_order.keys",
      "no_w_id={newest.w} no_d_id= no_o_id={newest.o}", 1);
  add("new_order", "no_o_id", "{newest.new_order}", "new_order.keys",
      "no_w_id={newest.w} no_d_id={newest.d} no_o_id=", 1);
  add("oorder", "o_w_id", delivered, "rows.outside", "oorder.o_w_id", 1);
  add("oorder", "o_d_id", delivered, "oorder.keys",
      "o_w_id={delivered.w} o_d_id={delivered.d} o_id={delivered.o}", 1);
  add("oorder", "o_id", delivered, "oorder.keys",
      "o_w_id={delivered.w} o_d_id={delivered.d} o_id={delivered.o}", 2);
  add("order_line", "ol_w_id", delivered_line, "rows.outside", "order_line.ol_w_id", 1);
  add("order_line", "ol_d_id", delivered_line, "4", "w_id={delivered.w} d_id={delivered.d}", 2);
  add("order_line", "ol_o_id", delivered_line, "6",
      "w_id={delivered.w} d_id={delivered.d} o_id={delivered.o}", 2);
  add("order_line", "ol_number", delivered_line, "order.lines",
      "w_id={delivered.w} d_id={delivered.d} o_id={delivered.o} ol_number", 1);
}

const Corruption missing_rows[] = {
    {"DELETE FROM item WHERE i_id = 7", "item.rows", "i_id=7"},
    {"DELETE FROM item WHERE i_id = {line.i}", "order_line.amount",
     "w_id={line.w} d_id={line.d} o_id={line.o} ol_number={line.n}", 0},
    {"DELETE FROM warehouse WHERE w_id = 2", "warehouse.rows", "w_id=2"},
    {"DELETE FROM warehouse WHERE w_id = 2", "1", "w_id=2"},
    {"DELETE FROM warehouse WHERE w_id = 2", "8", "w_id=2"},
    {"DELETE FROM district WHERE d_w_id = 2 AND d_id = 3", "district.rows", "d_w_id=2 d_id=3"},
    {"DELETE FROM district WHERE d_w_id = 2 AND d_id = 3", "2", "w_id=2 d_id=3"},
    {"DELETE FROM district WHERE d_w_id = 2 AND d_id = 3", "9", "w_id=2 d_id=3"},
    {"DELETE FROM stock WHERE s_w_id = {line.w} AND s_i_id = {line.i}", "stock.rows",
     "s_w_id={line.w} s_i_id={line.i}"},
    {"DELETE FROM stock WHERE s_w_id = {line.w} AND s_i_id = {line.i}", "stock.counters",
     "w_id={line.w} i_id={line.i}"},
    {"DELETE FROM stock WHERE s_w_id = {remote.s} AND s_i_id = {remote.i}", "order_line.dist_info",
     "w_id={remote.w} d_id={remote.d} o_id={remote.o} ol_number={remote.n}", 0},
    {"DELETE FROM customer WHERE {good.row}", "customer.rows",
     "c_w_id={good.w} c_d_id={good.d} c_id={good.c}"},
    {"DELETE FROM customer WHERE {good.row}", "10", "w_id={good.w} d_id={good.d} c_id={good.c}"},
    {"DELETE FROM customer WHERE {good.row}", "12", "w_id={good.w} d_id={good.d} c_id={good.c}"},
    {"DELETE FROM history WHERE {paid.row}", "10", "w_id={paid.w} d_id={paid.d} c_id={paid.c}"},
    {"DELETE FROM history WHERE {paid.row}", "8", "w_id={paid.hw}"},
    {"DELETE FROM history WHERE {paid.row}", "9", "w_id={paid.hw} d_id={paid.hd}"},
    {"DELETE FROM history WHERE {paid.row}", "customer.payments",
     "w_id={paid.w} d_id={paid.d} c_id={paid.c} c_payment_cnt", 2},
    // Without the payment of the load; the other sums are made to fit.
    {"UPDATE history SET h_amount = 20 WHERE h_c_w_id = {good.w} AND h_c_d_id = {good.d} AND "
     "h_c_id "
     "= {good.c} AND h_amount = 10; UPDATE customer SET c_ytd_payment = c_ytd_payment + 10, "
     "c_balance = c_balance - 10 WHERE {good.row}",
     "customer.payments", "w_id={good.w} d_id={good.d} c_id={good.c} history"},
    {"DELETE FROM new_order WHERE {newest.new_order}", "5",
     "w_id={newest.w} d_id={newest.d} o_id={newest.o}"},
    {"DELETE FROM new_order WHERE {newest.new_order}", "2", "w_id={newest.w} d_id={newest.d}"},
    {"DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 4 AND no_o_id = 2900", "3",
     "w_id=1 d_id=4"},
    {"DELETE FROM oorder WHERE {newest.row}", "2", "w_id={newest.w} d_id={newest.d}"},
    {"DELETE FROM oorder WHERE {newest.row}", "oorder.keys",
     "o_w_id={newest.w} o_d_id={newest.d} o_id={newest.o}"},
    {"DELETE FROM oorder WHERE {delivered.row}", "oorder.keys",
     "o_w_id={delivered.w} o_d_id={delivered.d} o_id={delivered.o}"},
    {"DELETE FROM oorder WHERE {delivered.row}", "6",
     "w_id={delivered.w} d_id={delivered.d} o_id={delivered.o}"},
    {"DELETE FROM oorder WHERE o_w_id = 1 AND o_d_id = 2 AND o_id = 1", "oorder.keys",
     "o_w_id=1 o_d_id=2 o_id=1"},
    {"DELETE FROM order_line WHERE {line.row}", "order.lines",
     "w_id={line.w} d_id={line.d} o_id={line.o} ol_number"},
    {"DELETE FROM order_line WHERE {line.row}", "4", "w_id={line.w} d_id={line.d}"},
    {"DELETE FROM order_line WHERE {line.row}", "6", "w_id={line.w} d_id={line.d} o_id={line.o}"},
    {"DELETE FROM order_line WHERE {line.row}", "stock.counters", "w_id={line.w} i_id={line.i}"},
    {"DELETE FROM order_line WHERE ol_w_id = {newest.w} AND ol_d_id = {newest.d} AND ol_o_id = "
     "{newest.o}",
     "6", "w_id={newest.w} d_id={newest.d} o_id={newest.o}"},
};

const Corruption extra_rows[] = {
    {"INSERT INTO item SELECT 100001, i_im_id, i_name, i_price, i_data FROM item WHERE i_id = 1",
     "item.rows", "i_id=100001"},
    {"INSERT INTO warehouse SELECT 3, w_name, w_street_1, w_street_2, w_city, w_state, w_zip, "
     "w_tax, w_ytd FROM warehouse WHERE w_id = 1",
     "district.rows", "d_w_id=3 d_id=1", 10, 3},
    {"INSERT INTO warehouse SELECT 0, w_name, w_street_1, w_street_2, w_city, w_state, w_zip, "
     "w_tax, w_ytd FROM warehouse WHERE w_id = 1",
     "rows.outside", "warehouse.w_id"},
    {"INSERT INTO district SELECT d_w_id, 11, d_name, d_street_1, d_street_2, d_city, d_state, "
     "d_zip, d_tax, 0, 3001 FROM district WHERE d_w_id = 1 AND d_id = 1",
     "district.rows", "d_w_id=1 d_id=11"},
    {"UPDATE stock SET s_i_id = 100001 WHERE s_w_id = 1 AND s_i_id = 100000", "stock.rows",
     "s_w_id=1 s_i_id=100000", 2},
    {"UPDATE customer SET c_id = 3001 WHERE {good.row}", "customer.rows",
     "c_w_id={good.w} c_d_id={good.d} c_id={good.c}", 2},
    {"INSERT INTO history SELECT 3001, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, "
     "h_data "
     "FROM history WHERE {paid.row}",
     "10", "w_id={paid.w} d_id={paid.d} c_id=3001"},
    {"INSERT INTO history SELECT h_c_id, h_c_d_id, h_c_w_id, 11, h_w_id, h_date, h_amount, h_data "
     "FROM history WHERE {paid.row}",
     "history.values", "h_c_w_id={paid.w} h_c_d_id={paid.d} h_c_id={paid.c} h_d_id", 2},
    {"INSERT INTO new_order VALUES ({delivered.w}, {delivered.d}, {delivered.o})", "5",
     "w_id={delivered.w} d_id={delivered.d} o_id={delivered.o}"},
    {"INSERT INTO new_order VALUES ({newest.w}, {newest.d}, {newest.next})", "5",
     "w_id={newest.w} d_id={newest.d} o_id={newest.next}"},
    {"INSERT INTO oorder (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, "
     "o_all_local) SELECT o_w_id, o_d_id, {newest.next}, o_c_id, o_entry_d, o_carrier_id, "
     "o_ol_cnt, "
     "o_all_local FROM oorder WHERE {newest.row}",
     "oorder.keys", "o_w_id={newest.w} o_d_id={newest.d} o_id={newest.next}"},
    {"INSERT INTO oorder (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, "
     "o_all_local) SELECT o_w_id, o_d_id, 0, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, "
     "o_all_local FROM oorder WHERE {newest.row}",
     "oorder.keys", "o_w_id={newest.w} o_d_id={newest.d} o_id=0"},
    {"CREATE TEMP TABLE another ON COMMIT DROP AS SELECT * FROM order_line WHERE {line.row}; "
     "UPDATE another SET ol_number = 16; INSERT INTO order_line SELECT * FROM another",
     "order.lines", "w_id={line.w} d_id={line.d} o_id={line.o} ol_number"},
    {"UPDATE order_line SET ol_o_id = {newest.next} WHERE ol_w_id = {newest.w} AND ol_d_id = "
     "{newest.d} AND ol_o_id = {newest.o} AND ol_number = 2",
     "7", "w_id={newest.w} d_id={newest.d} o_id={newest.next} ol_number=2"},
};

// The same row twice, which only a key forbids; history has none.
void append_duplicates(std::vector<Corruption>& all) {
  const auto add = [&all](std::string_view table, std::string_view row, std::string condition,
                          std::string key, int count = 1) {
    all.push_back({(table == "history" ? "" : without_key(table)) +
                       fmt::format("INSERT INTO {0} SELECT * FROM {0} WHERE {1}", table, row),
                   std::move(condition), std::move(key), count});
  };
  add("item", "i_id = 7", "item.rows", "i_id=7");
  add("warehouse", "w_id = 2", "warehouse.rows", "w_id=2");
  add("district", "d_w_id = 2 AND d_id = 3", "district.rows", "d_w_id=2 d_id=3");
  add("stock", "s_w_id = 2 AND s_i_id = 77", "stock.rows", "s_w_id=2 s_i_id=77");
  add("customer", "{good.row}", "customer.rows", "c_w_id={good.w} c_d_id={good.d} c_id={good.c}");
  add("history", "{paid.row}", "customer.payments",
      "w_id={paid.w} d_id={paid.d} c_id={paid.c} c_payment_cnt", 2);
  add("history", "{paid.row}", "10", "w_id={paid.w} d_id={paid.d} c_id={paid.c}");
  add("new_order", "{newest.new_order}", "new_order.keys",
      "no_w_id={newest.w} no_d_id={newest.d} no_o_id={newest.o}");
  add("new_order", "{newest.new_order}", "3", "w_id={newest.w} d_id={newest.d}");
  add("oorder", "{delivered.row}", "oorder.keys",
      "o_w_id={delivered.w} o_d_id={delivered.d} o_id={delivered.o}");
  add("order_line", "{line.row}", "order.lines",
      "w_id={line.w} d_id={line.d} o_id={line.o} ol_number");
  add("order_line", "{line.row}", "6", "w_id={line.w} d_id={line.d} o_id={line.o}");
}

const Corruption changed_values[] = {
    {"UPDATE item SET i_price = i_price + 0.01 WHERE i_id = {line.i}", "order_line.amount",
     "w_id={line.w} d_id={line.d} o_id={line.o} ol_number={line.n}", 0},
    {"UPDATE item SET i_price = 0.99 WHERE i_id = 7", "item.values", "i_id=7 i_price"},
    {"UPDATE item SET i_price = 100.01 WHERE i_id = 7", "item.values", "i_id=7 i_price"},

    {"UPDATE warehouse SET w_ytd = w_ytd + 0.01 WHERE w_id = 2", "1", "w_id=2"},
    {"UPDATE warehouse SET w_ytd = w_ytd - 0.01 WHERE w_id = 2", "8", "w_id=2"},
    {"UPDATE warehouse SET w_tax = 0.2001 WHERE w_id = 2", "warehouse.values", "w_id=2 w_tax"},
    {"UPDATE warehouse SET w_tax = -0.0001 WHERE w_id = 2", "warehouse.values", "w_id=2 w_tax"},
    {"UPDATE warehouse SET w_name = w_name || 'x' WHERE w_id = {paid.hw}", "history.values",
     "h_c_w_id={paid.w} h_c_d_id={paid.d} h_c_id={paid.c} h_data", 0},

    {"UPDATE district SET d_ytd = d_ytd + 0.01 WHERE d_w_id = 2 AND d_id = 3", "9",
     "w_id=2 d_id=3"},
    {"UPDATE district SET d_ytd = d_ytd - 0.01 WHERE d_w_id = 2 AND d_id = 3", "1", "w_id=2"},
    {"UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE {newest.district}", "2",
     "w_id={newest.w} d_id={newest.d}"},
    {"UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE {newest.district}", "oorder.keys",
     "o_w_id={newest.w} o_d_id={newest.d} o_id={newest.next}"},
    {"UPDATE district SET d_next_o_id = d_next_o_id - 1 WHERE {newest.district}", "oorder.keys",
     "o_w_id={newest.w} o_d_id={newest.d} o_id={newest.o}"},
    {"UPDATE district SET d_next_o_id = 2000000000 WHERE {newest.district}", "oorder.keys",
     "o_w_id={newest.w} o_d_id={newest.d} o_id={newest.next}"},
    {"UPDATE district SET d_next_o_id = 3000 WHERE {newest.district}", "district.values",
     "d_w_id={newest.w} d_id={newest.d} d_next_o_id"},
    {"UPDATE district SET d_tax = 0.2001 WHERE d_w_id = 2 AND d_id = 3", "district.values",
     "d_w_id=2 d_id=3 d_tax"},
    {"UPDATE district SET d_name = 'Another' WHERE d_w_id = {paid.hw} AND d_id = {paid.hd}",
     "history.values", "h_c_w_id={paid.w} h_c_d_id={paid.d} h_c_id={paid.c} h_data", 0},

    {"UPDATE stock SET s_quantity = 9 WHERE s_w_id = 2 AND s_i_id = 77", "stock.values",
     "s_w_id=2 s_i_id=77 s_quantity"},
    {"UPDATE stock SET s_quantity = 101 WHERE s_w_id = 2 AND s_i_id = 77", "stock.values",
     "s_w_id=2 s_i_id=77 s_quantity"},
    {"UPDATE stock SET s_ytd = s_ytd + 1 WHERE s_w_id = {line.w} AND s_i_id = {line.i}",
     "stock.counters", "w_id={line.w} i_id={line.i}"},
    {"UPDATE stock SET s_order_cnt = s_order_cnt - 1 WHERE s_w_id = {line.w} AND s_i_id = {line.i}",
     "stock.counters", "w_id={line.w} i_id={line.i}"},
    {"UPDATE stock SET s_remote_cnt = 0 WHERE s_w_id = {remote.s} AND s_i_id = {remote.i}",
     "stock.counters", "w_id={remote.s} i_id={remote.i}"},
    {"UPDATE stock SET s_remote_cnt = s_remote_cnt + 1 WHERE s_w_id = 2 AND s_i_id = 77",
     "stock.counters", "w_id=2 i_id=77"},
    {"UPDATE stock SET s_dist_{line.dist} = 'xxxxxxxxxxxxxxxxxxxxxxxx' WHERE s_w_id = {line.w} AND "
     "s_i_id = {line.i}",
     "order_line.dist_info", "w_id={line.w} d_id={line.d} o_id={line.o} ol_number={line.n}", 0},

    {"UPDATE customer SET c_balance = c_balance + 0.01 WHERE {good.row}", "10",
     "w_id={good.w} d_id={good.d} c_id={good.c}"},
    {"UPDATE customer SET c_balance = c_balance - 0.01 WHERE {good.row}", "12",
     "w_id={good.w} d_id={good.d} c_id={good.c}"},
    {"UPDATE customer SET c_ytd_payment = c_ytd_payment + 0.01 WHERE {good.row}", "12",
     "w_id={good.w} d_id={good.d} c_id={good.c}"},
    {"UPDATE customer SET c_ytd_payment = c_ytd_payment - 0.01 WHERE {good.row}",
     "customer.payments", "w_id={good.w} d_id={good.d} c_id={good.c} c_ytd_payment"},
    {"UPDATE customer SET c_payment_cnt = c_payment_cnt + 1 WHERE {good.row}", "customer.payments",
     "w_id={good.w} d_id={good.d} c_id={good.c} c_payment_cnt"},
    {"UPDATE customer SET c_delivery_cnt = c_delivery_cnt + 1 WHERE {good.row}",
     "customer.deliveries", "w_id={good.w} d_id={good.d} c_id={good.c}"},
    {"UPDATE customer SET c_delivery_cnt = c_delivery_cnt - 1 WHERE c_w_id = {delivered.w} AND "
     "c_d_id = {delivered.d} AND c_id = {delivered.c}",
     "customer.deliveries", "w_id={delivered.w} d_id={delivered.d} c_id={delivered.c}"},
    {"UPDATE customer SET c_delivery_cnt = NULL WHERE {good.row}", "customer.deliveries",
     "w_id={good.w} d_id={good.d} c_id={good.c}"},
    {"UPDATE customer SET c_credit = 'AC' WHERE {good.row}", "customer.values",
     "c_w_id={good.w} c_d_id={good.d} c_id={good.c} c_credit"},
    {"UPDATE customer SET c_credit = 'BC' WHERE {good.row}", "customer.data",
     "w_id={good.w} d_id={good.d} c_id={good.c}"},
    {"UPDATE customer SET c_credit = 'GC' WHERE {bad.row}", "customer.data",
     "w_id={bad.w} d_id={bad.d} c_id={bad.c}"},
    {"UPDATE customer SET c_data = '9' || c_data WHERE {bad.row}", "customer.data",
     "w_id={bad.w} d_id={bad.d} c_id={bad.c}"},
    {"UPDATE customer SET c_data = repeat('x', 400) WHERE {bad.row}", "customer.data",
     "w_id={bad.w} d_id={bad.d} c_id={bad.c}"},
    {"UPDATE customer SET c_data = concat_ws(' ', c_id, c_d_id, c_w_id, c_d_id, c_w_id, '0.99|') "
     "WHERE {bad.row}",
     "customer.data", "w_id={bad.w} d_id={bad.d} c_id={bad.c}"},
    {"UPDATE customer SET c_data = '' WHERE {bad.row}", "customer.data",
     "w_id={bad.w} d_id={bad.d} c_id={bad.c}"},
    {"UPDATE customer SET c_data = NULL WHERE {bad.row}", "customer.data",
     "w_id={bad.w} d_id={bad.d} c_id={bad.c}"},
    {"UPDATE customer SET c_data = concat_ws(' ', c_id, c_d_id, c_w_id, 1, 1, '10.00|', c_data) "
     "WHERE {good.row}",
     "customer.data", "w_id={good.w} d_id={good.d} c_id={good.c}"},
    {"UPDATE customer SET c_discount = 0.5001 WHERE {good.row}", "customer.values",
     "c_w_id={good.w} c_d_id={good.d} c_id={good.c} c_discount"},
    {"UPDATE customer SET c_credit_lim = 50000.01 WHERE {good.row}", "customer.values",
     "c_w_id={good.w} c_d_id={good.d} c_id={good.c} c_credit_lim"},

    {"UPDATE history SET h_amount = h_amount + 0.01 WHERE {paid.row}", "10",
     "w_id={paid.w} d_id={paid.d} c_id={paid.c}"},
    {"UPDATE history SET h_amount = h_amount - 0.01 WHERE {paid.row}", "8", "w_id={paid.hw}"},
    {"UPDATE history SET h_amount = h_amount + 0.01 WHERE {paid.row}", "9",
     "w_id={paid.hw} d_id={paid.hd}"},
    {"UPDATE history SET h_amount = h_amount + 0.01 WHERE {paid.row}", "customer.payments",
     "w_id={paid.w} d_id={paid.d} c_id={paid.c} c_ytd_payment"},
    {"UPDATE history SET h_amount = 0.99 WHERE {paid.row}", "history.values",
     "h_c_w_id={paid.w} h_c_d_id={paid.d} h_c_id={paid.c} h_amount"},
    {"UPDATE history SET h_amount = 5000.01 WHERE {paid.row}", "history.values",
     "h_c_w_id={paid.w} h_c_d_id={paid.d} h_c_id={paid.c} h_amount"},
    {"UPDATE history SET h_data = 'x' || substr(h_data, 2) WHERE {paid.row}", "history.values",
     "h_c_w_id={paid.w} h_c_d_id={paid.d} h_c_id={paid.c} h_data"},
    {"UPDATE history SET h_w_id = {paid.elsewhere} WHERE {paid.row}", "8", "w_id=1", 2},
    {"UPDATE history SET h_d_id = h_d_id % 10 + 1 WHERE {paid.row}", "9",
     "w_id={paid.hw} d_id={paid.first_d}", 2},
    {"UPDATE history SET h_w_id = 3 WHERE {paid.row}", "rows.outside", "history.h_w_id"},
    {"UPDATE history SET h_c_id = h_c_id % 3000 + 1 WHERE {paid.row}", "10",
     "w_id={paid.w} d_id={paid.d} c_id={paid.c}", 2},

    {"UPDATE new_order SET no_o_id = {newest.next} WHERE {newest.new_order}", "2",
     "w_id={newest.w} d_id={newest.d}"},
    {"UPDATE new_order SET no_d_id = no_d_id % 10 + 1, no_o_id = 1 WHERE {newest.new_order}", "5",
     "w_id={newest.w} d_id={newest.d} o_id={newest.o}", 2},

    {"UPDATE oorder SET o_id = {newest.next} WHERE {newest.row}", "oorder.keys",
     "o_w_id={newest.w} o_d_id={newest.d} o_id={newest.o}", 2},
    {"UPDATE oorder SET o_c_id = o_c_id % 3000 + 1 WHERE {delivered.row}", "customer.deliveries",
     "w_id={delivered.w} d_id={delivered.d} c_id={delivered.c}", 2},
    {"UPDATE oorder SET o_c_id = o_c_id % 3000 + 1 WHERE {delivered.row}", "10",
     "w_id={delivered.w} d_id={delivered.d} c_id={delivered.c}", 2},
    {"UPDATE oorder SET o_c_id = 3001 WHERE {newest.row}", "oorder.values",
     "o_w_id={newest.w} o_d_id={newest.d} o_id={newest.o} o_c_id"},
    {"UPDATE oorder SET o_c_id = 0 WHERE {newest.row}", "oorder.values",
     "o_w_id={newest.w} o_d_id={newest.d} o_id={newest.o} o_c_id"},
    {"UPDATE oorder SET o_carrier_id = 11 WHERE {delivered.row}", "oorder.values",
     "o_w_id={delivered.w} o_d_id={delivered.d} o_id={delivered.o} o_carrier_id"},
    {"UPDATE oorder SET o_carrier_id = NULL WHERE {delivered.row}", "5",
     "w_id={delivered.w} d_id={delivered.d} o_id={delivered.o}"},
    {"UPDATE oorder SET o_carrier_id = NULL WHERE {delivered.row}", "customer.deliveries",
     "w_id={delivered.w} d_id={delivered.d} c_id={delivered.c}"},
    {"UPDATE oorder SET o_carrier_id = 4 WHERE {newest.row}", "5",
     "w_id={newest.w} d_id={newest.d} o_id={newest.o}"},
    {"UPDATE oorder SET o_ol_cnt = o_ol_cnt + 1 WHERE {newest.row}", "6",
     "w_id={newest.w} d_id={newest.d} o_id={newest.o}"},
    {"UPDATE oorder SET o_ol_cnt = o_ol_cnt - 1 WHERE {newest.row}", "4",
     "w_id={newest.w} d_id={newest.d}"},
    {"UPDATE oorder SET o_ol_cnt = 16 WHERE {newest.row}", "oorder.values",
     "o_w_id={newest.w} o_d_id={newest.d} o_id={newest.o} o_ol_cnt"},
    {"UPDATE oorder SET o_all_local = 1 - o_all_local WHERE {newest.row}", "order.lines",
     "w_id={newest.w} d_id={newest.d} o_id={newest.o} o_all_local"},
    {"UPDATE oorder SET o_all_local = 1 WHERE o_w_id = {remote.w} AND o_d_id = {remote.d} AND o_id "
     "= {remote.o}",
     "order.lines", "w_id={remote.w} d_id={remote.d} o_id={remote.o} o_all_local"},
    {"UPDATE oorder SET o_all_local = 2 WHERE {newest.row}", "oorder.values",
     "o_w_id={newest.w} o_d_id={newest.d} o_id={newest.o} o_all_local"},

    {"UPDATE order_line SET ol_number = 63 WHERE {line.row}", "order.lines",
     "w_id={line.w} d_id={line.d} o_id={line.o} ol_number"},
    {"UPDATE order_line SET ol_number = 0 WHERE {line.row}", "order.lines",
     "w_id={line.w} d_id={line.d} o_id={line.o} ol_number"},
    {"UPDATE order_line SET ol_i_id = 100001 WHERE {line.row}", "order_line.values",
     "ol_w_id={line.w} ol_d_id={line.d} ol_o_id={line.o} ol_number={line.n} ol_i_id"},
    {"UPDATE order_line SET ol_i_id = ol_i_id % 100000 + 1 WHERE {line.row}",
     "order_line.dist_info", "w_id={line.w} d_id={line.d} o_id={line.o} ol_number={line.n}"},
    {"UPDATE order_line SET ol_i_id = ol_i_id % 100000 + 1 WHERE {line.row}", "stock.counters",
     "w_id={line.w} i_id={line.i}", 2},
    {"UPDATE order_line SET ol_supply_w_id = 3 - ol_supply_w_id WHERE {line.row}", "order.lines",
     "w_id={line.w} d_id={line.d} o_id={line.o} o_all_local"},
    {"UPDATE order_line SET ol_supply_w_id = 3 - ol_supply_w_id WHERE {remote.row}",
     "order_line.dist_info",
     "w_id={remote.w} d_id={remote.d} o_id={remote.o} ol_number={remote.n}"},
    {"UPDATE order_line SET ol_supply_w_id = 3 WHERE {line.row}", "order_line.values",
     "ol_w_id={line.w} ol_d_id={line.d} ol_o_id={line.o} ol_number={line.n} ol_supply_w_id"},
    {"UPDATE order_line SET ol_supply_w_id = 2 WHERE ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 3 "
     "AND ol_number = 4",
     "order_line.values", "ol_w_id=1 ol_d_id=2 ol_o_id=3 ol_number=4 ol_supply_w_id"},
    {"UPDATE order_line SET ol_quantity = 11 WHERE {line.row}", "order_line.values",
     "ol_w_id={line.w} ol_d_id={line.d} ol_o_id={line.o} ol_number={line.n} ol_quantity"},
    {"UPDATE order_line SET ol_quantity = ol_quantity % 10 + 1 WHERE {line.row}",
     "order_line.amount", "w_id={line.w} d_id={line.d} o_id={line.o} ol_number={line.n}"},
    {"UPDATE order_line SET ol_quantity = ol_quantity % 10 + 1 WHERE {line.row}", "stock.counters",
     "w_id={line.w} i_id={line.i}"},
    {"UPDATE order_line SET ol_quantity = 6 WHERE ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 3 "
     "AND ol_number = 4",
     "order_line.values", "ol_w_id=1 ol_d_id=2 ol_o_id=3 ol_number=4 ol_quantity"},
    {"UPDATE order_line SET ol_amount = ol_amount + 0.01 WHERE {line.row}", "order_line.amount",
     "w_id={line.w} d_id={line.d} o_id={line.o} ol_number={line.n}"},
    {"UPDATE order_line SET ol_amount = ol_amount - 0.01 WHERE {remote.row}", "order_line.amount",
     "w_id={remote.w} d_id={remote.d} o_id={remote.o} ol_number={remote.n}"},
    {"UPDATE order_line SET ol_amount = 0.01 WHERE ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 3 "
     "AND ol_number = 4",
     "order_line.values", "ol_w_id=1 ol_d_id=2 ol_o_id=3 ol_number=4 ol_amount"},
    {"UPDATE order_line SET ol_amount = ol_amount + 0.01 WHERE {delivered.line}", "10",
     "w_id={delivered.w} d_id={delivered.d} c_id={delivered.c}"},
    {"UPDATE order_line SET ol_amount = ol_amount - 0.01 WHERE {delivered.line}", "12",
     "w_id={delivered.w} d_id={delivered.d} c_id={delivered.c}"},
    {"UPDATE order_line SET ol_delivery_d = NULL WHERE {delivered.line}", "7",
     "w_id={delivered.w} d_id={delivered.d} o_id={delivered.o} ol_number=3"},
    {"UPDATE order_line SET ol_delivery_d = now() WHERE ol_w_id = {newest.w} AND ol_d_id = "
     "{newest.d} AND ol_o_id = {newest.o} AND ol_number = 2",
     "7", "w_id={newest.w} d_id={newest.d} o_id={newest.o} ol_number=2"},
    {"UPDATE order_line SET ol_dist_info = 'x' || substr(ol_dist_info, 2) WHERE {line.row}",
     "order_line.dist_info", "w_id={line.w} d_id={line.d} o_id={line.o} ol_number={line.n}"},
    {"UPDATE order_line SET ol_dist_info = 'x' || substr(ol_dist_info, 2) WHERE {remote.row}",
     "order_line.dist_info",
     "w_id={remote.w} d_id={remote.d} o_id={remote.o} ol_number={remote.n}"},
};

}  // namespace

std::vector<Corruption> corruptions_of_used_data() {
  Values values;
  for (const auto& [name, query] : chosen_rows)
    for (const auto& [column, value] : CheckedDatabase::instance().row(std::string(query)))
      values[fmt::format("{}.{}", name, column)] = value;
  std::vector<Corruption> all;
  append_nulls(all);
  append_nulls_in_keys(all);
  all.insert(all.end(), std::begin(missing_rows), std::end(missing_rows));
  all.insert(all.end(), std::begin(extra_rows), std::end(extra_rows));
  append_duplicates(all);
  all.insert(all.end(), std::begin(changed_values), std::end(changed_values));
  for (Corruption& corruption : all) {
    corruption.sql = filled_in(std::move(corruption.sql), values);
    corruption.key = filled_in(std::move(corruption.key), values);
  }
  return all;
}

}  // namespace drover::tpcc::postgres
