// TPC-C's tables in PostgreSQL and its relatives: making and dropping them, and the import of a
// population: plan, load, keys and indexes, statistics, references.
//
// The DDL of a command is one transaction where the dialect allows it. Beside a running load it may
// end in a deadlock, because transactions lock the tables in different orders; it is then tried
// again, with a note for the user.
//
// An import may be killed at any point, on either side: the same command continues it, with the
// same rows. A schema goes through these states:
//
//   initialised  by init
//   begun        drover_tpcc has seed, load time and number of warehouses
//   loaded       drover_tpcc_loaded lists all parts. A row is written in the transaction that loads
//                its part
//   complete     keys, indexes and references exist. More warehouses of the same seed may be added
//
// Two advisory locks on drover_tpcc keep imports apart. An import holds the first lock alone until
// it ends, and each of its sessions shares the second lock. The sessions of a killed client live on
// for a moment, with an index half built or a commit under way; an import that has the first lock
// and gets the second one alone knows that they have ended. The holder of the first lock beats once
// a second; sessions that hold the locks without a beat for long (a stopped process, a lost host)
// are ended. Where the dialect has no advisory locks, imports use the claim in drover_tpcc
// (import_record.h). Behind transaction pooling, a transaction that stays open holds the first
// lock, and each transaction of the import shares the second.
//
// Thread safety: that of the connection; an import runs on one worker, and the threads that make
// rows end before the import does. Errors: UnfitSchema and database::Error, whose message says how
// far an import came.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/postgres/access.h"
#include "database/postgres/connection.h"
#include "database/postgres/statement.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/import/import_record.h"

namespace drover::tpcc::postgres {

using database::postgres::qualified_name;
using database::postgres::quote_identifier;

// The SQL that creates the nine tables (clause 1.3). Tables are created without keys, because an
// import is several times as fast if keys, indexes and references follow the rows. Functions with a
// `schema` qualify names by it; an empty schema leaves the choice to the session's search_path.
// Relatives of PostgreSQL differ (database/postgres/dialect.h); docs/dialects/ has the complete
// statements of each.

struct Layout {
  database::Dialect dialect = database::Dialect::postgres;
  // The number of parts of each table with warehouses, by hash of the warehouse: partitions of
  // PostgreSQL, tablets of YugabyteDB, shards of Citus. 0: the server's default.
  std::int32_t partitions = 0;
};

// Returns true if the dialect has such parts.
bool has_partitions(database::Dialect dialect) noexcept;

// Returns CREATE TABLE with columns, NOT NULL and defaults, without keys unless the dialect
// declares them with the table.
std::string create_table(Table table, std::string_view schema, Layout layout = {});

// Returns the statement that gives each node of Citus a copy of the table.
std::string make_reference_table(std::string_view schema, std::string_view table);

// A key, an index or a reference: its name in the catalogue and the statement that creates it.
struct SchemaObject {
  enum class Kind { primary_key, index, foreign_key };

  Kind kind;
  std::string name;
  Table table;
  std::string sql;
};

// Returns all objects that are created after the rows, in an order that satisfies their
// dependencies.
std::vector<SchemaObject> schema_objects(std::string_view schema, Layout layout = {});

// Returns COPY schema.table (all columns by name) FROM STDIN (FORMAT binary).
std::string copy_statement(Table table, std::string_view schema);

struct Catalog : TablesPresent {
  std::vector<std::string> objects;          // names of keys, valid indexes, validated references
  std::vector<std::string> unvalidated;      // references that are not validated
  std::vector<std::string> invalid_indexes;  // left by an interrupted build, on relatives

