// The SQL that makes and unmakes the nine tables in PostgreSQL (clause 1.3).
//
// Tables are made without keys: an import is several times as fast when keys, indexes and
// references come after the rows. Everything that takes `schema` writes names qualified by it; an
// empty schema leaves the choice to the session's search_path.
//
// Thread safety: pure functions.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tpcc/schema.h"

namespace drover::tpcc::postgres {

// A name in double quotes, so that any name is taken as it is.
std::string quote_identifier(std::string_view name);

// "schema"."table", or "table" for an empty schema.
std::string qualified_name(std::string_view schema, std::string_view table);

// A key, an index or a reference: its name in the catalogue, so that one can see whether it is
// there already, and the statement that makes it.
struct SchemaObject {
  std::string name;
  Table table;
  std::string sql;
};

// CREATE TABLE with columns, NOT NULL and defaults, without keys.
std::string create_table(Table table, std::string_view schema);

// DROP TABLE IF EXISTS; in the order of drop_order() no CASCADE is needed.
std::string drop_table(Table table, std::string_view schema);

// Tables that refer to others stand before those.
std::array<Table, 9> drop_order();

// The primary keys of the eight tables that have one (history has none).
std::vector<SchemaObject> primary_keys(std::string_view schema);

// customer by last name, and oorder by customer.
std::vector<SchemaObject> secondary_indexes(std::string_view schema);

// The ten references of clause 1.3. They need the primary keys.
std::vector<SchemaObject> foreign_keys(std::string_view schema);

// COPY schema.table (all columns by name) FROM STDIN (FORMAT binary).
std::string copy_statement(Table table, std::string_view schema);

}  // namespace drover::tpcc::postgres
