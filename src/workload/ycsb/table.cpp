#include "workload/ycsb/table.h"

#include <fmt/format.h>

#include <utility>

namespace drover::ycsb {

Table::Table(std::string plain_table, std::string_view field_prefix, std::int64_t field_count,
             std::function<std::string(std::string_view)> quote)
    : plain_name(std::move(plain_table)), name(quote(plain_name)) {
  for (std::int64_t number = 0; number < field_count; ++number) {
    plain_fields.push_back(fmt::format("{}{}", field_prefix, number));
    fields.push_back(quote(plain_fields.back()));
    all_fields += (number == 0 ? "" : ", ") + fields.back();
  }
}

namespace {

std::string set_clause(const std::string& field, const std::string& value, ValueKind values,
                       const OperationTokens& tokens) {
  if (values != ValueKind::counted) return fmt::format("{} = {}", field, value);
  return fmt::format("{} = {} || {}", field, tokens.next_version(field), value);
}

// Returns one statement for all fields, or one for each field.
template <class MakeStatement>
std::vector<std::string> for_fields(bool all_fields, std::size_t count, MakeStatement make) {
  if (all_fields) return {make(std::nullopt)};
  std::vector<std::string> made;
  for (std::size_t field = 0; field < count; ++field) made.push_back(make(field));
  return made;
}

}  // namespace

OperationStatements make_statements(const Table& table, const Properties& properties,
                                    ValueKind values, const OperationTokens& tokens) {
  const Mix mix(properties);
  const auto wants = [&mix](OperationType type) { return mix.share(type) > 0; };
  const bool modifies = wants(OperationType::read_modify_write);
  const std::size_t count = table.fields.size();
  using Field = std::optional<std::size_t>;
  const auto columns = [&](Field field) { return field ? table.fields[*field] : table.all_fields; };
  OperationStatements made;
  if (wants(OperationType::read) || modifies) {
    made.read = for_fields(properties.read_all_fields, count, [&](Field field) {
      return fmt::format("SELECT {} FROM {} WHERE {} = {}", columns(field), table.name, key_column,
                         tokens.key);
    });
  }
  if (wants(OperationType::scan)) {
    made.scan = for_fields(properties.read_all_fields, count, [&](Field field) {
      return fmt::format("SELECT {0}, {1} FROM {2} WHERE {0} >= {3} ORDER BY {0} LIMIT {4}",
                         key_column, columns(field), table.name, tokens.key, tokens.rows);
    });
  }
  if (wants(OperationType::update) || modifies) {
    made.update = for_fields(properties.write_all_fields, count, [&](Field field) {
      std::string set;
      if (field) set = set_clause(table.fields[*field], tokens.one_value, values, tokens);
      for (std::size_t number = 0; !field && number < count; ++number) {
        if (number > 0) set += ", ";
        set += set_clause(table.fields[number], tokens.value(number), values, tokens);
      }
      return fmt::format("UPDATE {} SET {} WHERE {} = {}", table.name, set, key_column, tokens.key);
    });
  }
  std::string inserted;
  for (std::size_t number = 0; number < count; ++number) inserted += ", " + tokens.value(number);
  made.insert = fmt::format("INSERT INTO {} ({}, {}) VALUES ({}{})", table.name, key_column,
                            table.all_fields, tokens.key, inserted);
  return made;
}

}  // namespace drover::ycsb
