#include "workload/tpcc/postgres/import/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace drover::tpcc::postgres {

namespace {

// A type for each column, in the order of column_names(table), by Table. With a question mark it
// may be null.
constexpr std::array<std::string_view, all_tables.size()> column_types = {
    "int varchar(10) varchar(20) varchar(20) varchar(20) char(2) char(9) numeric(4,4) "
    "numeric(12,2)",
    "int int varchar(10) varchar(20) varchar(20) varchar(20) char(2) char(9) numeric(4,4) "
    "numeric(12,2) int",
    "int int int varchar(16) char(2) varchar(16) varchar(20) varchar(20) varchar(20) char(2) "
    "char(9) char(16) timestamp char(2) numeric(12,2) numeric(4,4) numeric(12,2) numeric(12,2) "
    "int int varchar(500)",
    "int int int int int timestamp numeric(6,2) varchar(24)",
    "int int int",
    "int int int int timestamp int? int int",
    "int int int int int int timestamp? int numeric(6,2) char(24)",
    "int int varchar(24) numeric(5,2) varchar(50)",
    "int int int char(24) char(24) char(24) char(24) char(24) char(24) char(24) char(24) char(24) "
    "char(24) bigint int int varchar(50)",
};

std::string column_definition(std::string_view name, std::string_view type) {
  if (type.ends_with('?')) return fmt::format("{} {}", name, type.substr(0, type.size() - 1));
  return fmt::format("{} {} NOT NULL{}", name, type,
                     type == "timestamp" ? " DEFAULT CURRENT_TIMESTAMP" : "");
}

// What stands behind the load of the rows.
struct Described {
  SchemaObject::Kind kind;
  Table table;
  std::string_view columns;
  std::string_view name = {};  // of an index
  // What a reference refers to.
  Table to = {};
  std::string_view key = {};
};

constexpr auto primary_key = SchemaObject::Kind::primary_key;
constexpr auto secondary_index = SchemaObject::Kind::index;
constexpr auto foreign_key = SchemaObject::Kind::foreign_key;

// History has no primary key. The references are those of clause 1.3.
constexpr Described described[] = {
    {primary_key, Table::Warehouse, "w_id"},
    {primary_key, Table::District, "d_w_id, d_id"},
    {primary_key, Table::Customer, "c_w_id, c_d_id, c_id"},
    {primary_key, Table::NewOrder, "no_w_id, no_d_id, no_o_id"},
    {primary_key, Table::Order, "o_w_id, o_d_id, o_id"},
    {primary_key, Table::OrderLine, "ol_w_id, ol_d_id, ol_o_id, ol_number"},
    {primary_key, Table::Item, "i_id"},
    {primary_key, Table::Stock, "s_w_id, s_i_id"},
    {secondary_index, Table::Customer, "c_w_id, c_d_id, c_last, c_first", "idx_customer_name"},
    {secondary_index, Table::Order, "o_w_id, o_d_id, o_c_id, o_id", "idx_order"},
    {foreign_key, Table::District, "d_w_id", "", Table::Warehouse, "w_id"},
    {foreign_key, Table::Customer, "c_w_id, c_d_id", "", Table::District, "d_w_id, d_id"},
    {foreign_key, Table::History, "h_c_w_id, h_c_d_id, h_c_id", "", Table::Customer,
     "c_w_id, c_d_id, c_id"},
    {foreign_key, Table::History, "h_w_id, h_d_id", "", Table::District, "d_w_id, d_id"},
    {foreign_key, Table::NewOrder, "no_w_id, no_d_id, no_o_id", "", Table::Order,
     "o_w_id, o_d_id, o_id"},
    {foreign_key, Table::Order, "o_w_id, o_d_id, o_c_id", "", Table::Customer,
     "c_w_id, c_d_id, c_id"},
    {foreign_key, Table::OrderLine, "ol_w_id, ol_d_id, ol_o_id", "", Table::Order,
     "o_w_id, o_d_id, o_id"},
    {foreign_key, Table::OrderLine, "ol_supply_w_id, ol_i_id", "", Table::Stock, "s_w_id, s_i_id"},
    {foreign_key, Table::Stock, "s_w_id", "", Table::Warehouse, "w_id"},
    {foreign_key, Table::Stock, "s_i_id", "", Table::Item, "i_id"},
};

SchemaObject made_of(const Described& one, std::string_view schema) {
  const std::string_view bare_table = table_name(one.table);
  const std::string table = qualified_name(schema, bare_table);
  SchemaObject object{
      .kind = one.kind, .name = std::string(one.name), .table = one.table, .sql = {}};
  if (one.kind == primary_key) {
    object.name = fmt::format("{}_pkey", bare_table);
    object.sql = fmt::format("ALTER TABLE {} ADD CONSTRAINT {} PRIMARY KEY ({})", table,
                             quote_identifier(object.name), one.columns);
  } else if (one.kind == secondary_index) {
    object.sql = fmt::format("CREATE INDEX {} ON {} ({})", quote_identifier(object.name), table,
                             one.columns);
  } else {
    object.name = fmt::format("{}_{}_fkey", bare_table, table_name(one.to));
    object.sql = fmt::format("ALTER TABLE {} ADD CONSTRAINT {} FOREIGN KEY ({}) REFERENCES {} ({})",
                             table, quote_identifier(object.name), one.columns,
                             qualified_name(schema, table_name(one.to)), one.key);
  }
  return object;
}

}  // namespace

std::string create_table(Table table, std::string_view schema) {
  std::string_view types = column_types[static_cast<size_t>(table)];
  std::string columns;
  for (const std::string_view name : column_names(table)) {
    assert(!types.empty());
    const std::string_view type = types.substr(0, types.find(' '));
    types.remove_prefix(std::min(type.size() + 1, types.size()));
    columns += (columns.empty() ? "" : ",\n  ") + column_definition(name, type);
  }
  assert(types.empty());
  return fmt::format("CREATE TABLE {} (\n  {}\n)", qualified_name(schema, table_name(table)),
                     columns);
}

std::vector<SchemaObject> schema_objects(std::string_view schema) {
  std::vector<SchemaObject> objects;
  for (const Described& one : described) objects.push_back(made_of(one, schema));
  return objects;
}

std::string copy_statement(Table table, std::string_view schema) {
  std::string columns;
  for (const std::string_view name : column_names(table)) {
    if (!columns.empty()) columns += ", ";
    columns += quote_identifier(name);
  }
  return fmt::format("COPY {} ({}) FROM STDIN (FORMAT binary)",
                     qualified_name(schema, table_name(table)), columns);
}

}  // namespace drover::tpcc::postgres
