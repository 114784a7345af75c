// The values that each column of one row may take at any moment between transactions: what clause
// 1.3 and the population (4.3.3.1) say of columns that no transaction changes, and what the
// transactions (clauses 2.4 and 2.5) can make of the others. No column is null but o_carrier_id
// and ol_delivery_d, of which conditions 5 and 7 speak.
//
// Strings that no transaction compares are asked for no more than to be there: their lengths and
// alphabets are the business of population_rules.h. Bodies for offender_statement(). Pure
// functions.
#pragma once

#include <string>

namespace drover::tpcc::postgres {

std::string item_values();
std::string warehouse_values();
std::string district_values();
std::string stock_values();
std::string customer_values();
// By the warehouse of the customer; a piece costs a pass over the table.
std::string history_values();
std::string oorder_values();
std::string order_line_values();

}  // namespace drover::tpcc::postgres
