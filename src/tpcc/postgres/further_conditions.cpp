// The conditions beyond the twelve: what the transactions of clause 2 and the cardinalities of
// clause 1.2.1 imply for data at any moment, and the twelve do not say.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "tpcc/postgres/conditions.h"
#include "tpcc/postgres/row_rules.h"
#include "tpcc/postgres/value_rules.h"

// As in conditions.cpp, sums are taken over coalesce(amount, 'NaN'): a null makes them NaN.

namespace drover::tpcc::postgres {

namespace {

// The extremes tell: with the index that begins with the warehouse they cost nothing, while a
// search for all rows outside would read the tables from end to end.
std::string rows_outside() {
  struct Owned {
    std::string_view table;
    std::string_view column;
  };
  constexpr Owned owned[] = {
      {"district", "d_w_id"},    {"customer", "c_w_id"},   {"history", "h_w_id"},
      {"history", "h_c_w_id"},   {"new_order", "no_w_id"}, {"oorder", "o_w_id"},
      {"order_line", "ol_w_id"}, {"stock", "s_w_id"},      {"warehouse", "w_id"}};
  std::string extremes;
  int place = 0;
  for (const auto& [table, column] : owned) {
    extremes +=
        fmt::format(R"({}
  SELECT {} AS place, '{}' AS name, (SELECT min({}) FROM {}) AS first,
         (SELECT max({}) FROM {}) AS last, EXISTS (SELECT FROM {} WHERE {} IS NULL) AS has_null)",
                    place == 0 ? "" : "\n  UNION ALL", place, fmt::format("{}.{}", table, column),
                    column, table, column, table, table, column);
    ++place;
  }
  return fmt::format(R"(WITH extreme AS ({})
SELECT ARRAY[place]::int8[] AS place, name AS key,
       format('1..%s, the warehouses that there are', warehouses) AS expected,
       format('%s..%s%s', first, last, CASE WHEN has_null THEN ', and null' END) AS found
FROM extreme, (SELECT coalesce(max(w_id), 0) AS warehouses FROM warehouse) AS w
WHERE has_null OR first < 1 OR last > warehouses)",
                     extremes);
}

// Orders 1 to 3,000 come from the load and have random amounts.
std::string amounts_of_new_lines() {
  return R"(SELECT ARRAY[ol_w_id, ol_d_id, ol_o_id, ol_number]::int8[] AS place,
       format('w_id=%s d_id=%s o_id=%s ol_number=%s', ol_w_id, ol_d_id, ol_o_id, ol_number) AS key,
       format('ol_amount = %s x %s', coalesce(ol_quantity::text, 'null'),
              coalesce(@i_price@::text, 'null')) AS expected,
       ol_amount::text AS found
FROM order_line LEFT JOIN item ON i_id = ol_i_id
WHERE ol_w_id BETWEEN $1::int4 AND $2::int4 AND ol_o_id > 3000
      AND (@ol_amount@ = ol_quantity::numeric * @i_price@) IS NOT TRUE)";
}

std::string stock_counters() {
  return R"(WITH
l AS (SELECT ol_supply_w_id AS w_id, ol_i_id AS i_id,
             sum(coalesce(ol_quantity::numeric, 'NaN')) AS ytd, count(*) AS order_cnt,
             count(*) FILTER (WHERE ol_supply_w_id <> ol_w_id) AS remote_cnt
      FROM order_line WHERE ol_supply_w_id BETWEEN $1::int4 AND $2::int4 AND ol_o_id > 3000
      GROUP BY ol_supply_w_id, ol_i_id),
s AS (SELECT s_w_id AS w_id, s_i_id AS i_id, s_ytd::numeric, s_order_cnt, s_remote_cnt
      FROM stock WHERE s_w_id BETWEEN $1::int4 AND $2::int4)
SELECT ARRAY[w_id, i_id]::int8[] AS place, format('w_id=%s i_id=%s', w_id, i_id) AS key,
       format('s_ytd = %s, s_order_cnt = %s, s_remote_cnt = %s', coalesce(ytd, 0),
              coalesce(order_cnt, 0), coalesce(remote_cnt, 0)) AS expected,
       CASE WHEN s.w_id IS NULL THEN 'no such stock'
            ELSE format('%s, %s, %s', coalesce(s_ytd::text, 'null'),
                        coalesce(s_order_cnt::text, 'null'),
                        coalesce(s_remote_cnt::text, 'null')) END AS found
FROM s FULL JOIN l USING (w_id, i_id)
WHERE (s_ytd = coalesce(ytd, 0) AND s_order_cnt = coalesce(order_cnt, 0)
       AND s_remote_cnt = coalesce(remote_cnt, 0)) IS NOT TRUE)";
}

