// What a schema holds of TPC-C: the tables, keys, indexes and references that the server's
// catalogue names, and what is recorded of the import. Making the tables, empty and without keys, and
// unmaking them.
//
// drover_tpcc_loaded has one row for each warehouse that is loaded, written in the transaction that
// loaded it, and row 0 for item, which belongs to no warehouse.
//
// All of the DDL of a command is one transaction, where the dialect has such: it happens whole or not at all. Beside a load that
// goes on it may end in a deadlock, as there is no order in which all transactions lock the tables;
// then it is tried again, a few times, and a note says so.
//
// Thread safety: as the connection's. Errors: UnfitSchema, database::Error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/import/import.h"
#include "workload/tpcc/postgres/import/schema.h"

namespace drover::tpcc::postgres {

// The row of drover_tpcc.
struct Settings : ImportRecord {
  ForeignKeys foreign_keys = ForeignKeys::none;
};

struct Catalog : TablesPresent {
  std::vector<std::string> objects;          // keys, valid indexes, validated references, by name
  std::vector<std::string> unvalidated;      // references that are not validated yet
  std::vector<std::string> invalid_indexes;  // of relatives: that somebody has begun to make

  bool has(std::string_view object) const noexcept;
  bool is_unvalidated(std::string_view reference) const noexcept;
};

coro::Task<Catalog> read_catalog(database::postgres::Connection& connection, std::string schema);

// Nothing if drover_tpcc does not exist or is empty. Throws UnfitSchema if it was written by
// another version of the format.
coro::Task<std::optional<Settings>> read_settings(database::postgres::Connection& connection,
                                                  std::string schema);

// The rows of drover_tpcc_loaded in ascending order, 0 for item. Requires that the table exists.
coro::Task<std::vector<int32_t>> read_loaded(database::postgres::Connection& connection,
                                             std::string schema);

// How far a part of the population is in a table, where parts go in pieces.
struct Progress {
  std::int32_t part = 0;
  std::string table = {};
  std::int32_t next = 0;  // the first index of PopulationRows that is not loaded
  std::int64_t rows = 0;  // that are
};

// The progress of each part that is begun and not loaded; nothing where parts go whole.
coro::Task<std::vector<Progress>> read_progress(database::postgres::Connection& connection,
                                                std::string schema);

// How many partitions the tables have; 0: they are not partitioned, or no PostgreSQL's.
coro::Task<std::int32_t> count_partitions(database::postgres::Connection& connection,
                                          std::string schema);

// Checks, for a run, that publications can identify the rows that it changes. Throws UnfitSchema if
// a publication has a table without a replica identity, because the server would refuse each
// transaction.
coro::Task<void> require_replica_identity(database::postgres::Connection& connection,
                                          std::string schema);

// Throws UnfitSchema if row security is active for the role on tables of TPC-C, because policies
// may hide rows.
coro::Task<void> require_no_row_security(database::postgres::Connection& connection,
                                         std::string schema);

// What a run finds, whoever loaded it. Throws UnfitSchema if tables are missing or an import is not
// complete.
coro::Task<LoadedDatabase> inspect_loaded(database::postgres::Connection& connection,
                                          std::string schema);

struct InitialiseOptions {
  std::string schema = {};  // made if it does not exist; empty: as the search_path has it
  ForeignKeys foreign_keys = ForeignKeys::none;
  Layout layout = {};
  bool force = false;  // drop tables that are there
  NoteFunction on_note = {};
};

// What makes the tables that there are none of, in their order.
std::vector<std::string> statements_to_make(const InitialiseOptions& options);

// Makes the nine tables and Drover's own. Throws UnfitSchema if there are some and `force` was not
// given, or if one of them is no table of TPC-C. Returns the names of the tables that it dropped.
coro::Task<std::vector<std::string>> initialise(database::postgres::Connection& connection,
                                                InitialiseOptions options);

// Drops the nine tables and ours. Returns the names of those that there were. Throws UnfitSchema if
// one of them is no table of TPC-C; then it has dropped none.
coro::Task<std::vector<std::string>> clean(database::postgres::Connection& connection,
                                           std::string schema, NoteFunction on_note = {});

}  // namespace drover::tpcc::postgres
