// The SQL that makes and unmakes the nine tables in PostgreSQL (clause 1.3).
//
// Tables are made without keys: an import is several times as fast when keys, indexes and
// references come after the rows. Everything that takes `schema` writes names qualified by it; an
// empty schema leaves the choice to the session's search_path.
//
// A relative of PostgreSQL may want it otherwise (database/postgres/dialect.h): keys with the table, other types, tables
// that are distributed. What each gets as a whole is in docs/dialects/.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "database/dialect.h"
#include "database/postgres/identifier.h"
#include "workload/tpcc/import/import.h"
#include "workload/tpcc/schema.h"

namespace drover::tpcc::postgres {

using database::postgres::qualified_name;
using database::postgres::quote_identifier;

struct Layout {
  database::Dialect dialect = database::Dialect::postgres;
  // In how many parts the tables of warehouses are cut, by hash of the warehouse: partitions of PostgreSQL, tablets of
  // YugabyteDB, shards of Citus; 0: as the server has it.
  std::int32_t partitions = 0;
};

// Whether the dialect has such parts.
bool has_partitions(database::Dialect dialect) noexcept;

// CREATE TABLE with columns, NOT NULL and defaults, without keys unless they go with the table.
std::string create_table(Table table, std::string_view schema, Layout layout = {});

// That, and the statements that cut it in parts.
std::vector<std::string> table_statements(Table table, std::string_view schema, Layout layout);

// Returns the statement that gives each node of Citus a copy of the table.
std::string make_reference_table(std::string_view schema, std::string_view table);

// The tables of drover's own, and the row of the first.
std::vector<std::string> own_table_statements(std::string_view schema, ForeignKeys foreign_keys,
                                              database::Dialect dialect);

// A key, an index or a reference: its name in the catalogue, so that one can see whether it is
// there already, and the statement that makes it.
struct SchemaObject {
  enum class Kind { primary_key, index, foreign_key };

  Kind kind;
  std::string name;
  Table table;
  std::string sql;
};

// All that is made after the rows, in an order in which it can be: references need the keys.
std::vector<SchemaObject> schema_objects(std::string_view schema, Layout layout = {});

// COPY schema.table (all columns by name) FROM STDIN (FORMAT binary).
std::string copy_statement(Table table, std::string_view schema);

}  // namespace drover::tpcc::postgres
