#include "tpcc/postgres/schema.h"

#include <fmt/format.h>

#include <cassert>

namespace drover::tpcc::postgres {

namespace {

// One type for each column, in the order of column_names(table).
std::span<const std::string_view> column_types(Table table) {
  using std::string_view;
  static constexpr auto warehouse = std::to_array<string_view>(
      {"int NOT NULL", "varchar(10) NOT NULL", "varchar(20) NOT NULL", "varchar(20) NOT NULL",
       "varchar(20) NOT NULL", "char(2) NOT NULL", "char(9) NOT NULL", "numeric(4,4) NOT NULL",
       "numeric(12,2) NOT NULL"});
  static constexpr auto district = std::to_array<string_view>(
      {"int NOT NULL", "int NOT NULL", "varchar(10) NOT NULL", "varchar(20) NOT NULL",
       "varchar(20) NOT NULL", "varchar(20) NOT NULL", "char(2) NOT NULL", "char(9) NOT NULL",
       "numeric(4,4) NOT NULL", "numeric(12,2) NOT NULL", "int NOT NULL"});
  static constexpr auto customer =
      std::to_array<string_view>({"int NOT NULL",
                                  "int NOT NULL",
                                  "int NOT NULL",
                                  "varchar(16) NOT NULL",
                                  "char(2) NOT NULL",
                                  "varchar(16) NOT NULL",
                                  "varchar(20) NOT NULL",
                                  "varchar(20) NOT NULL",
                                  "varchar(20) NOT NULL",
                                  "char(2) NOT NULL",
                                  "char(9) NOT NULL",
                                  "char(16) NOT NULL",
                                  "timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP",
                                  "char(2) NOT NULL",
                                  "numeric(12,2) NOT NULL",
                                  "numeric(4,4) NOT NULL",
                                  "numeric(12,2) NOT NULL",
                                  "numeric(12,2) NOT NULL",
                                  "int NOT NULL",
                                  "int NOT NULL",
                                  "varchar(500) NOT NULL"});
  static constexpr auto history =
      std::to_array<string_view>({"int NOT NULL", "int NOT NULL", "int NOT NULL", "int NOT NULL",
                                  "int NOT NULL", "timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP",
                                  "numeric(6,2) NOT NULL", "varchar(24) NOT NULL"});
  static constexpr auto new_order =
      std::to_array<string_view>({"int NOT NULL", "int NOT NULL", "int NOT NULL"});
  static constexpr auto order = std::to_array<string_view>(
      {"int NOT NULL", "int NOT NULL", "int NOT NULL", "int NOT NULL",
       "timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP", "int", "int NOT NULL", "int NOT NULL"});
  static constexpr auto order_line = std::to_array<string_view>(
      {"int NOT NULL", "int NOT NULL", "int NOT NULL", "int NOT NULL", "int NOT NULL",
       "int NOT NULL", "timestamp", "int NOT NULL", "numeric(6,2) NOT NULL", "char(24) NOT NULL"});
  static constexpr auto item =
      std::to_array<string_view>({"int NOT NULL", "int NOT NULL", "varchar(24) NOT NULL",
                                  "numeric(5,2) NOT NULL", "varchar(50) NOT NULL"});
  static constexpr auto stock = std::to_array<string_view>(
      {"int NOT NULL", "int NOT NULL", "int NOT NULL", "char(24) NOT NULL", "char(24) NOT NULL",
       "char(24) NOT NULL", "char(24) NOT NULL", "char(24) NOT NULL", "char(24) NOT NULL",
       "char(24) NOT NULL", "char(24) NOT NULL", "char(24) NOT NULL", "char(24) NOT NULL",
       "bigint NOT NULL", "int NOT NULL", "int NOT NULL", "varchar(50) NOT NULL"});
  switch (table) {
    case Table::Warehouse:
      return warehouse;
    case Table::District:
      return district;
    case Table::Customer:
      return customer;
    case Table::History:
      return history;
    case Table::NewOrder:
      return new_order;
    case Table::Order:
      return order;
    case Table::OrderLine:
      return order_line;
    case Table::Item:
      return item;
    case Table::Stock:
      return stock;
  }
  assert(false);
  return {};
}

SchemaObject primary_key(Table table, std::string_view columns, std::string_view schema) {
  std::string name = fmt::format("{}_pkey", table_name(table));
  std::string sql =
      fmt::format("ALTER TABLE {} ADD CONSTRAINT {} PRIMARY KEY ({})",
                  qualified_name(schema, table_name(table)), quote_identifier(name), columns);
  return {std::move(name), table, std::move(sql)};
}

SchemaObject index(std::string_view name, Table table, std::string_view columns,
                   std::string_view schema) {
  return {std::string(name), table,
          fmt::format("CREATE INDEX {} ON {} ({})", quote_identifier(name),
                      qualified_name(schema, table_name(table)), columns)};
}

struct Reference {
  Table from;
  std::string_view columns;
  Table to;
  std::string_view key;
};

SchemaObject foreign_key(const Reference& reference, std::string_view schema) {
  std::string name =
      fmt::format("{}_{}_fkey", table_name(reference.from), table_name(reference.to));
  std::string sql = fmt::format(
      "ALTER TABLE {} ADD CONSTRAINT {} FOREIGN KEY ({}) REFERENCES {} ({})",
      qualified_name(schema, table_name(reference.from)), quote_identifier(name), reference.columns,
      qualified_name(schema, table_name(reference.to)), reference.key);
  return {std::move(name), reference.from, std::move(sql)};
}

}  // namespace

std::string quote_identifier(std::string_view name) {
  std::string quoted = "\"";
  for (const char letter : name) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

std::string qualified_name(std::string_view schema, std::string_view table) {
  if (schema.empty()) return quote_identifier(table);
  return fmt::format("{}.{}", quote_identifier(schema), quote_identifier(table));
}

std::string create_table(Table table, std::string_view schema) {
  const auto names = column_names(table);
  const auto types = column_types(table);
  assert(names.size() == types.size());
  std::string columns;
  for (size_t column = 0; column < names.size(); ++column) {
    if (column != 0) columns += ",\n  ";
    columns += fmt::format("{} {}", names[column], types[column]);
  }
  return fmt::format("CREATE TABLE {} (\n  {}\n)", qualified_name(schema, table_name(table)),
                     columns);
}

std::string drop_table(Table table, std::string_view schema) {
  return fmt::format("DROP TABLE IF EXISTS {}", qualified_name(schema, table_name(table)));
}

std::array<Table, 9> drop_order() {
  return {Table::History,  Table::NewOrder, Table::OrderLine, Table::Order,    Table::Customer,
          Table::District, Table::Stock,    Table::Item,      Table::Warehouse};
}

std::vector<SchemaObject> primary_keys(std::string_view schema) {
  return {
      primary_key(Table::Warehouse, "w_id", schema),
      primary_key(Table::District, "d_w_id, d_id", schema),
      primary_key(Table::Customer, "c_w_id, c_d_id, c_id", schema),
      primary_key(Table::NewOrder, "no_w_id, no_d_id, no_o_id", schema),
      primary_key(Table::Order, "o_w_id, o_d_id, o_id", schema),
      primary_key(Table::OrderLine, "ol_w_id, ol_d_id, ol_o_id, ol_number", schema),
      primary_key(Table::Item, "i_id", schema),
      primary_key(Table::Stock, "s_w_id, s_i_id", schema),
  };
}

std::vector<SchemaObject> secondary_indexes(std::string_view schema) {
  return {
      index("idx_customer_name", Table::Customer, "c_w_id, c_d_id, c_last, c_first", schema),
      index("idx_order", Table::Order, "o_w_id, o_d_id, o_c_id, o_id", schema),
  };
}

std::vector<SchemaObject> foreign_keys(std::string_view schema) {
  static constexpr std::array<Reference, 10> references = {{
      {Table::District, "d_w_id", Table::Warehouse, "w_id"},
      {Table::Customer, "c_w_id, c_d_id", Table::District, "d_w_id, d_id"},
      {Table::History, "h_c_w_id, h_c_d_id, h_c_id", Table::Customer, "c_w_id, c_d_id, c_id"},
      {Table::History, "h_w_id, h_d_id", Table::District, "d_w_id, d_id"},
      {Table::NewOrder, "no_w_id, no_d_id, no_o_id", Table::Order, "o_w_id, o_d_id, o_id"},
      {Table::Order, "o_w_id, o_d_id, o_c_id", Table::Customer, "c_w_id, c_d_id, c_id"},
      {Table::OrderLine, "ol_w_id, ol_d_id, ol_o_id", Table::Order, "o_w_id, o_d_id, o_id"},
      {Table::OrderLine, "ol_supply_w_id, ol_i_id", Table::Stock, "s_w_id, s_i_id"},
      {Table::Stock, "s_w_id", Table::Warehouse, "w_id"},
      {Table::Stock, "s_i_id", Table::Item, "i_id"},
  }};
  std::vector<SchemaObject> objects;
  for (const Reference& reference : references) objects.push_back(foreign_key(reference, schema));
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
