// The SQL that makes and unmakes the nine tables in PostgreSQL (clause 1.3).
//
// Tables are made without keys: an import is several times as fast when keys, indexes and
// references come after the rows. Everything that takes `schema` writes names qualified by it; an
// empty schema leaves the choice to the session's search_path.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "database/postgres/identifier.h"
#include "workload/tpcc/schema.h"

namespace drover::tpcc::postgres {

using database::postgres::qualified_name;
using database::postgres::quote_identifier;

// CREATE TABLE with columns, NOT NULL and defaults, without keys.
std::string create_table(Table table, std::string_view schema);

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
std::vector<SchemaObject> schema_objects(std::string_view schema);

// COPY schema.table (all columns by name) FROM STDIN (FORMAT binary).
std::string copy_statement(Table table, std::string_view schema);

}  // namespace drover::tpcc::postgres
