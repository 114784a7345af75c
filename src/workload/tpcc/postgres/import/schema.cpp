#include <fmt/format.h>

#include <utility>

#include "database/postgres/dialect.h"
#include "text/plain_text.h"
#include "workload/tpcc/postgres/import/import.h"

namespace drover::tpcc::postgres {

using database::Dialect;
using database::postgres::DialectTraits;
using database::postgres::traits_of;

namespace {

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

std::string column_definition(const TableColumn& column, Dialect dialect) {
  const std::string_view otherwise = column.type == "timestamp" ? " DEFAULT CURRENT_TIMESTAMP" : "";
  return fmt::format("{} {}{}", column.name, type_in(dialect, column.type),
                     column.nullable ? "" : fmt::format(" NOT NULL{}", otherwise));
}

// TPC-C's history has no key. A dialect that wants one gets a column with a generated number, which
// is neither loaded nor read.
std::string_view history_number(Dialect dialect) {
  return dialect == Dialect::cockroach ? "h_id uuid NOT NULL DEFAULT gen_random_uuid()" : "";
}

struct Reference {
  Table table;
  std::string_view columns;
  Table to;  // its key is the target
};

// The references of clause 1.3.
constexpr Reference references[] = {
    {Table::District, "d_w_id", Table::Warehouse},
    {Table::Customer, "c_w_id, c_d_id", Table::District},
    {Table::History, "h_c_w_id, h_c_d_id, h_c_id", Table::Customer},
    {Table::History, "h_w_id, h_d_id", Table::District},
    {Table::NewOrder, "no_w_id, no_d_id, no_o_id", Table::Order},
    {Table::Order, "o_w_id, o_d_id, o_c_id", Table::Customer},
    {Table::OrderLine, "ol_w_id, ol_d_id, ol_o_id", Table::Order},
    {Table::OrderLine, "ol_supply_w_id, ol_i_id", Table::Stock},
    {Table::Stock, "s_w_id", Table::Warehouse},
    {Table::Stock, "s_i_id", Table::Item},
};

std::string joined(std::span<const std::string_view> columns) {
  return fmt::format("{}", fmt::join(columns, ", "));
}

// Returns the columns of a key or an index. YugabyteDB distributes rows by hash of the district,
// and rows of warehouse, item and stock by hash of the first column.
std::string columns_in(Dialect dialect, Table table, std::span<const std::string_view> columns,
                       bool newest_first = false) {
  if (dialect != Dialect::yugabyte) return joined(columns);
  const bool by_first = table == Table::Warehouse || table == Table::Item || table == Table::Stock;
  const size_t hashed = by_first ? 1 : 2;
  std::string text =
      fmt::format(fmt::runtime(by_first ? "{} HASH" : "({}) HASH"), joined(columns.first(hashed)));
  for (const std::string_view column : columns.subspan(hashed)) {
    text += fmt::format(", {} {}", column, newest_first && column == "o_id" ? "DESC" : "ASC");
  }
  return text;
}

// Returns the PRIMARY KEY clause of CREATE TABLE with a leading comma.
std::string key_of(Table table, Dialect dialect) {
  std::string columns;
  if (table != Table::History) columns = columns_in(dialect, table, key_columns(table));
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

SchemaObject primary_key(Table table, std::string_view schema) {
  std::string name = fmt::format("{}_pkey", table_name(table));
  std::string sql = fmt::format("ALTER TABLE {} ADD CONSTRAINT {} PRIMARY KEY ({})",
                                qualified_name(schema, table_name(table)), quote_identifier(name),
                                joined(key_columns(table)));
  return {SchemaObject::Kind::primary_key, std::move(name), table, std::move(sql)};
}

SchemaObject index_object(const SecondaryIndex& index, std::string_view schema, Dialect dialect) {
  const bool newest_first = index.table == Table::Order;
  return {SchemaObject::Kind::index, std::string(index.name), index.table,
          fmt::format("CREATE INDEX {} ON {} ({})", quote_identifier(index.name),
                      qualified_name(schema, table_name(index.table)),
                      columns_in(dialect, index.table, index.columns, newest_first))};
}

SchemaObject foreign_key(const Reference& reference, std::string_view schema) {
  const auto& [table, columns, to] = reference;
  std::string name = fmt::format("{}_{}_fkey", table_name(table), table_name(to));
  std::string sql =
      fmt::format("ALTER TABLE {} ADD CONSTRAINT {} FOREIGN KEY ({}) REFERENCES {} ({})",
                  qualified_name(schema, table_name(table)), quote_identifier(name), columns,
                  qualified_name(schema, table_name(to)), joined(key_columns(to)));
  return {SchemaObject::Kind::foreign_key, std::move(name), table, std::move(sql)};
}

}  // namespace

bool has_partitions(Dialect dialect) noexcept {
  return dialect == Dialect::postgres || dialect == Dialect::yugabyte || dialect == Dialect::citus;
}

std::string create_table(Table table, std::string_view schema, Layout layout) {
  std::string columns;
  for (const TableColumn& column : columns_of(table)) {
    columns += (columns.empty() ? "" : ",\n  ") + column_definition(column, layout.dialect);
  }
  const std::string_view number = table == Table::History ? history_number(layout.dialect) : "";
  if (!number.empty()) columns += fmt::format(",\n  {}", number);
  if (traits_of(layout.dialect).keys_with_table) columns += key_of(table, layout.dialect);
  return fmt::format("CREATE TABLE {} (\n  {}\n){}", qualified_name(schema, table_name(table)),
                     columns, parts_clause(table, layout));
}

std::string make_reference_table(std::string_view schema, std::string_view table) {
  return fmt::format("SELECT create_reference_table('{}')",
                     text::replaced(qualified_name(schema, table), "'", "''"));
}

namespace {

void add_table_statements(Table table, std::string_view schema, Layout layout,
                          std::vector<std::string>& statements) {
  statements.push_back(create_table(table, schema, layout));
  if (layout.dialect == Dialect::citus) statements.push_back(distribute(table, schema, layout));
  if (!is_partitioned(table, layout)) return;
  for (std::int32_t part = 0; part < layout.partitions; ++part) {
    statements.push_back(
        fmt::format("CREATE TABLE {} PARTITION OF {} FOR VALUES WITH (MODULUS {}, REMAINDER {})",
                    qualified_name(schema, fmt::format("{}_p{}", table_name(table), part)),
                    qualified_name(schema, table_name(table)), layout.partitions, part));
  }
}

void add_own_tables(const InitialiseOptions& options, std::vector<std::string>& statements) {
  const std::string& schema = options.schema;
  const Dialect dialect = options.layout.dialect;
  const DialectTraits& traits = traits_of(dialect);
  const std::string settings = qualified_name(schema, settings_table);
  const std::string_view integer = type_in(dialect, "int");
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
                  format_version, foreign_keys_name(options.foreign_keys)));
}

}  // namespace

