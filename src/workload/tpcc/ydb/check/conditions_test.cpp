// Small ways to spoil a valid database: one row deleted, added or changed, by as little as a cent.
// The condition named must find each, and name its key. That all of them hold of valid data is for
// YdbCheck.ReportsEveryCondition.
#include "workload/tpcc/ydb/check/check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workload/tpcc/check/catalogue.h"
#include "workload/tpcc/ydb/check/checked_database_test.h"

namespace drover::tpcc::ydb {
namespace {

struct Corruption {
  std::string table;
  std::string where;   // the rows that are changed, before and after
  std::string change;  // "SET …", "DELETE", or what is inserted: "(columns) VALUES …"
  std::string condition;
  std::string key;  // of the first offender, whole
  std::string expected;
  std::string found;
  int count = 1;  // of offenders
};

// Orders 5 and 2,101 are of the customers 36 and 2,708.
const Corruption corruptions[] = {
    {"warehouse", "w_id = 2", "SET w_ytd = w_ytd + 0.01", "1", "w_id=2",
     "w_ytd = sum(d_ytd) = 300000.00", "300000.01"},
    {"warehouse", "w_id = 2", "SET w_ytd = NULL", "1", "w_id=2", "w_ytd = sum(d_ytd) = 300000.00",
     "null, or no such warehouse"},
    {"district", "d_w_id = 1 AND d_id = 9", "SET d_ytd = NULL", "1", "w_id=1",
     "w_ytd = sum(d_ytd) = null, or no district", "300000.00"},
    {"warehouse", "w_id = 1", "DELETE", "1", "w_id=1", "w_ytd = sum(d_ytd) = 300000.00",
     "null, or no such warehouse"},
    {"district", "d_w_id = 2", "DELETE", "1", "w_id=2", "w_ytd = sum(d_ytd) = null, or no district",
     "300000.00"},

    {"district", "d_w_id = 2 AND d_id = 1", "SET d_next_o_id = 3002", "2", "w_id=2 d_id=1",
     "d_next_o_id - 1 = 3001", "max(o_id) = 3000, max(no_o_id) = 3000"},
    {"district", "d_w_id = 2 AND d_id = 10", "DELETE", "2", "w_id=2 d_id=10",
     "d_next_o_id - 1 = null, or no district", "max(o_id) = 3000, max(no_o_id) = 3000"},
    {"oorder", "o_w_id = 1 AND o_d_id = 4", "DELETE", "2", "w_id=1 d_id=4",
     "d_next_o_id - 1 = 3000", "max(o_id) = none, max(no_o_id) = 3000"},
    {"new_order", "no_w_id = 1 AND no_d_id = 5 AND no_o_id = 3000", "DELETE", "2", "w_id=1 d_id=5",
     "d_next_o_id - 1 = 3000", "max(o_id) = 3000, max(no_o_id) = 2999"},
    {"new_order", "no_w_id = 1 AND no_d_id = 11", "VALUES (1, 11, 1)", "2", "w_id=1 d_id=11",
     "d_next_o_id - 1 = null, or no district", "max(o_id) = none, max(no_o_id) = 1"},

    {"new_order", "no_w_id = 1 AND no_d_id = 5 AND no_o_id = 2500", "DELETE", "3", "w_id=1 d_id=5",
     "max(no_o_id) - min(no_o_id) + 1 = 900 rows", "899 rows"},
    {"new_order", "no_w_id = 2 AND no_d_id = 7 AND no_o_id = 1", "VALUES (2, 7, 1)", "3",
     "w_id=2 d_id=7", "max(no_o_id) - min(no_o_id) + 1 = 3000 rows", "901 rows"},

    {"order_line", "ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 3 AND ol_number = 4", "DELETE", "4",
     "w_id=1 d_id=2", "", ""},
    {"oorder", "o_w_id = 2 AND o_d_id = 3 AND o_id = 9", "SET o_ol_cnt = NULL", "4",
     "w_id=2 d_id=3", "sum(o_ol_cnt) = null, or no order", ""},

    {"oorder", "o_w_id = 2 AND o_d_id = 3 AND o_id = 2999", "SET o_carrier_id = 3", "5",
     "w_id=2 d_id=3 o_id=2999", "o_carrier_id null, as there is a row of new_order",
     "o_carrier_id = 3"},
    {"oorder", "o_w_id = 2 AND o_d_id = 3 AND o_id = 2100", "SET o_carrier_id = NULL", "5",
     "w_id=2 d_id=3 o_id=2100", "o_carrier_id set, as there is no row of new_order",
     "o_carrier_id = null"},
    {"new_order", "no_w_id = 1 AND no_d_id = 5 AND no_o_id = 3001", "VALUES (1, 5, 3001)", "5",
     "w_id=1 d_id=5 o_id=3001", "a row of oorder for the row of new_order",
     "no such order, o_carrier_id = null"},

    {"order_line", "ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 3 AND ol_number = 4", "DELETE", "6",
     "w_id=1 d_id=2 o_id=3", "", ""},
    {"order_line", "ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 3", "DELETE", "6",
     "w_id=1 d_id=2 o_id=3", "", "0 rows of order_line"},
    {"oorder", "o_w_id = 1 AND o_d_id = 2 AND o_id = 3", "DELETE", "6", "w_id=1 d_id=2 o_id=3",
     "no row of oorder for the lines, o_ol_cnt = null", ""},
    {"oorder", "o_w_id = 1 AND o_d_id = 2 AND o_id = 3", "SET o_ol_cnt = NULL", "6",
     "w_id=1 d_id=2 o_id=3", "o_ol_cnt = null", ""},

    {"order_line", "ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 2102 AND ol_number = 5",
     "SET ol_delivery_d = 1700000000000000", "7", "w_id=1 d_id=2 o_id=2102 ol_number=5",
     "ol_delivery_d null, as o_carrier_id = null", "ol_delivery_d = 2023-11-14 22:13:20"},
    {"order_line", "ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 44 AND ol_number = 1",
     "SET ol_delivery_d = NULL", "7", "w_id=1 d_id=2 o_id=44 ol_number=1", "",
     "ol_delivery_d = null"},
    {"order_line", "ol_w_id = 2 AND ol_d_id = 3 AND ol_o_id = 3001",
     "(ol_w_id, ol_d_id, ol_o_id, ol_number) VALUES (2, 3, 3001, 1)", "7",
     "w_id=2 d_id=3 o_id=3001 ol_number=1", "a row of oorder for the line, as o_carrier_id = null",
     ""},

    {"warehouse", "w_id = 1", "SET w_ytd = w_ytd - 0.01", "8", "w_id=1",
     "w_ytd = sum(h_amount) = 300000.00", "299999.99"},
    {"history", "h_c_w_id = 1 AND h_c_d_id = 2 AND h_c_id = 3", "SET h_amount = 10.01", "8",
     "w_id=1", "w_ytd = sum(h_amount) = 300000.01", "300000.00"},
    {"history", "h_c_w_id = 2", "DELETE", "8", "w_id=2",
     "w_ytd = sum(h_amount) = null, or no history", "300000.00"},

    {"district", "d_w_id = 1 AND d_id = 2", "SET d_ytd = d_ytd + 0.01", "9", "w_id=1 d_id=2",
     "d_ytd = sum(h_amount) = 30000.00", "30000.01"},
    {"history", "h_c_w_id = 2 AND h_c_d_id = 2 AND h_c_id = 3", "SET h_amount = NULL", "9",
     "w_id=2 d_id=2", "d_ytd = sum(h_amount) = null, or no history", "30000.00"},
    {"district", "d_w_id = 2 AND d_id = 10", "DELETE", "9", "w_id=2 d_id=10",
     "d_ytd = sum(h_amount) = 30000.00", "null, or no such district"},

    {"customer", "c_w_id = 2 AND c_d_id = 8 AND c_id = 7", "SET c_balance = c_balance + 0.01", "10",
     "w_id=2 d_id=8 c_id=7", "c_balance = delivered 0.00 - paid 10.00 = -10.00", "-9.99"},
    {"customer", "c_w_id = 2 AND c_d_id = 8 AND c_id = 7", "SET c_balance = NULL", "10",
     "w_id=2 d_id=8 c_id=7", "", "null"},
    {"customer", "c_w_id = 2 AND c_d_id = 8 AND c_id = 7", "DELETE", "10", "w_id=2 d_id=8 c_id=7",
     "", "no such customer: null"},
    {"history", "h_c_w_id = 1 AND h_c_d_id = 8 AND h_c_id = 2999", "DELETE", "10",
     "w_id=1 d_id=8 c_id=2999", "c_balance = delivered 0.00 - paid 0.00 = 0.00", ""},
    {"history", "h_c_w_id = 1 AND h_c_d_id = 8 AND h_c_id = 2999", "SET h_amount = NULL", "10",
     "w_id=1 d_id=8 c_id=2999", "c_balance = delivered 0.00 - paid 0.00 = null, as an amount is",
     ""},
    {"order_line", "ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 5 AND ol_number = 1",
     "SET ol_amount = 0.01", "10", "w_id=1 d_id=1 c_id=36",
     "c_balance = delivered 0.01 - paid 10.00 = -9.99", "-10.00"},
    {"order_line", "ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 5 AND ol_number = 1",
     "SET ol_amount = NULL", "10", "w_id=1 d_id=1 c_id=36", "", ""},
    {"oorder", "o_w_id = 1 AND o_d_id = 1 AND o_id = 2101", "SET o_c_id = 3001", "10",
     "w_id=1 d_id=1 c_id=3001", "", "no such customer: null"},
    {"oorder", "o_w_id = 1 AND o_d_id = 1 AND o_id = 2101", "SET o_c_id = NULL", "10",
     "w_id=1 d_id=1 c_id=null", "", ""},

    {"oorder", "o_w_id = 1 AND o_d_id = 6 AND o_id = 3001",
     "(o_w_id, o_d_id, o_id) VALUES (1, 6, 3001)", "11", "w_id=1 d_id=6",
     "count(oorder) - count(new_order) = 2100", "3001 - 900"},

    {"customer", "c_w_id = 2 AND c_d_id = 8 AND c_id = 7",
     "SET c_ytd_payment = c_ytd_payment - 0.001", "12", "w_id=2 d_id=8 c_id=7",
     "c_balance + c_ytd_payment = delivered 0.00", "-10.00 + 9.999 = -0.001"},
    {"customer", "c_w_id = 2 AND c_d_id = 8 AND c_id = 7", "SET c_ytd_payment = NULL", "12",
     "w_id=2 d_id=8 c_id=7", "", "-10.00 + null = null"},
    {"order_line", "ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 5 AND ol_number = 1",
     "SET ol_amount = 0.01", "12", "w_id=1 d_id=1 c_id=36", "", ""},

    {"stock", "s_w_id = 3", "(s_w_id, s_i_id) VALUES (3, 1)", "rows.outside", "stock.s_w_id",
     "1..2, the existing warehouses", "1 rows of 3..3"},
    {"history", "h_c_w_id = 1 AND h_c_d_id = 1 AND h_c_id = 1", "SET h_w_id = NULL", "rows.outside",
     "history.h_w_id", "", "1 rows of null..null"},
    {"item", "i_id = 100000", "DELETE", "item.rows", "item", "100000 rows, i_id 1..100000",
     "99999 rows, lowest 1, highest 99999"},
    {"warehouse", "w_id = 1", "DELETE", "warehouse.rows", "w_id=1", "1 row of warehouse", "none"},
    {"district", "d_w_id = 2 AND d_id = 11", "(d_w_id, d_id) VALUES (2, 11)", "district.rows",
     "w_id=2 d_id=11", "0 rows of district", "1"},
    {"customer", "c_w_id = 2 AND c_d_id = 8 AND c_id = 3000", "DELETE", "customer.rows",
     "w_id=2 d_id=8", "3000 rows of customer, c_id 1..3000", "2999 rows, lowest 1, highest 2999"},
    {"stock", "s_w_id = 2 AND s_i_id = 1", "DELETE", "stock.rows", "w_id=2",
     "100000 rows of stock, s_i_id 1..100000", "99999 rows, lowest 2, highest 100000"},
    {"oorder", "o_w_id = 1 AND o_d_id = 6 AND o_id = 77", "DELETE", "oorder.keys", "w_id=1 d_id=6",
     "3000 rows, o_id 1..3000, as d_next_o_id says", "2999 rows, lowest 1, highest 3000"},

    {"item", "i_id = 9", "SET i_price = 0.99", "item.values", "i_id=9 i_price", "1.00..100.00",
     "0.99"},
    {"warehouse", "w_id = 1", "SET w_name = NULL", "warehouse.values", "w_id=1 w_name", "not null",
     "null"},
    {"district", "d_w_id = 1 AND d_id = 2", "SET d_tax = 0.2001", "district.values",
     "d_w_id=1 d_id=2 d_tax", "0..0.2", "0.2001"},
    {"stock", "s_w_id = 1 AND s_i_id = 2", "SET s_quantity = 9", "stock.values",
     "s_w_id=1 s_i_id=2 s_quantity", "10..100", "9"},
    {"customer", "c_w_id = 1 AND c_d_id = 1 AND c_id = 1", "SET c_credit = 'XX', c_phone = NULL",
     "customer.values", "c_w_id=1 c_d_id=1 c_id=1 c_credit", "GC or BC", "XX", 2},
    {"history", "h_c_w_id = 1 AND h_c_d_id = 2 AND h_c_id = 3", "SET h_d_id = 11, h_c_nano_ts = 0",
     "history.values", "h_c_w_id=1 h_c_d_id=2 h_c_id=3 h_c_nano_ts=0 h_d_id",
     "an existing district", "11"},
    {"oorder", "o_w_id = 1 AND o_d_id = 1 AND o_id = 1", "SET o_carrier_id = 11", "oorder.values",
     "o_w_id=1 o_d_id=1 o_id=1 o_carrier_id", "null or 1..10", "11"},
    {"order_line", "ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 1 AND ol_number = 1",
     "SET ol_quantity = 6", "order_line.values",
     "ol_w_id=1 ol_d_id=1 ol_o_id=1 ol_number=1 ol_quantity", "1..10; 5 where ol_o_id <= 3000",
     "6"},

    {"order_line", "ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 1 AND ol_number = 2",
     "SET ol_supply_w_id = 2", "order.lines", "w_id=1 d_id=1 o_id=1 o_all_local",
     "0, as ol_supply_w_id says", "1"},
    {"order_line", "ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 1 AND ol_number = 1", "DELETE",
     "order.lines", "w_id=1 d_id=1 o_id=1 ol_number", "", ""},
    {"order_line", "ol_w_id = 2 AND ol_d_id = 1 AND ol_o_id = 3001",
     "(ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_quantity, ol_amount) "
     "SELECT 2, 1, 3001, 1, i_id, 5, 5 * i_price + 0.01 FROM item WHERE i_id = 9",
     "order_line.amount", "w_id=2 d_id=1 o_id=3001 ol_number=1", "", ""},
    {"order_line", "ol_w_id = 2 AND ol_d_id = 1 AND ol_o_id = 3001",
     "(ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_dist_info) "
     "VALUES (2, 1, 3001, 1, 9, 1, 'x')",
     "order_line.dist_info", "w_id=2 d_id=1 o_id=3001 ol_number=1",
     "s_dist of s_w_id=1 s_i_id=9: abcdefghijklmnopqrstuvwx", "x"},
    {"stock", "s_w_id = 1 AND s_i_id = 9", "SET s_ytd = 1", "stock.counters", "w_id=1 i_id=9",
     "s_ytd = 0, s_order_cnt = 0, s_remote_cnt = 0", "1, 0, 0"},
    {"order_line", "ol_w_id = 2 AND ol_d_id = 1 AND ol_o_id = 3001",
     "(ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity) "
     "VALUES (2, 1, 3001, 1, 9, 1, 5)",
     "stock.counters", "w_id=1 i_id=9", "s_ytd = 5, s_order_cnt = 1, s_remote_cnt = 1", "0, 0, 0"},
    {"customer", "c_w_id = 2 AND c_d_id = 8 AND c_id = 7", "SET c_ytd_payment = 10.01",
     "customer.payments", "w_id=2 d_id=8 c_id=7 c_ytd_payment", "sum(h_amount) = 10.00", "10.01"},
    {"history", "h_c_w_id = 1 AND h_c_d_id = 8 AND h_c_id = 2999", "DELETE", "customer.payments",
     "w_id=1 d_id=8 c_id=2999 c_payment_cnt", "0, the number of rows in history", "1", 3},
    {"customer", "c_w_id = 1 AND c_d_id = 1 AND c_id = 12",
     "SET c_credit = 'BC', c_payment_cnt = 2", "customer.data", "w_id=1 d_id=1 c_id=12",
     "c_id c_d_id c_w_id of a payment first, as c_credit = BC",
     "c_data = cccccccccccccccccccccccccccccccccccccccc..."},
    {"customer", "c_w_id = 1 AND c_d_id = 1 AND c_id = 12", "SET c_data = '12 1 1 1 1 5.00|x'",
     "customer.data", "w_id=1 d_id=1 c_id=12",
     "the text of the load, as no payment is written there", "c_data = 12 1 1 1 1 5.00|x..."},
    {"customer", "c_w_id = 1 AND c_d_id = 1 AND c_id = 12", "SET c_delivery_cnt = NULL",
     "customer.deliveries", "w_id=1 d_id=1 c_id=12",
     "c_delivery_cnt = 0, the orders delivered since the load", "null"},

    {"oorder", "o_w_id = 1 AND o_d_id = 4 AND o_id = 3000", "DELETE", "oorder.rows",
     "w_id=1 d_id=4", "3000 rows of oorder, o_id 1..3000", "2999 rows, lowest 1, highest 2999"},
    {"oorder", "o_w_id = 1 AND o_d_id = 4 AND o_id = 3000", "SET o_c_id = 8", "oorder.customers",
     "w_id=1 d_id=4", "3000 rows of oorder, o_c_id 1..3000",
     "3000 rows, 2999 different, lowest 2, highest 3000"},
    {"new_order", "no_w_id = 1 AND no_d_id = 5 AND no_o_id = 2101", "DELETE", "new_order.rows",
     "w_id=1 d_id=5", "900 rows of new_order, no_o_id 2101..3000",
     "899 rows, lowest 2102, highest 3000"},
    {"history", "h_c_w_id = 1 AND h_c_d_id = 8 AND h_c_id = 2999", "DELETE", "history.rows",
     "w_id=1 d_id=8", "3000 rows of history, h_c_id 1..3000", ""},
    {"item", "i_id = 9", "SET i_im_id = 10001", "item.columns", "i_id=9 i_im_id", "1..10000",
     "10001"},
    {"warehouse", "w_id = 1", "SET w_zip = '1234x1111'", "warehouse.columns", "w_id=1 w_zip",
     "4 digits and 11111", "1234x1111"},
    {"district", "d_w_id = 1 AND d_id = 2", "SET d_city = 'short'", "district.columns",
     "d_w_id=1 d_id=2 d_city", "10 to 20 characters", "short"},
    {"stock", "s_w_id = 1 AND s_i_id = 2", "SET s_dist_07 = 'x'", "stock.columns",
     "s_w_id=1 s_i_id=2 s_dist_07", "24 characters", "x"},
    {"customer", "c_w_id = 1 AND c_d_id = 1 AND c_id = 1", "SET c_last = 'BARBAROUGHT'",
     "customer.columns", "c_w_id=1 c_d_id=1 c_id=1 c_last", "", "BARBAROUGHT"},
    {"customer", "c_w_id = 1 AND c_d_id = 1 AND c_id = 2000", "SET c_last = 'OTHER'",
     "customer.columns", "c_w_id=1 c_d_id=1 c_id=2000 c_last", "", "OTHER"},
    {"history", "h_c_w_id = 1 AND h_c_d_id = 8 AND h_c_id = 2999",
     "SET h_amount = 10.01, h_c_nano_ts = 0", "history.columns",
     "h_c_w_id=1 h_c_d_id=8 h_c_id=2999 h_c_nano_ts=0 h_amount", "10.00", "10.01"},
    {"oorder", "o_w_id = 1 AND o_d_id = 1 AND o_id = 1", "SET o_all_local = 0", "oorder.columns",
     "o_w_id=1 o_d_id=1 o_id=1 o_all_local", "1", "0"},
    {"order_line", "ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 1 AND ol_number = 1",
     "SET ol_delivery_d = ol_delivery_d + 1000000", "order_line.columns",
     "ol_w_id=1 ol_d_id=1 ol_o_id=1 ol_number=1 ol_delivery_d", "", ""},

    {"item", "i_id <= 60000", "SET i_data = repeat('i', 30)", "item.original", "item",
     "about a tenth of 100000 rows with ORIGINAL", ""},
    {"stock", "s_w_id = 2 AND s_i_id <= 20000", "SET s_data = 'ORIGINAL'", "stock.original",
     "w_id=2", "about a tenth of 100000 rows with ORIGINAL", ""},
    {"customer", "c_w_id = 1 AND c_id <= 500", "SET c_credit = 'BC'", "customer.credit", "w_id=1",
     "about a tenth of 30000 rows with BC", ""},
    {"item", "i_id <= 60000", "SET i_im_id = 10000", "i_im_id.mean", "item",
     "avg(i_im_id) = 5000.5000 +- 6 standard deviations", ""},
    {"item", "i_id <= 60000", "SET i_price = 100", "i_price.mean", "item", "", ""},
    {"stock", "s_w_id = 2 AND s_i_id <= 20000", "SET s_quantity = 10", "s_quantity.mean", "w_id=2",
     "", ""},
    {"customer", "c_w_id = 1 AND c_id <= 500", "SET c_discount = 0.5", "c_discount.mean", "w_id=1",
     "", ""},
    {"oorder", "o_w_id = 1 AND o_d_id = 1", "SET o_carrier_id = 10", "o_carrier_id.mean", "w_id=1",
     "", ""},
    {"oorder", "o_w_id = 1 AND o_d_id = 1", "SET o_ol_cnt = 15", "o_ol_cnt.mean", "w_id=1", "", ""},
    {"order_line", "ol_w_id = 1 AND ol_d_id = 1", "SET ol_i_id = 1", "ol_i_id.mean", "w_id=1", "",
     ""},
    {"order_line", "ol_w_id = 1 AND ol_d_id = 1", "SET ol_amount = 9999.99", "ol_amount.mean",
     "w_id=1", "", ""},
};

const YqlCondition& yql_condition_named(std::string_view name) {
  static const std::vector<YqlCondition> all = conditions();
  for (const YqlCondition& condition : all)
    if (condition.rule.name == name) return condition;
  throw std::runtime_error(fmt::format("there is no condition {}", name));
}

std::string text_of(const Corruption& corruption) {
  return fmt::format("{} {} WHERE {}: condition {}", corruption.table, corruption.change,
                     corruption.where, corruption.condition);
}

// Spoils the rows as long as it lives.
class Spoilt {
 public:
  explicit Spoilt(const Corruption& corruption) : corruption_(corruption) {
    const auto& [table, where, change, condition, key, expected, found, count] = corruption;
    std::string statement = fmt::format("INSERT INTO {} {}", table, change);
    if (change == "DELETE") statement = fmt::format("DELETE FROM {} WHERE {}", table, where);
    if (change.starts_with("SET "))
      statement = fmt::format("UPDATE {} {} WHERE {}", table, change, where);
    CheckedYdbDatabase::instance().script(fmt::format(
        "CREATE TEMP TABLE kept AS SELECT * FROM {} WHERE {}; {}", table, where, statement));
  }

