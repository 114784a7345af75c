// The catalogue of conditions that hold at any moment between transactions: those of clause 3.3.2,
// and a few that follow from other clauses and that the twelve do not cover.
//
// What the statements take care of: rows missing on either side of a comparison are found (outer
// joins, warehouses and districts counted off rather than read); a null never compares as equal
// and never vanishes in a sum; condition 7 is judged line by line.
#pragma once

#include <vector>

#include "tpcc/postgres/condition.h"

namespace drover::tpcc::postgres {

// Conditions 1 to 10 and 12 of clause 3.3.2, in this order.
std::vector<Condition> consistency_conditions(Money money);

// Condition 11, which holds on freshly loaded data only.
Condition freshly_loaded_condition(Money money);

// What holds always, too, though clause 3.3.2 does not say it (further_conditions.cpp): each row
// that must be there is there once and no other is (clauses 1.2.1 and 1.3), no column has a null or
// a value that neither the load nor a transaction writes, and what the transactions keep in two
// places agrees: order numbers, line numbers, amounts, stock counters, payments, deliveries.
std::vector<Condition> further_conditions(Money money);

}  // namespace drover::tpcc::postgres