  bool has(std::string_view object) const noexcept;
  bool is_unvalidated(std::string_view reference) const noexcept;
};

coro::Task<Catalog> read_catalog(database::postgres::Connection& connection, std::string schema);

// Returns the number of partitions of the tables; 0 if they are not partitioned or the server is
// not PostgreSQL.
coro::Task<std::int32_t> count_partitions(database::postgres::Connection& connection,
                                          std::string schema);

// Throws UnfitSchema if the tables are not fit for a run: one is missing, the import is incomplete,
// row security may hide rows from the role, or a publication has a table without a replica
// identity, so that the server would refuse each transaction.
coro::Task<LoadedDatabase> require_fit_for_run(database::postgres::Connection& connection,
                                               std::string schema);

struct InitialiseOptions {
  std::string schema = {};  // created if it does not exist; empty: the search path decides
  ForeignKeys foreign_keys = ForeignKeys::none;
  Layout layout = {};
  bool force = false;  // drop existing tables
  NoteFunction on_note = {};
};

// Returns the statements that create all tables, in their order.
std::vector<std::string> statements_to_make(const InitialiseOptions& options);

// Creates the nine tables, without keys, and Drover's own. Returns the names of the tables that it
// dropped. Throws UnfitSchema if tables exist and `force` is false, or if one is not a table of
// TPC-C.
coro::Task<std::vector<std::string>> initialise(database::postgres::Connection& connection,
                                                InitialiseOptions options);

// Drops the nine tables and Drover's own, and returns their names. Throws UnfitSchema, and drops
// nothing, if one is not a table of TPC-C.
coro::Task<std::vector<std::string>> clean(database::postgres::Connection& connection,
                                           std::string schema, NoteFunction on_note = {});

// The progress of one table of a part that is loaded in several transactions.
struct PieceProgress {
  std::int32_t part = 0;
  std::string table = {};
  std::int32_t next = 0;  // the first index of PopulationRows that is not loaded
  std::int64_t rows = 0;  // loaded
};

struct PostgresImportOptions : ImportSettings, database::postgres::Access {
  std::vector<PieceProgress> progress = {};  // when the import began
  ClaimTimes claim = {};
  // How long the sessions of a killed import may take to end by themselves.
  coro::Duration lock_wait_max = std::chrono::seconds(15);
  database::Pooling pooling = database::Pooling::none;  // set by the import
};

coro::Task<ImportOutcome> import_warehouses(PostgresImportOptions options,
                                            ImportObserver& observer);

// See Database::load_part().
coro::Task<ImportProgress> load_part(PostgresImportOptions options, ImportPart part,
                                     ImportObserver& observer);

// The stages of an import.

// Opens a session with settings that make an import faster and that any user may change; a server
// that lacks one goes on without it. Requires that drover_tpcc exists.
coro::Task<std::unique_ptr<database::postgres::Connection>> open_import_session(
    const PostgresImportOptions& options);

// Takes the first lock for the life of the session, or behind transaction pooling for the life of a
// transaction that stays open. Returns false if another import has it or its sessions have not
// ended. Not for a session of open_import_session().
coro::Task<bool> try_lock_import(database::postgres::Connection& connection, std::string schema);

// The statement that the holder of the first lock repeats while its import lives.
inline constexpr std::string_view import_beat =
    "SELECT 1 /* the import of drover with this session is alive */";

// Loads the missing parts (a warehouse, or item) by binary COPY over several connections, which
// take the parts in order. Threads of a pool make the rows; while one block of rows is sent, the
// next is made. A part is one transaction with its row in drover_tpcc_loaded. Where the dialect
// limits the rows of a transaction, a part is loaded in pieces, each with a record of the progress.
// Throws the first error after all connections have stopped.
coro::Task<void> load_parts(const PostgresImportOptions& options, const ImportPlan& plan,
                            ImportWork& work);

// Makes primary keys, secondary indexes, statistics and references that do not exist yet. The steps
// run on several connections, the longest first, and never two on one table, whose locks exclude
// each other. A warning that the server skips another role's table becomes a note of the work.
coro::Task<void> finish_import(const PostgresImportOptions& options, ForeignKeys references,
                               ImportObserver& observer, ImportWork& work);

}  // namespace drover::tpcc::postgres
