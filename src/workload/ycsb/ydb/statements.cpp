#include "workload/ycsb/ydb/statements.h"

#include <fmt/format.h>

#include "workload/ycsb/clients/operations.h"
#include "workload/ycsb/values.h"

namespace drover::ycsb::ydb {
namespace {

using Field = Statements::Field;

std::string declared_values(std::size_t count) {
  std::string declared;
  for (std::size_t number = 0; number < count; ++number) {
    declared += fmt::format("DECLARE {} AS Utf8;\n", value_parameter(number));
  }
  return declared;
}

std::string columns_of(const Table& table, Field field) {
  return field ? table.field(*field) : table.all_fields();
}

std::string read_text(const Table& table, Field field) {
  return fmt::format("DECLARE $key AS Utf8;\nSELECT {} FROM {} WHERE {} = $key;",
                     columns_of(table, field), table.name(), key_column);
}

std::string scan_text(const Table& table, Field field) {
  return fmt::format(
      "DECLARE $key AS Utf8;\nDECLARE $rows AS Uint64;\n"
      "SELECT {0}, {1} FROM {2} WHERE {0} >= $key ORDER BY {0} LIMIT $rows;",
      key_column, columns_of(table, field), table.name());
}

// With a digit before it the version keeps its zeros. A value that has none is an error: CAST would make it NULL.
std::string counted_up(const std::string& field) {
  return fmt::format(
      "Unicode::Substring(CAST(Unwrap(CAST(\"1\"u || Unicode::Substring({}, 0, {}) AS Uint64)) + "
      "1ul AS Utf8), 1)",
      field, version_size);
}

std::string set_clause(const std::string& field, std::size_t value, ValueKind values) {
  if (values != ValueKind::counted) return fmt::format("{} = {}", field, value_parameter(value));
  return fmt::format("{} = {} || {}", field, counted_up(field), value_parameter(value));
}

std::string update_text(const Table& table, Field field, ValueKind values) {
  std::string set;
  if (field) {
    set = set_clause(table.field(*field), 0, values);
  } else {
    for (std::size_t number = 0; number < table.field_count(); ++number) {
      if (number > 0) set += ", ";
      set += set_clause(table.field(number), number, values);
    }
  }
  return fmt::format(
      "DECLARE $key AS Utf8;\n{0}SELECT {1} FROM {2} WHERE {1} = $key;\n"
      "UPDATE {2} SET {3} WHERE {1} = $key;",
      declared_values(field ? 1 : table.field_count()), key_column, table.name(), set);
}

std::string insert_text(const Table& table) {
  std::string values;
  for (std::size_t number = 0; number < table.field_count(); ++number) {
    values += ", " + value_parameter(number);
  }
  return fmt::format("DECLARE $key AS Utf8;\n{}INSERT INTO {} ({}, {}) VALUES ($key{});",
                     declared_values(table.field_count()), table.name(), key_column,
                     table.all_fields(), values);
}

// One for all fields, or one a field.
template <class MakeText>
std::vector<std::string> by_field(const std::string& pragma, bool all_fields, std::size_t fields,
                                  MakeText text) {
  if (all_fields) return {pragma + text(std::nullopt)};
  std::vector<std::string> made;
  for (std::uint32_t number = 0; number < fields; ++number) made.push_back(pragma + text(number));
  return made;
}

}  // namespace

std::string value_parameter(std::size_t number) {
  return fmt::format("$value{}", number);
}

std::string version_of(const std::string& field) {
  return fmt::format("CAST(Unicode::Substring({}, 0, {}) AS Uint64)", field, version_size);
}

Statements::Statements(const database::ydb::YdbDatabase& database, const Properties& properties,
                       ValueKind values) {
  const Table table(properties);
  const std::string pragma = folder_pragma(database);
  const Mix mix(properties);
  const auto wants = [&mix](OperationType type) { return mix.share(type) > 0; };
  const std::size_t fields = table.field_count();
  const bool reads_all = properties.read_all_fields;
  const bool modifies = wants(OperationType::read_modify_write);
  if (wants(OperationType::read) || modifies) {
    read_ = by_field(pragma, reads_all, fields, [&](Field one) { return read_text(table, one); });
  }
  if (wants(OperationType::scan)) {
    scan_ = by_field(pragma, reads_all, fields, [&](Field one) { return scan_text(table, one); });
  }
  if (wants(OperationType::update) || modifies) {
    update_ = by_field(pragma, properties.write_all_fields, fields,
                       [&](Field one) { return update_text(table, one, values); });
  }
  insert_ = pragma + insert_text(table);
}

}  // namespace drover::ycsb::ydb