  ~Spoilt() {
    CheckedYdbDatabase::instance().script(fmt::format(
        "DELETE FROM {0} WHERE {1}; INSERT INTO {0} SELECT * FROM kept; DROP TABLE kept",
        corruption_.table, corruption_.where));
  }

  Spoilt(const Spoilt&) = delete;
  Spoilt& operator=(const Spoilt&) = delete;

 private:
  const Corruption& corruption_;
};

class YdbConditions : public testing::Test {
 protected:
  void SetUp() override {
    const std::string& reason = test::YdbTestServer::reason_to_skip();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};

void expect_found(const Corruption& corruption) {
  SCOPED_TRACE(text_of(corruption));
  const Spoilt spoilt(corruption);
  const PieceAnswer answer =
      CheckedYdbDatabase::instance().judge(yql_condition_named(corruption.condition), 1, 2);
  EXPECT_FALSE(answer.error) << *answer.error;
  EXPECT_EQ(answer.offenders, corruption.count);
  if (answer.first.empty()) {
    ADD_FAILURE() << "not found";
    return;
  }
  EXPECT_EQ(answer.first.front().key, corruption.key);
  if (!corruption.expected.empty()) {
    EXPECT_EQ(answer.first.front().expected, corruption.expected);
  }
  if (!corruption.found.empty()) {
    EXPECT_EQ(answer.first.front().found, corruption.found);
  }
}

TEST_F(YdbConditions, FindEachCorruptionAndItsKey) {
  for (const Corruption& corruption : corruptions) expect_found(corruption);
}

// A condition without a corruption might as well find nothing at all.
TEST(YdbConditionCatalogue, HasACorruptionForEachCondition) {
  std::set<std::string> tried;
  for (const Corruption& corruption : corruptions) tried.insert(corruption.condition);
  for (const YqlCondition& condition : conditions())
    EXPECT_TRUE(tried.contains(condition.rule.name)) << condition.rule.name;
}

// Each condition has a statement or a reason, in the order of the catalogue.
TEST(YdbConditionCatalogue, AnswersEveryCondition) {
  std::vector<std::string> answered;
  for (const YqlCondition& condition : conditions()) {
    answered.push_back(condition.rule.name);
    EXPECT_FALSE(condition.sql.empty()) << condition.rule.name;
    EXPECT_FALSE(condition.judgements.empty()) << condition.rule.name;
  }
  std::vector<std::string> due;
  for (const Condition& condition : catalogue()) due.push_back(condition.name);
  for (const auto& [rule, reason] : ruled_out()) {
    EXPECT_FALSE(reason.empty()) << rule.name;
    std::erase(due, rule.name);
  }
  EXPECT_EQ(answered, due);
}

}  // namespace
}  // namespace drover::tpcc::ydb
