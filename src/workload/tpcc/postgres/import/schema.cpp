#include "workload/tpcc/postgres/import/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <ranges>
#include <utility>

#include "database/postgres/dialect.h"
#include "text/plain_text.h"

namespace drover::tpcc::postgres {

using database::Dialect;
using database::postgres::DialectTraits;
using database::postgres::traits_of;

namespace {

// The type of each column, in the order of column_names(table), by Table. A question mark allows
// null. Sums of money have 18 digits, which no run fills; the 12 digits of clause 1.3 last 67
// minutes at 1,000 Payments per second and warehouse.
constexpr std::array<std::string_view, all_tables.size()> column_types = {
    "int varchar(10) varchar(20) varchar(20) varchar(20) char(2) char(9) numeric(4,4) "
    "numeric(18,2)",
    "int int varchar(10) varchar(20) varchar(20) varchar(20) char(2) char(9) numeric(4,4) "
    "numeric(18,2) int",
    "int int int varchar(16) char(2) varchar(16) varchar(20) varchar(20) varchar(20) char(2) "
    "char(9) char(16) timestamp char(2) numeric(12,2) numeric(4,4) numeric(18,2) numeric(18,2) "
    "int int varchar(500)",
    "int int int int int timestamp numeric(6,2) varchar(24)",
    "int int int",
    "int int int int timestamp int? int int",
    "int int int int int int timestamp? int numeric(6,2) char(24)",
    "int int varchar(24) numeric(5,2) varchar(50)",
    "int int int char(24) char(24) char(24) char(24) char(24) char(24) char(24) char(24) char(24) "
    "char(24) bigint int int varchar(50)",
};

// Returns the column that names the warehouse of a row; empty if there is none. A part of the table
// holds complete warehouses; a payment belongs to the warehouse where it was made.
std::string_view warehouse_column(Table table) {
  if (table == Table::Item) return {};
  return table == Table::History ? "h_w_id" : column_names(table).front();
}

// Returns a type of PostgreSQL as the dialect writes it.
std::string_view type_in(Dialect dialect, std::string_view type) {
  // An int has eight bytes in CockroachDB, and COPY sends four.
  return dialect == Dialect::cockroach && type == "int" ? "int4" : type;
}

std::string column_definition(std::string_view name, std::string_view type, Dialect dialect) {
  const bool nullable = type.ends_with('?');
  if (nullable) type.remove_suffix(1);
  const std::string_view otherwise = type == "timestamp" ? " DEFAULT CURRENT_TIMESTAMP" : "";
  return fmt::format("{} {}{}", name, type_in(dialect, type),
                     nullable ? "" : fmt::format(" NOT NULL{}", otherwise));
}

// TPC-C's history has no key. A dialect that wants one gets a column with a generated number, which
// is neither loaded nor read.
std::string_view history_number(Dialect dialect) {
  return dialect == Dialect::cockroach ? "h_id uuid NOT NULL DEFAULT gen_random_uuid()" : "";
}

// An object that is created after the load.
struct Described {
  SchemaObject::Kind kind;
  Table table;
  std::string_view columns;
  std::string_view name = {};  // of an index
  // The target of a reference.
  Table to = {};
  std::string_view key = {};
};

constexpr auto primary_key = SchemaObject::Kind::primary_key;
constexpr auto secondary_index = SchemaObject::Kind::index;
constexpr auto foreign_key = SchemaObject::Kind::foreign_key;

// The index for the newest order of a customer.
constexpr std::string_view newest_order = "idx_order";

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
    {secondary_index, Table::Order, "o_w_id, o_d_id, o_c_id, o_id", newest_order},
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

// YugabyteDB distributes rows by hash of the district; rows of warehouse, item and stock by hash of
// the first column.
std::string sharded_columns(const Described& one) {
  const bool by_first =
      one.table == Table::Warehouse || one.table == Table::Item || one.table == Table::Stock;
  std::string text;
  int number = 0;
  for (const auto& part : std::views::split(one.columns, std::string_view(", "))) {
    const std::string_view column(part.begin(), part.end());
    ++number;
    if (by_first) {
      text += fmt::format("{}{} {}", number > 1 ? ", " : "", column, number == 1 ? "HASH" : "ASC");
    } else if (number <= 2) {
      text += number == 1 ? fmt::format("({}, ", column) : fmt::format("{}) HASH", column);
    } else {
      text += fmt::format(", {} {}", column,
                          column == "o_id" && one.name == newest_order ? "DESC" : "ASC");
    }
  }
  return text;
}

std::string columns_in(const Described& one, Dialect dialect) {
  return dialect == Dialect::yugabyte ? sharded_columns(one) : std::string(one.columns);
}

// Returns the PRIMARY KEY clause of CREATE TABLE with a leading comma.
std::string key_of(Table table, Dialect dialect) {
  std::string columns;
  for (const Described& one : described) {
    if (one.kind == primary_key && one.table == table) columns = columns_in(one, dialect);
  }
  if (table == Table::History && !history_number(dialect).empty()) columns = "h_w_id, h_id";
  if (columns.empty()) return {};
  return fmt::format(",\n  CONSTRAINT {} PRIMARY KEY ({})",
                     quote_identifier(fmt::format("{}_pkey", table_name(table))), columns);
}

bool is_partitioned(Table table, Layout layout) {
  return layout.dialect == Dialect::postgres && layout.partitions > 0 && table != Table::Item;
}

// Returns the clause after the columns.
std::string parts_clause(Table table, Layout layout) {
  if (is_partitioned(table, layout)) {
    return fmt::format(" PARTITION BY HASH ({})", warehouse_column(table));
  }
  if (layout.dialect == Dialect::yugabyte && layout.partitions > 0 && table != Table::Item) {
    return fmt::format(" SPLIT INTO {} TABLETS", layout.partitions);
  }
  return {};
}

// Tables with the same number of shards are colocated, warehouse by warehouse.
std::string distribute(Table table, std::string_view schema, Layout layout) {
  const auto quoted = [&schema](Table of) {
    return text::replaced(qualified_name(schema, table_name(of)), "'", "''");
  };
  if (table == Table::Item) return make_reference_table(schema, table_name(table));
  const std::string name = quoted(table);
  std::string how;
  if (table != Table::Warehouse) {
    how = fmt::format(", colocate_with => '{}'", quoted(Table::Warehouse));
  } else if (layout.partitions > 0) {
    how = fmt::format(", shard_count => {}", layout.partitions);
  }
  return fmt::format("SELECT create_distributed_table('{}', '{}'{})", name, warehouse_column(table),
                     how);
}

// The claim of an import on dialects without advisory locks (ImportClaim).
constexpr std::string_view claim_columns =
    "  import_owner text,\n"
    "  import_beat bigint NOT NULL DEFAULT 0,\n";

SchemaObject made_of(const Described& one, std::string_view schema, Layout layout) {
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
                             columns_in(one, layout.dialect));
  } else {
    object.name = fmt::format("{}_{}_fkey", bare_table, table_name(one.to));
    object.sql = fmt::format("ALTER TABLE {} ADD CONSTRAINT {} FOREIGN KEY ({}) REFERENCES {} ({})",
                             table, quote_identifier(object.name), one.columns,
                             qualified_name(schema, table_name(one.to)), one.key);
  }
  return object;
}

}  // namespace