// Each warehouse once. The joins of the twelve would not notice a second row that is the same.
std::string warehouses_once() {
  return R"(WITH
due AS (SELECT w_id FROM generate_series($1::int4, $2::int4) AS w(w_id)),
present AS (SELECT w_id, count(*) AS copies FROM warehouse
            WHERE w_id BETWEEN $1::int4 AND $2::int4 GROUP BY w_id)
SELECT ARRAY[w_id]::int8[] AS place, format('w_id=%s', w_id) AS key,
       '1 row of warehouse' AS expected, coalesce(copies, 0) AS found
FROM due LEFT JOIN present USING (w_id)
WHERE copies IS DISTINCT FROM 1)";
}

// In the order of the key each number follows on the one before it. A gap is one offender, however
// wide: a d_next_o_id of two billions must not make two billion rows of what is missing. A district
// that is not there is condition 2's.
std::string order_numbers() {
  return R"(WITH
d AS (SELECT d_w_id AS w_id, d_id, max(d_next_o_id) AS next
      FROM district WHERE d_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY d_w_id, d_id),
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, o_id, lag(o_id) OVER district AS before,
             lead(o_id) OVER district IS NULL AS is_last
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4
      WINDOW district AS (PARTITION BY o_w_id, o_d_id ORDER BY o_id))
SELECT ARRAY[w_id, d_id, id]::int8[] AS place,
       format('o_w_id=%s o_d_id=%s o_id=%s', w_id, d_id, id) AS key, expected, found
FROM o JOIN d USING (w_id, d_id)
     CROSS JOIN LATERAL (VALUES
       (o_id IS NULL OR o_id < 1 OR o_id >= next, o_id,
        format('o_id within 1..%s, as d_next_o_id = %s', next - 1, next), 'a row of oorder'),
       (o_id = before, o_id, '1 row of oorder', 'another one'),
       (greatest(before, 0) + 1 < least(o_id, next), greatest(before, 0) + 1, '1 row of oorder',
        format('none up to o_id=%s', least(o_id, next) - 1)),
       (is_last AND o_id < next - 1, greatest(o_id, 0) + 1, '1 row of oorder',
        format('none up to o_id=%s', next - 1))) AS judged(offends, id, expected, found)
WHERE (o_id = coalesce(before, 0) + 1 AND o_id < next AND NOT (is_last AND o_id < next - 1))
          IS NOT TRUE
      AND offends)";
}

std::string new_orders_once() {
  return R"(SELECT ARRAY[no_w_id, no_d_id, no_o_id]::int8[] AS place,
       format('no_w_id=%s no_d_id=%s no_o_id=%s', no_w_id, no_d_id, no_o_id) AS key,
       CASE WHEN no_d_id IS NULL OR no_o_id IS NULL THEN 'a key without null'
            ELSE '1 row of new_order' END AS expected,
       format('%s rows', count(*)) AS found
FROM new_order WHERE no_w_id BETWEEN $1::int4 AND $2::int4
GROUP BY no_w_id, no_d_id, no_o_id
HAVING count(*) > 1 OR no_d_id IS NULL OR no_o_id IS NULL)";
}

// One pass over the lines for two rules. The numbers of an order's lines are kept as bits: as many
// rows as o_ol_cnt says and all of the bits 1 to o_ol_cnt, then each number is there once.
std::string lines_of_orders() {
  return R"(WITH
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, o_id, o_ol_cnt::int4 AS due,
             o_all_local::int4 AS all_local
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4),
l AS (SELECT ol_w_id AS w_id, ol_d_id AS d_id, ol_o_id AS o_id, count(*) AS lines,
             bit_or(CASE WHEN ol_number BETWEEN 1 AND 62 THEN 1::int8 << ol_number::int4 END)
                 AS numbers,
             bool_and(ol_supply_w_id = ol_w_id) AS local
      FROM order_line WHERE ol_w_id BETWEEN $1::int4 AND $2::int4
      GROUP BY ol_w_id, ol_d_id, ol_o_id),
