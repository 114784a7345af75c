// Corruptions of a freshly loaded population, which is known to the last column.
#include "workload/tpcc/postgres/check/corruption_test.h"

namespace drover::tpcc::postgres {
namespace {

// Each is undone before the next.
const Corruption corruptions[] = {
    {"UPDATE warehouse SET w_ytd = w_ytd + 0.01 WHERE w_id = 2", "1", "w_id=2"},
    {"UPDATE warehouse SET w_ytd = NULL WHERE w_id = 2", "1", "w_id=2"},
    {"UPDATE district SET d_ytd = d_ytd - 0.01 WHERE d_w_id = 1 AND d_id = 9", "1", "w_id=1"},
    {"UPDATE district SET d_ytd = NULL WHERE d_w_id = 1 AND d_id = 9", "1", "w_id=1"},
    {"UPDATE district SET d_ytd = CASE d_id WHEN 1 THEN NULL ELSE 60000 END "
     "WHERE d_w_id = 1 AND d_id < 3",
     "1", "w_id=1"},
    {"DELETE FROM warehouse WHERE w_id = 1", "1", "w_id=1"},
    {"DELETE FROM district WHERE d_w_id = 2", "1", "w_id=2"},

    {"UPDATE district SET d_next_o_id = 3002 WHERE d_w_id = 2 AND d_id = 1", "2", "w_id=2 d_id=1"},
    {"UPDATE district SET d_next_o_id = NULL WHERE d_w_id = 2 AND d_id = 1", "2", "w_id=2 d_id=1"},
    {"DELETE FROM district WHERE d_w_id = 2 AND d_id = 10", "2", "w_id=2 d_id=10"},
    {"DELETE FROM oorder WHERE o_w_id = 1 AND o_d_id = 4 AND o_id = 3000", "2", "w_id=1 d_id=4"},
    {"DELETE FROM oorder WHERE o_w_id = 1 AND o_d_id = 4", "2", "w_id=1 d_id=4"},
    {"DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 5 AND no_o_id = 3000", "2",
     "w_id=1 d_id=5"},
    {"INSERT INTO new_order VALUES (1, 11, 1)", "2", "w_id=1 d_id=11"},

    {"DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 5 AND no_o_id = 2500", "3",
     "w_id=1 d_id=5"},
    {"INSERT INTO new_order VALUES (2, 7, 1)", "3", "w_id=2 d_id=7"},

    {"DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 3 AND ol_number = 4",
     "4", "w_id=1 d_id=2"},
    {"UPDATE oorder SET o_ol_cnt = o_ol_cnt + 1 WHERE o_w_id = 2 AND o_d_id = 3 AND o_id = 9", "4",
     "w_id=2 d_id=3"},
    {"UPDATE oorder SET o_ol_cnt = NULL WHERE o_w_id = 2 AND o_d_id = 3 AND o_id = 9", "4",
     "w_id=2 d_id=3"},

    {"UPDATE oorder SET o_carrier_id = 3 WHERE o_w_id = 2 AND o_d_id = 3 AND o_id = 2999", "5",
     "w_id=2 d_id=3 o_id=2999"},
    {"UPDATE oorder SET o_carrier_id = NULL WHERE o_w_id = 2 AND o_d_id = 3 AND o_id = 2100", "5",
     "w_id=2 d_id=3 o_id=2100"},
    {"DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 5 AND no_o_id = 2101", "5",
     "w_id=1 d_id=5 o_id=2101"},
    {"INSERT INTO new_order VALUES (1, 5, 2100)", "5", "w_id=1 d_id=5 o_id=2100"},
    {"INSERT INTO new_order VALUES (1, 5, 3001)", "5", "w_id=1 d_id=5 o_id=3001"},

    {"DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 3 AND ol_number = 4",
     "6", "w_id=1 d_id=2 o_id=3"},
    {"DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 3", "6",
     "w_id=1 d_id=2 o_id=3"},
    {"DELETE FROM oorder WHERE o_w_id = 1 AND o_d_id = 2 AND o_id = 3", "6",
     "w_id=1 d_id=2 o_id=3"},
    {"UPDATE oorder SET o_ol_cnt = NULL WHERE o_w_id = 1 AND o_d_id = 2 AND o_id = 3", "6",
     "w_id=1 d_id=2 o_id=3"},
    {"INSERT INTO order_line SELECT 1, 2, 3, 99, 1, now(), 0, 1, 5, 'x'", "6",
     "w_id=1 d_id=2 o_id=3"},

    {"UPDATE order_line SET ol_delivery_d = now() "
     "WHERE ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 2102 AND ol_number = 5",
     "7", "w_id=1 d_id=2 o_id=2102 ol_number=5"},
    {"UPDATE order_line SET ol_delivery_d = NULL "
     "WHERE ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 44 AND ol_number = 1",
     "7", "w_id=1 d_id=2 o_id=44 ol_number=1"},
    {"UPDATE oorder SET o_carrier_id = 9 WHERE o_w_id = 2 AND o_d_id = 3 AND o_id = 2999; "
     "UPDATE order_line SET ol_delivery_d = now() "
     "WHERE ol_w_id = 2 AND ol_d_id = 3 AND ol_o_id = 2999 AND ol_number <> 2",
     "7", "w_id=2 d_id=3 o_id=2999 ol_number=2"},
    {"INSERT INTO order_line VALUES (2, 3, 3001, 1, 1, NULL, 0, 1, 5, 'x')", "7",
     "w_id=2 d_id=3 o_id=3001 ol_number=1"},

    {"UPDATE warehouse SET w_ytd = w_ytd - 0.01 WHERE w_id = 1", "8", "w_id=1"},
    {"UPDATE history SET h_amount = 10.01 WHERE h_c_w_id = 1 AND h_c_d_id = 2 AND h_c_id = 3", "8",
     "w_id=1"},
    {"DELETE FROM history WHERE h_w_id = 2", "8", "w_id=2"},

    {"UPDATE district SET d_ytd = d_ytd + 0.01 WHERE d_w_id = 1 AND d_id = 2", "9",
     "w_id=1 d_id=2"},
    {"DELETE FROM history WHERE h_c_w_id = 2 AND h_c_d_id = 2 AND h_c_id = 3", "9",
     "w_id=2 d_id=2"},
    {"UPDATE history SET h_amount = NULL WHERE h_c_w_id = 2 AND h_c_d_id = 2 AND h_c_id = 3", "9",
     "w_id=2 d_id=2"},
    {"INSERT INTO history VALUES (1, 1, 1, 11, 1, now(), 0, 'no such district')", "9",
     "w_id=1 d_id=11"},
    {"DELETE FROM district WHERE d_w_id = 2 AND d_id = 10", "9", "w_id=2 d_id=10"},

    {"UPDATE customer SET c_balance = c_balance + 0.01 WHERE c_w_id = 2 AND c_d_id = 8 AND c_id = "
     "7",
     "10", "w_id=2 d_id=8 c_id=7"},
    {"UPDATE customer SET c_balance = NULL WHERE c_w_id = 2 AND c_d_id = 8 AND c_id = 7", "10",
     "w_id=2 d_id=8 c_id=7"},
    {"DELETE FROM customer WHERE c_w_id = 2 AND c_d_id = 8 AND c_id = 7", "10",
     "w_id=2 d_id=8 c_id=7"},
    {"DELETE FROM history WHERE h_c_w_id = 1 AND h_c_d_id = 8 AND h_c_id = 2999", "10",
     "w_id=1 d_id=8 c_id=2999"},
    {"UPDATE history SET h_amount = NULL WHERE h_c_w_id = 1 AND h_c_d_id = 8 AND h_c_id = 2999",
     "10", "w_id=1 d_id=8 c_id=2999"},
    {"UPDATE history SET h_c_id = NULL WHERE h_c_w_id = 1 AND h_c_d_id = 8 AND h_c_id = 2999", "10",
     "w_id=1 d_id=8 c_id=2999", 2},
    // Order 5 is of customer 36.
    {"UPDATE order_line SET ol_amount = 0.01 "
     "WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 5 AND ol_number = 1",
     "10", "w_id=1 d_id=1 c_id=36"},
    {"UPDATE order_line SET ol_amount = NULL "
     "WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 5 AND ol_number = 1",
     "10", "w_id=1 d_id=1 c_id=36"},
    // Order 2101 is of customer 2708.
    {"UPDATE order_line SET ol_delivery_d = now() "
     "WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 2101 AND ol_number = 1",
     "10", "w_id=1 d_id=1 c_id=2708"},
    {"UPDATE oorder SET o_c_id = 3001 WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 2101", "10",
     "w_id=1 d_id=1 c_id=3001"},
    {"UPDATE oorder SET o_c_id = NULL WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 2101", "10",
     "w_id=1 d_id=1 c_id="},

    {"UPDATE oorder SET o_id = 3001 WHERE o_w_id = 1 AND o_d_id = 6 AND o_id = 1", "2",
     "w_id=1 d_id=6"},
    {"INSERT INTO oorder VALUES (1, 6, 3001, 1, 5, 5, 1, now())", "11", "w_id=1 d_id=6"},
    {"DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 6 AND no_o_id = 2101", "11",
     "w_id=1 d_id=6"},

    {"UPDATE customer SET c_ytd_payment = c_ytd_payment - 0.01 "
     "WHERE c_w_id = 2 AND c_d_id = 8 AND c_id = 7",
     "12", "w_id=2 d_id=8 c_id=7"},
    {"UPDATE customer SET c_ytd_payment = NULL WHERE c_w_id = 2 AND c_d_id = 8 AND c_id = 7", "12",
     "w_id=2 d_id=8 c_id=7"},
    {"UPDATE customer SET c_balance = 0 WHERE c_w_id = 2 AND c_d_id = 8 AND c_id = 7", "12",
     "w_id=2 d_id=8 c_id=7"},
    {"DELETE FROM customer WHERE c_w_id = 2 AND c_d_id = 8 AND c_id = 7", "12",
     "w_id=2 d_id=8 c_id=7"},
    {"UPDATE order_line SET ol_amount = 0.01 "
     "WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 5 AND ol_number = 1",
     "12", "w_id=1 d_id=1 c_id=36"},

    {"INSERT INTO order_line VALUES (3, 1, 1, 1, 1, NULL, 0, 1, 5, 'x')", "rows.outside",
     "order_line.ol_w_id"},
    {"INSERT INTO new_order VALUES (0, 1, 1)", "rows.outside", "new_order.no_w_id"},
    {"UPDATE history SET h_w_id = NULL WHERE h_c_w_id = 1 AND h_c_d_id = 1 AND h_c_id = 1",
     "rows.outside", "history.h_w_id"},
    {"INSERT INTO district VALUES (7, 1)", "rows.outside", "district.d_w_id"},
    {"DELETE FROM item WHERE i_id = 100000", "item.rows", "i_id=100000"},
    {"INSERT INTO item VALUES (100001)", "item.rows", "i_id=100001"},
    {"DELETE FROM district WHERE d_w_id = 1 AND d_id = 3", "district.rows", "d_w_id=1 d_id=3"},
    {"INSERT INTO district VALUES (2, 11)", "district.rows", "d_w_id=2 d_id=11"},
    {"DELETE FROM customer WHERE c_w_id = 2 AND c_d_id = 8 AND c_id = 3000", "customer.rows",
     "c_w_id=2 c_d_id=8 c_id=3000"},
    {"DELETE FROM stock WHERE s_w_id = 2 AND s_i_id = 1", "stock.rows", "s_w_id=2 s_i_id=1"},
    {"ALTER TABLE stock DROP CONSTRAINT stock_pkey; UPDATE stock SET s_i_id = 5 "
     "WHERE s_w_id = 2 AND s_i_id = 6",
     "stock.rows", "s_w_id=2 s_i_id=5", 2},
    {"UPDATE stock SET s_ytd = 1 WHERE s_w_id = 1 AND s_i_id = 9", "stock.counters",
     "w_id=1 i_id=9"},
    {"UPDATE stock SET s_order_cnt = NULL WHERE s_w_id = 1 AND s_i_id = 9", "stock.counters",
     "w_id=1 i_id=9"},
    {"INSERT INTO order_line VALUES (2, 1, 3001, 1, 9, NULL, 0, 1, 5, 'x')", "stock.counters",
     "w_id=1 i_id=9"},
    {"INSERT INTO order_line SELECT 2, 1, 3001, 1, i_id, NULL, 5 * i_price + 0.01, 2, 5, 'x' "
     "FROM item WHERE i_id = 9",
     "order_line.amount", "w_id=2 d_id=1 o_id=3001 ol_number=1"},
    {"INSERT INTO order_line VALUES (2, 1, 3001, 1, 0, NULL, 0, 2, 5, 'x')", "order_line.amount",
     "w_id=2 d_id=1 o_id=3001 ol_number=1"},

    {"UPDATE oorder SET o_id = 3001 WHERE o_w_id = 1 AND o_d_id = 6 AND o_id = 1", "oorder.rows",
     "o_w_id=1 o_d_id=6 o_id=1", 2},
    {"UPDATE oorder SET o_c_id = 36 WHERE o_w_id = 1 AND o_d_id = 1 AND o_c_id = 1",
     "oorder.customers", "o_w_id=1 o_d_id=1 o_c_id=1", 2},
    {"DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 6 AND no_o_id = 2101", "new_order.rows",
     "no_w_id=1 no_d_id=6 no_o_id=2101"},
    {"INSERT INTO new_order VALUES (1, 6, 2100)", "new_order.rows",
     "no_w_id=1 no_d_id=6 no_o_id=2100"},
    {"INSERT INTO history SELECT * FROM history "
     "WHERE h_c_w_id = 1 AND h_c_d_id = 8 AND h_c_id = 2999",
     "history.rows", "h_c_w_id=1 h_c_d_id=8 h_c_id=2999"},
    {"DELETE FROM history WHERE h_c_w_id = 1 AND h_c_d_id = 8 AND h_c_id = 2999", "history.rows",
     "h_c_w_id=1 h_c_d_id=8 h_c_id=2999"},
};

// Rules about the columns of one row: the assignments that each table must not get.
struct ColumnCorruption {
  const char* table;
  const char* where;
  const char* key;
  std::vector<const char*> assignments;
};

const ColumnCorruption column_corruptions[] = {
    {"item",
     "i_id = 3",
     "i_id=3",
     {"i_im_id = 0", "i_im_id = 10001", "i_im_id = NULL", "i_name = 'short'", "i_name = NULL",
      "i_price = 0.99", "i_price = 100.01", "i_price = NULL", "i_data = 'short'", "i_data = NULL"}},
    {"warehouse",
     "w_id = 2",
     "w_id=2",
     {"w_name = 'short'", "w_street_1 = 'short'", "w_street_2 = NULL", "w_city = 'short'",
      "w_state = 'A'", "w_zip = '123456789'", "w_zip = '12a411111'", "w_tax = 0.2001",
      "w_tax = -0.0001", "w_tax = NULL", "w_ytd = 300000.01"}},
    {"district",
     "d_w_id = 2 AND d_id = 3",
     "d_w_id=2 d_id=3",
     {"d_name = 'short'", "d_street_1 = 'short'", "d_street_2 = 'short'", "d_city = NULL",
      "d_state = NULL", "d_zip = NULL", "d_tax = 0.2001", "d_ytd = 29999.99",
      "d_next_o_id = 3000"}},
    {"stock",
     "s_w_id = 2 AND s_i_id = 77",
     "s_w_id=2 s_i_id=77",
     {"s_quantity = 9", "s_quantity = 101", "s_quantity = NULL", "s_ytd = 1", "s_order_cnt = 1",
      "s_remote_cnt = 1", "s_data = 'short'", "s_dist_01 = 'short'", "s_dist_10 = NULL"}},
    {"customer",
     "c_w_id = 2 AND c_d_id = 3 AND c_id = 372",
     "c_w_id=2 c_d_id=3 c_id=372",
     {"c_first = 'short'", "c_middle = 'EO'", "c_last = 'BARBARBAR'", "c_last = NULL",
      "c_street_1 = 'short'", "c_city = 'short'", "c_zip = '123411112'", "c_phone = '123'",
      "c_since = NULL", "c_credit = 'AC'", "c_credit = NULL", "c_credit_lim = 50000.01",
      "c_discount = 0.5001", "c_balance = -10.01", "c_ytd_payment = 9.99", "c_payment_cnt = 0",
      "c_delivery_cnt = 1", "c_data = 'short'", "c_data = NULL"}},
    {"customer",
     "c_w_id = 2 AND c_d_id = 3 AND c_id = 1001",
     "c_w_id=2 c_d_id=3 c_id=1001",
     {"c_last = 'BARBARBA'", "c_last = 'BARBARBARBAR'"}},
    {"history",
     "h_c_w_id = 2 AND h_c_d_id = 3 AND h_c_id = 4",
     "h_c_w_id=2 h_c_d_id=3 h_c_id=4",
     {"h_w_id = 1", "h_d_id = 4", "h_date = NULL", "h_amount = 9.99", "h_data = 'short'"}},
    {"oorder",
     "o_w_id = 2 AND o_d_id = 3 AND o_id = 2100",
     "o_w_id=2 o_d_id=3 o_id=2100",
     {"o_entry_d = NULL", "o_carrier_id = 11", "o_carrier_id = NULL", "o_ol_cnt = 4",
      "o_ol_cnt = 16", "o_all_local = 0", "o_all_local = NULL"}},
    {"oorder",
     "o_w_id = 2 AND o_d_id = 3 AND o_id = 2101",
     "o_w_id=2 o_d_id=3 o_id=2101",
     {"o_carrier_id = 1"}},
    {"order_line",
     "ol_w_id = 2 AND ol_d_id = 3 AND ol_o_id = 2100 AND ol_number = 1",
     "ol_w_id=2 ol_d_id=3 ol_o_id=2100 ol_number=1",
     {"ol_i_id = 0", "ol_i_id = 100001", "ol_supply_w_id = 1", "ol_quantity = 4",
      "ol_delivery_d = NULL", "ol_delivery_d = '2001-01-01'", "ol_amount = 0.01",
      "ol_dist_info = 'short'"}},
    {"order_line",
     "ol_w_id = 2 AND ol_d_id = 3 AND ol_o_id = 2101 AND ol_number = 1",
     "ol_w_id=2 ol_d_id=3 ol_o_id=2101 ol_number=1",
     {"ol_delivery_d = now()", "ol_amount = 0.00", "ol_amount = NULL"}},
};

}  // namespace

std::vector<Corruption> corruptions_of_fresh_data() {
  std::vector<Corruption> all(std::begin(corruptions), std::end(corruptions));
  for (const auto& [table, where, key, assignments] : column_corruptions) {
    for (const std::string assignment : assignments) {
      const std::string column = assignment.substr(0, assignment.find(' '));
      all.push_back({std::string("UPDATE ") + table + " SET " + assignment + " WHERE " + where,
                     std::string(table) + ".columns", std::string(key) + " " + column});
    }
  }
  return all;
}

}  // namespace drover::tpcc::postgres
