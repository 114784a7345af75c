// The declared parameters of a statement with the values that a client's variables have. Pure function.
#pragma once

#include <string>
#include <string_view>

#include "database/ydb/value/value.h"
#include "workload/sql/script/script.h"

namespace drover::sql::ydb {

// Throws database::Error (statement) where a variable is not set, or has a value that its type has not.
database::ydb::Parameters bound_parameters(const SqlCommand& command, const Variables& variables);

// "12.30", "-7", ".5" as a Decimal of the declared type. Throws database::Error (statement).
database::ydb::Decimal decimal_of(std::string_view text, const Declaration& declared);

}  // namespace drover::sql::ydb