every AS (
  SELECT w_id, d_id, o_id, due, all_local, lines, numbers, local::int4 AS local,
         (lines = due
          AND numbers = CASE WHEN due BETWEEN 1 AND 61 THEN (1::int8 << (due + 1)) - 2 END)
             IS TRUE AS complete
  FROM o LEFT JOIN l USING (w_id, d_id, o_id))
SELECT ARRAY[w_id, d_id, o_id, ordinal]::int8[] AS place,
       format('w_id=%s d_id=%s o_id=%s %s', w_id, d_id, o_id, name) AS key, expected, found
FROM every
     CROSS JOIN LATERAL (VALUES
       (0, 'ol_number', complete, format('1..%s, each once', coalesce(due::text, 'o_ol_cnt')),
        format('%s rows with the numbers %s', coalesce(lines, 0),
               coalesce((SELECT string_agg(n::text, ' ' ORDER BY n) FROM generate_series(1, 62) AS n
                         WHERE (numbers & (1::int8 << n)) <> 0), 'none'))),
       (1, 'o_all_local', (all_local = local) IS TRUE,
        CASE local WHEN 1 THEN '1, as every ol_supply_w_id = o_w_id'
             ELSE '0, as not every ol_supply_w_id = o_w_id' END,
        coalesce(all_local::text, 'null'))) AS judged(ordinal, name, holds, expected, found)
WHERE (complete AND all_local = local) IS NOT TRUE AND NOT holds)";
}

// The customer's payments: one of 10.00 in the own district comes with the load (clause 4.3.3.1),
// each Payment adds one. A row of history without its customer is condition 10's.
std::string payments_of_customers() {
  return R"(WITH
h AS (SELECT h_c_w_id AS w_id, h_c_d_id AS d_id, h_c_id AS c_id, count(*) AS payments,
             sum(coalesce(@h_amount@, 'NaN')) AS paid,
             count(*) FILTER (WHERE @h_amount@ = 10 AND h_w_id = h_c_w_id AND h_d_id = h_c_d_id)
                 AS first_payments
      FROM history WHERE h_c_w_id BETWEEN $1::int4 AND $2::int4
      GROUP BY h_c_w_id, h_c_d_id, h_c_id),
every AS (
  SELECT c_w_id AS w_id, c_d_id AS d_id, customer.c_id, c_payment_cnt, @c_ytd_payment@ AS ytd,
         coalesce(payments, 0) AS payments, coalesce(paid, 0) AS paid,
         coalesce(first_payments, 0) AS first_payments
  FROM customer LEFT JOIN h ON h.w_id = c_w_id AND h.d_id = c_d_id AND h.c_id = customer.c_id
  WHERE c_w_id BETWEEN $1::int4 AND $2::int4)
SELECT ARRAY[w_id, d_id, c_id, ordinal]::int8[] AS place,
       format('w_id=%s d_id=%s c_id=%s %s', w_id, d_id, c_id, name) AS key, expected, found
FROM every
     CROSS JOIN LATERAL (VALUES
       (0, 'c_payment_cnt', (c_payment_cnt = payments) IS TRUE,
        format('%s, the rows of history', payments), c_payment_cnt::text),
       (1, 'c_ytd_payment', (ytd = paid) IS TRUE, format('sum(h_amount) = %s', paid), ytd::text),
       (2, 'history', first_payments > 0, 'a payment of 10.00 in the own district, from the load',
        'none')) AS judged(ordinal, name, holds, expected, found)
WHERE (c_payment_cnt = payments AND ytd = paid AND first_payments > 0) IS NOT TRUE AND NOT holds)";
}

// Orders up to 2,100 were delivered by the load, which counted none of them.
std::string deliveries_of_customers() {
  return R"(WITH
o AS (SELECT o_w_id, o_d_id, o_c_id, count(*) AS delivered
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4 AND o_id > 2100
                        AND o_carrier_id IS NOT NULL
      GROUP BY o_w_id, o_d_id, o_c_id)
SELECT ARRAY[c_w_id, c_d_id, c_id]::int8[] AS place,
       format('w_id=%s d_id=%s c_id=%s', c_w_id, c_d_id, c_id) AS key,
       format('c_delivery_cnt = %s, the orders delivered since the load', coalesce(delivered, 0))
           AS expected,
       coalesce(c_delivery_cnt::text, 'null') AS found
FROM customer LEFT JOIN o ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id
WHERE c_w_id BETWEEN $1::int4 AND $2::int4
      AND c_delivery_cnt IS DISTINCT FROM coalesce(delivered, 0))";
}

