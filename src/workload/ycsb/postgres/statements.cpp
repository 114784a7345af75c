#include "workload/ycsb/postgres/statements.h"

#include <fmt/format.h>

#include "workload/ycsb/clients/operations.h"
#include "workload/ycsb/values.h"

namespace drover::ycsb::postgres {
namespace {

using Field = Statements::Field;

std::string columns_of(const Table& table, Field field) {
  return field ? table.field(*field) : table.all_fields();
}

std::string where_key(std::string_view comparison) {
  return fmt::format(" WHERE {} {} $1::text", key_column, comparison);
}

std::string read_sql(const Table& table, Field field) {
  return fmt::format("SELECT {} FROM {}{}", columns_of(table, field), table.name(), where_key("="));
}

std::string scan_sql(const Table& table, Field field) {
  return fmt::format("SELECT {0}, {1} FROM {2}{3} ORDER BY {0} LIMIT $2::int8", key_column,
                     columns_of(table, field), table.name(), where_key(">="));
}

std::string set_clause(const Table& table, std::size_t number, std::string_view value,
                       ValueKind values) {
  const std::string& field = table.field(number);
  if (values != ValueKind::counted) return fmt::format("{} = {}", field, value);
  return fmt::format("{0} = lpad((left({0}, {1})::int8 + 1)::text, {1}, '0') || {2}", field,
                     version_size, value);
}

std::string update_sql(const Table& table, Field field, ValueKind values) {
  std::string set;
  if (field) {
    set = set_clause(table, *field, "$2::text", values);
  } else {
    for (std::size_t number = 0; number < table.field_count(); ++number) {
      if (number > 0) set += ", ";
      set += set_clause(table, number, fmt::format("($2::text[])[{}]", number + 1), values);
    }
  }
  return fmt::format("UPDATE {} SET {}{}", table.name(), set, where_key("="));
}

std::string insert_sql(const Table& table) {
  std::string values;
  for (std::size_t number = 1; number <= table.field_count(); ++number) {
    values += fmt::format(", ($2::text[])[{}]", number);
  }
  return fmt::format("INSERT INTO {} ({}, {}) VALUES ($1::text{})", table.name(), key_column,
                     table.all_fields(), values);
}

}  // namespace

template <class MakeSql>
Statements::ByField Statements::by_field(const char* name, bool all_fields, std::size_t fields,
                                         MakeSql sql) {
  if (all_fields) return {.statements = {{name, sql(std::nullopt)}}};
  ByField made;
  for (std::uint32_t number = 0; number < fields; ++number) {
    names_.push_back(fmt::format("{}_{}", name, number));
    made.statements.push_back({names_.back().c_str(), sql(number)});
  }
  return made;
}

Statements::Statements(const Properties& properties, ValueKind values,
                       database::Isolation isolation) {
  const Table table(properties);
  const Mix mix(properties);
  const auto wants = [&mix](OperationType type) { return mix.share(type) > 0; };
  const std::size_t fields = table.field_count();
  const bool reads_all = properties.read_all_fields;
  if (wants(OperationType::read)) {
    read_ = by_field("read", reads_all, fields, [&](Field one) { return read_sql(table, one); });
  }
  if (wants(OperationType::scan)) {
    scan_ = by_field("scan", reads_all, fields, [&](Field one) { return scan_sql(table, one); });
  }
  if (wants(OperationType::read_modify_write)) {
    const bool locks = isolation == database::Isolation::read_committed;
    read_to_write_ = by_field("read_to_write", reads_all, fields, [&](Field one) {
      return read_sql(table, one) + (locks ? " FOR UPDATE" : "");
    });
  }
  if (wants(OperationType::update) || wants(OperationType::read_modify_write)) {
    update_ = by_field("update", properties.write_all_fields, fields,
                       [&](Field one) { return update_sql(table, one, values); });
  }
  insert_.sql = insert_sql(table);
}

std::vector<Statements::Statement> Statements::all() const {
  std::vector<Statement> all = {begin_, commit_, insert_};
  for (const ByField* set : {&read_, &scan_, &read_to_write_, &update_}) {
    all.insert(all.end(), set->statements.begin(), set->statements.end());
  }
  return all;
}

std::vector<std::string> session_settings(std::optional<database::Dialect> dialect) {
  std::vector<std::string> settings = {"SET enable_sort = off",
                                       "SET max_parallel_workers_per_gather = 0"};
  // By default Citus opens up to 16 connections to each worker for one scan, and keeps one of them.
  if (dialect == database::Dialect::citus) {
    settings.emplace_back("SET citus.max_adaptive_executor_pool_size = 1");
  }
  return settings;
}

}  // namespace drover::ycsb::postgres
