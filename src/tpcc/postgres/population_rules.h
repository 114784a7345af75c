// The rules of clause 4.3.3.1 for a freshly loaded database: which rows there are, which values
// each column may take, how rows of different tables agree, and the shares and means of what is
// chosen at random. Together with the conditions of conditions.h, which hold then, too.
//
// A rule about columns covers all columns of its table, so that the table is read once; the
// offender's key names the column.
#pragma once

#include <vector>

#include "tpcc/postgres/condition.h"

namespace drover::tpcc::postgres {

std::vector<Condition> population_rules(Money money);

}  // namespace drover::tpcc::postgres