// Clause 2.5.2.2 puts c_id, c_d_id, c_w_id, d_id, w_id and h_amount of a payment before the c_data
// of a customer with bad credit, and leaves open what parts them: anything but letters and digits
// does here, and so does nothing at all. The random text of the load has letters and digits only,
// so that with others such a beginning is no chance.
std::string data_of_customers() {
  return R"(WITH
c AS (SELECT c_w_id, c_d_id, c_id, c_credit::text = 'BC' AND c_payment_cnt > 1 AS written,
             left(c_data::text, 60) AS data,
             CASE WHEN (c_credit::text = 'BC' AND c_payment_cnt > 1)
                       OR starts_with(ltrim(left(c_data::text, 20), ' |'), c_id::text)
                  THEN regexp_match(left(c_data::text, 200),
                         '^[^0-9A-Za-z]*([0-9]+)[^0-9A-Za-z]+([0-9]+)[^0-9A-Za-z]+([0-9]+)'
                         '[^0-9A-Za-z]+([0-9]+)[^0-9A-Za-z]+([0-9]+)[^0-9A-Za-z]+'
                         '([0-9]+(?:[.][0-9]+)?)')::numeric[] END AS n
      FROM customer WHERE c_w_id BETWEEN $1::int4 AND $2::int4),
offending AS (
  SELECT c_w_id, c_d_id, c_id, data,
         'c_id c_d_id c_w_id h_d_id h_w_id h_amount of a payment first, as c_credit = BC'
             AS expected
  FROM c
  WHERE written
        AND NOT (n IS NULL AND coalesce(starts_with(data, concat(c_id, c_d_id, c_w_id)), false))
        AND ((n[1] = c_id AND n[2] = c_d_id AND n[3] = c_w_id) IS NOT TRUE
             OR NOT EXISTS (SELECT FROM history
                            WHERE h_c_w_id BETWEEN $1::int4 AND $2::int4 AND h_c_w_id = c_w_id
                                  AND h_c_d_id = c_d_id AND h_c_id = c_id
                                  AND h_d_id::numeric = n[4] AND h_w_id::numeric = n[5]
                                  AND @h_amount@ = round(n[6], 2)))
  UNION ALL
  SELECT c_w_id, c_d_id, c_id, data, 'the text of the load, as no payment is written there'
  FROM c WHERE NOT written AND n[1] = c_id AND n[2] = c_d_id AND n[3] = c_w_id)
SELECT ARRAY[c_w_id, c_d_id, c_id]::int8[] AS place,
       format('w_id=%s d_id=%s c_id=%s', c_w_id, c_d_id, c_id) AS key, expected,
       format('c_data = %s...', coalesce(left(data, 40), 'null')) AS found
FROM offending)";
}

std::string district_of_stock() {
  std::string sql = "(CASE ol_d_id";
  for (int district = 1; district <= 10; ++district)
    sql += fmt::format(" WHEN {0} THEN s_dist_{0:02}", district);
  return sql + " END)::bpchar";
}

// Lines supplied from within the range are joined to its stock. Those from elsewhere, one in a
// hundred, are looked up one by one: a join would read the stock of all warehouses for each range.
std::string dist_info_of_lines() {
  return fmt::format(R"(WITH
l AS (SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_supply_w_id, ol_i_id,
             ol_dist_info::bpchar AS info
      FROM order_line WHERE ol_w_id BETWEEN $1::int4 AND $2::int4 AND ol_o_id > 3000),
due AS (
  SELECT l.*, {0} AS dist
  FROM l LEFT JOIN stock ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id
                            AND s_w_id BETWEEN $1::int4 AND $2::int4
  WHERE ol_supply_w_id BETWEEN $1::int4 AND $2::int4
  UNION ALL
  SELECT l.*, {0} AS dist
  FROM l LEFT JOIN LATERAL (SELECT * FROM stock WHERE s_w_id = ol_supply_w_id AND s_i_id = ol_i_id
                            LIMIT 1) AS remote ON true
  WHERE (ol_supply_w_id BETWEEN $1::int4 AND $2::int4) IS NOT TRUE)
SELECT ARRAY[ol_w_id, ol_d_id, ol_o_id, ol_number]::int8[] AS place,
       format('w_id=%s d_id=%s o_id=%s ol_number=%s', ol_w_id, ol_d_id, ol_o_id, ol_number) AS key,
       format('s_dist_%s of s_w_id=%s s_i_id=%s: %s', lpad(ol_d_id::text, 2, '0'), ol_supply_w_id,
              ol_i_id, coalesce(dist::text, 'no such row')) AS expected,
       coalesce(info::text, 'null') AS found
FROM due WHERE (info = dist) IS NOT TRUE)",
                     district_of_stock());
}