std::vector<std::string> statements_to_make(const InitialiseOptions& options) {
  std::vector<std::string> statements;
  for (const Table table : all_tables) {
    add_table_statements(table, options.schema, options.layout, statements);
  }
  add_own_tables(options, statements);
  return statements;
}

std::vector<SchemaObject> schema_objects(std::string_view schema, Layout layout) {
  const DialectTraits& traits = traits_of(layout.dialect);
  std::vector<SchemaObject> objects;
  for (const Table table : all_tables) {
    const bool gets_key = !traits.keys_with_table && !key_columns(table).empty();
    if (gets_key) objects.push_back(primary_key(table, schema));
  }
  for (const SecondaryIndex& index : secondary_indexes) {
    objects.push_back(index_object(index, schema, layout.dialect));
  }
  if (!traits.foreign_keys) return objects;
  for (const Reference& reference : references) objects.push_back(foreign_key(reference, schema));
  return objects;
}

std::string copy_statement(Table table, std::string_view schema) {
  std::vector<std::string> columns;
  for (const std::string_view name : column_names(table)) columns.push_back(quote_identifier(name));
  return fmt::format("COPY {} ({}) FROM STDIN (FORMAT binary)",
                     qualified_name(schema, table_name(table)), fmt::join(columns, ", "));
}

}  // namespace drover::tpcc::postgres
