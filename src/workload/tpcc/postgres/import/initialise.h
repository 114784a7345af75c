// Making the schema of TPC-C, empty and without keys, and unmaking it.
//
// All of a command's DDL is one transaction: it happens whole or not at all. Beside a load that
// goes on it may end in a deadlock, as there is no order in which all transactions lock the tables;
// then it is tried again, a few times, and a note says so.
//
// Thread safety: as the connection's. Errors: UnfitSchema, database::Error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/postgres/import/catalog.h"

namespace drover::tpcc::postgres {

struct InitialiseOptions {
  std::string schema = {};  // made if it does not exist; empty: as the search_path has it
  ForeignKeys foreign_keys = ForeignKeys::none;
  bool force = false;  // drop tables that are there
  NoteFunction on_note = {};
};

// The nine tables and ours. Throws UnfitSchema if there are some and `force` was not given. Returns
// the names of the tables that it dropped.
coro::Task<std::vector<std::string>> initialise(database::postgres::Connection& connection,
                                                InitialiseOptions options);

// Drops the nine tables and ours; returns the names of those that there were.
coro::Task<std::vector<std::string>> clean(database::postgres::Connection& connection,
                                           std::string schema, NoteFunction on_note = {});

}  // namespace drover::tpcc::postgres