bool has_partitions(Dialect dialect) noexcept {
  return dialect == Dialect::postgres || dialect == Dialect::yugabyte || dialect == Dialect::citus;
}

std::string create_table(Table table, std::string_view schema, Layout layout) {
  std::string_view types = column_types[static_cast<size_t>(table)];
  std::string columns;
  for (const std::string_view name : column_names(table)) {
    assert(!types.empty());
    const std::string_view type = types.substr(0, types.find(' '));
    types.remove_prefix(std::min(type.size() + 1, types.size()));
    columns += (columns.empty() ? "" : ",\n  ") + column_definition(name, type, layout.dialect);
  }
  assert(types.empty());
  const std::string_view number = table == Table::History ? history_number(layout.dialect) : "";
  if (!number.empty()) columns += fmt::format(",\n  {}", number);
  if (traits_of(layout.dialect).keys_with_table) columns += key_of(table, layout.dialect);
  return fmt::format("CREATE TABLE {} (\n  {}\n){}", qualified_name(schema, table_name(table)),
                     columns, parts_clause(table, layout));
}

std::vector<std::string> table_statements(Table table, std::string_view schema, Layout layout) {
  std::vector<std::string> statements = {create_table(table, schema, layout)};
  if (layout.dialect == Dialect::citus) statements.push_back(distribute(table, schema, layout));
  if (!is_partitioned(table, layout)) return statements;
  for (std::int32_t part = 0; part < layout.partitions; ++part) {
    statements.push_back(
        fmt::format("CREATE TABLE {} PARTITION OF {} FOR VALUES WITH (MODULUS {}, REMAINDER {})",
                    qualified_name(schema, fmt::format("{}_p{}", table_name(table), part)),
                    qualified_name(schema, table_name(table)), layout.partitions, part));
  }
  return statements;
}