// Collects the conditions of a catalogue.
class Catalogue {
 public:
  explicit Catalogue(Money money) : money_(money) {}

  void add(std::string name, std::string_view clause, std::string title, Span span,
           const std::string& body) {
    conditions_.push_back({.number = 0,
                           .name = std::move(name),
                           .clause = clause,
                           .title = std::move(title),
                           .span = span,
                           .sql = offender_statement(body, money_)});
  }

  std::vector<Condition> take() { return std::move(conditions_); }

 private:
  Money money_;
  std::vector<Condition> conditions_;
};

void add_rows(Catalogue& all) {
  all.add("rows.outside", "1.3", "no row of a warehouse that is not there", Span::once,
          rows_outside());
  all.add("item.rows", "1.2.1", "100,000 items", Span::once, exact_items());
  all.add("warehouse.rows", "1.2.1", "each warehouse once", Span::range, warehouses_once());
  all.add("district.rows", "1.2.1", "10 districts a warehouse", Span::range,
          exact_rows({.table = "district", .warehouse = "d_w_id", .id = "d_id", .last = 10}));
  all.add("customer.rows", "1.2.1", "3,000 customers a district", Span::range,
          exact_rows({.table = "customer",
                      .warehouse = "c_w_id",
                      .district = "c_d_id",
                      .id = "c_id",
                      .last = 3000}));
  all.add("stock.rows", "1.2.1", "100,000 rows of stock a warehouse", Span::range,
          exact_rows({.table = "stock", .warehouse = "s_w_id", .id = "s_i_id", .last = 100000}));
  all.add("oorder.keys", "2.4.2.2", "orders 1 to d_next_o_id - 1, each once", Span::range,
          order_numbers());
  all.add("new_order.keys", "1.3", "each row of new_order once", Span::range, new_orders_once());
}

void add_values(Catalogue& all) {
  all.add("item.values", "4.3.3.1", "columns of item", Span::once, item_values());
  all.add("warehouse.values", "4.3.3.1", "columns of warehouse", Span::range, warehouse_values());
  all.add("district.values", "4.3.3.1", "columns of district", Span::range, district_values());
  all.add("stock.values", "2.4.2.2", "columns of stock, s_quantity 10 to 100", Span::range,
          stock_values());
  all.add("customer.values", "4.3.3.1", "columns of customer", Span::range, customer_values());
  all.add("history.values", "2.5.2.2", "columns of history, district and text", Span::wide_range,
          history_values());
  all.add("oorder.values", "2.4.1", "columns of oorder", Span::range, oorder_values());
  all.add("order_line.values", "2.4.1.5", "columns of order_line", Span::range,
          order_line_values());
}

void add_effects(Catalogue& all) {
  all.add("order.lines", "2.4.2.2", "ol_number 1 to o_ol_cnt; o_all_local as lines say",
          Span::range, lines_of_orders());
  all.add("order_line.amount", "2.4.2.2", "ol_amount = ol_quantity x i_price since the load",
          Span::range, amounts_of_new_lines());
  all.add("order_line.dist_info", "2.4.2.2", "ol_dist_info = s_dist of its stock since the load",
          Span::range, dist_info_of_lines());
  all.add("stock.counters", "2.4.2.2", "stock counters = lines since the load", Span::wide_range,
          stock_counters());
  all.add("customer.payments", "2.5.2.2", "c_payment_cnt, c_ytd_payment = rows of history",
          Span::wide_range, payments_of_customers());
  all.add("customer.data", "2.5.2.2", "c_data of bad credit begins with a payment",
          Span::wide_range, data_of_customers());
  all.add("customer.deliveries", "2.7.4.2", "c_delivery_cnt = orders delivered since the load",
          Span::range, deliveries_of_customers());
}

}  // namespace

std::vector<Condition> further_conditions(Money money) {
  Catalogue all(money);
  add_rows(all);
  add_values(all);
  add_effects(all);
  return all.take();
}

}  // namespace drover::tpcc::postgres
