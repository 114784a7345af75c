// Which values the columns of the nine tables may have at any moment: those that neither the load
// nor a transaction writes are found. Pure; any thread.
#pragma once

#include <vector>

#include "tpcc/ydb/check_statement.h"

namespace drover::tpcc::ydb {

std::vector<YqlCondition> value_conditions();

}  // namespace drover::tpcc::ydb
