// The SQL that creates the nine tables in PostgreSQL (clause 1.3).
//
// Tables are created without keys, because an import is several times as fast if keys, indexes and
// references follow the rows. Functions with a `schema` qualify names by it; an empty schema leaves
// the choice to the session's search_path.
//
// Relatives of PostgreSQL differ (database/postgres/dialect.h): keys with the table, other types,
// distributed tables. docs/dialects/ has the complete statements of each.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "database/postgres/statement.h"
#include "database/server.h"
#include "workload/tpcc/import/import.h"
#include "workload/tpcc/schema.h"

namespace drover::tpcc::postgres {

using database::postgres::qualified_name;
using database::postgres::quote_identifier;

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

// Returns create_table() and the statements that divide the table into parts.
std::vector<std::string> table_statements(Table table, std::string_view schema, Layout layout);

// Returns the statement that gives each node of Citus a copy of the table.
std::string make_reference_table(std::string_view schema, std::string_view table);

// Returns the statements that create Drover's own tables and the row of drover_tpcc.
std::vector<std::string> own_table_statements(std::string_view schema, ForeignKeys foreign_keys,
                                              database::Dialect dialect);

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

}  // namespace drover::tpcc::postgres