std::string make_reference_table(std::string_view schema, std::string_view table) {
  return fmt::format("SELECT create_reference_table('{}')",
                     text::replaced(qualified_name(schema, table), "'", "''"));
}

std::vector<std::string> own_table_statements(std::string_view schema, ForeignKeys foreign_keys,
                                              Dialect dialect) {
  const DialectTraits& traits = traits_of(dialect);
  const std::string settings = qualified_name(schema, settings_table);
  const std::string_view integer = type_in(dialect, "int");
  std::vector<std::string> statements;
  statements.push_back(
      fmt::format("CREATE TABLE {0} (\n"
                  "  id {1} NOT NULL DEFAULT 1 PRIMARY KEY,\n"
                  "{2}"
                  "  format_version {1} NOT NULL,\n"
                  "  foreign_keys text NOT NULL,\n"
                  "  seed numeric(20),\n"
                  "  load_time_us bigint,\n"
                  "  c_last {1},\n"
                  "  c_id {1},\n"
                  "  ol_i_id {1},\n"
                  "  warehouses {1},\n"
                  "  complete boolean NOT NULL DEFAULT false\n"
                  ")",
                  settings, integer, traits.advisory_locks ? "" : claim_columns));
  statements.push_back(fmt::format("CREATE TABLE {} (w_id {} PRIMARY KEY, rows bigint NOT NULL)",
                                   qualified_name(schema, loaded_table), integer));
  if (traits.rows_a_transaction > 0) {
    statements.push_back(
        fmt::format("CREATE TABLE {0} (w_id {1}, table_name varchar(20), next {1} NOT NULL, "
                    "rows bigint NOT NULL, PRIMARY KEY (w_id, table_name))",
                    qualified_name(schema, progress_table), integer));
  }
  if (dialect == Dialect::citus) {
    for (const std::string_view ours : {settings_table, loaded_table}) {
      statements.push_back(make_reference_table(schema, ours));
    }
  }
  statements.push_back(
      fmt::format("INSERT INTO {} (format_version, foreign_keys) VALUES ({}, '{}')", settings,
                  format_version, foreign_keys_name(foreign_keys)));
  return statements;
}

std::vector<SchemaObject> schema_objects(std::string_view schema, Layout layout) {
  const DialectTraits& traits = traits_of(layout.dialect);
  std::vector<SchemaObject> objects;
  for (const Described& one : described) {
    if (one.kind == primary_key && traits.keys_with_table) continue;
    if (one.kind == foreign_key && !traits.foreign_keys) continue;
    objects.push_back(made_of(one, schema, layout));
  }
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
