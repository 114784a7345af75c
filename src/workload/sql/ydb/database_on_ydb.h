// Scripts in YQL on YDB.
#pragma once

#include <memory>
#include <string_view>

#include "database/ydb/database_access.h"
#include "database/ydb/value/value.h"
#include "workload/sql/database.h"

namespace drover::sql::ydb {

std::unique_ptr<Database> make_database(database::ydb::YdbDatabase database);

// Makes the backend of one worker, with a client and a fixed number of sessions of its own. A
// single statement is a transaction in one request, with a snapshot if it only reads. BEGIN, COMMIT
// and ROLLBACK are calls of the protocol. BEGIN itself sends nothing, because the first statement
// begins the transaction.
std::unique_ptr<database::Backend> make_backend(ScriptBackendSettings settings,
                                                database::ydb::YdbDatabase database);

// Returns the values of the variables for the declared parameters of a statement. Throws
// database::Error (statement) for unset variables and for values that the type does not allow.
database::ydb::Parameters bound_parameters(const SqlCommand& command, const Variables& variables);

// Parses "12.30", "-7" or ".5" for the declared type. Refuses more decimal places than the type has
// instead of rounding, because the value may be money. Throws database::Error (statement).
database::ydb::Decimal decimal_of(std::string_view text, const Declaration& declared);

}  // namespace drover::sql::ydb
