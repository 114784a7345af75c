// The catalogue of conditions that hold at any moment between transactions, in YQL: those of clause
// 3.3.2, and those that follow from other clauses; and what holds of freshly loaded data only.
//
// They say the same as those of PostgreSQL (tpcc/postgres/conditions.h), with the same names, but
// for what YDB's keys rule out (a row that is there twice) and what would want regular expressions.
// Where PostgreSQL names each missing row, the conditions *.rows name the district or warehouse
// that does not have its rows.
//
// What is compared comes from several tables by UNION ALL and GROUP BY in place of joins: rows that
// are missing on either side are found, and each table is read once. A NULL never compares as equal
// and never vanishes in a sum. All amounts are Decimals, to the last digit.
//
// Pure; any thread.
#pragma once

#include <vector>

#include "tpcc/ydb/check_statement.h"

namespace drover::tpcc::ydb {

// Conditions 1 to 10 and 12 of clause 3.3.2, in this order.
std::vector<YqlCondition> consistency_conditions();

// Condition 11, which holds on freshly loaded data only.
YqlCondition freshly_loaded_condition();

// What holds always, too (conditions_further.cpp).
std::vector<YqlCondition> further_conditions();

// The rules of clause 4.3.3.1 for a freshly loaded database (conditions_population.cpp).
std::vector<YqlCondition> population_rules();

}  // namespace drover::tpcc::ydb
