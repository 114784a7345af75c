#include "tpcc/postgres/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "tpcc/postgres/schema.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::postgres::Connection;
using database::postgres::Result;

template <class Number>
Number number_of(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Whether there is a relation of each name.
Task<std::vector<bool>> relations_exist(Connection& connection,
                                        const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::span<const std::string_view> parameter(views);
  const Result found = co_await connection.query(
      "SELECT to_regclass(name) IS NOT NULL FROM unnest($1::text[]) WITH ORDINALITY "
      "AS wanted (name, place) ORDER BY place",
      parameter);
  std::vector<bool> exist;
  for (int row = 0; row < found.rows(); ++row) exist.push_back(found.text(row, 0) == "t");
  co_return exist;
}

Task<void> read_objects(Connection& connection, const std::vector<std::string>& tables,
                        Catalog& catalog) {
  const std::vector<std::string_view> views(tables.begin(), tables.end());
  const std::span<const std::string_view> parameter(views);
  const Result found = co_await connection.query(
      "WITH tables AS (SELECT to_regclass(name)::oid AS id FROM unnest($1::text[]) AS name) "
      "SELECT conname::text, convalidated FROM pg_constraint JOIN tables ON conrelid = id "
      "WHERE contype IN ('p', 'f') UNION "
      "SELECT relname::text, true FROM pg_index JOIN tables ON indrelid = id "
      "JOIN pg_class ON pg_class.oid = indexrelid WHERE indisvalid",
      parameter);
  for (int row = 0; row < found.rows(); ++row) {
    const bool valid = found.text(row, 1) == "t";
    (valid ? catalog.objects : catalog.unvalidated).emplace_back(found.text(row, 0));
  }
}

}  // namespace

bool Catalog::has(std::string_view object) const noexcept {
  return std::find(objects.begin(), objects.end(), object) != objects.end();
}

bool Catalog::is_unvalidated(std::string_view reference) const noexcept {
  return std::find(unvalidated.begin(), unvalidated.end(), reference) != unvalidated.end();
}

Task<Catalog> read_catalog(Connection& connection, std::string schema) {
  std::vector<std::string> names;
  for (const Table table : all_tables) names.push_back(qualified_name(schema, table_name(table)));
  std::vector<std::string> with_ours = names;
  with_ours.push_back(qualified_name(schema, settings_table));
  with_ours.push_back(qualified_name(schema, loaded_table));
  const std::vector<bool> exist = co_await relations_exist(connection, with_ours);
  Catalog catalog;
  for (size_t index = 0; index < names.size(); ++index) catalog.tables[index] = exist[index];
  catalog.settings_table = exist[names.size()];
  catalog.loaded_table = exist[names.size() + 1];
  co_await read_objects(connection, names, catalog);
  co_return catalog;
}

Task<std::optional<Settings>> read_settings(Connection& connection, std::string schema) {
  const std::string table = qualified_name(schema, settings_table);
  const std::vector<std::string> names(1, table);
  const std::vector<bool> exist = co_await relations_exist(connection, names);
  if (!exist.front()) co_return std::nullopt;
  const Result row = co_await connection.query(
      fmt::format("SELECT format_version, foreign_keys, seed, load_time_us, c_last, c_id, ol_i_id, "
                  "warehouses, complete FROM {}",
                  table));
  if (row.rows() == 0) co_return std::nullopt;
  require_format(number_of<int32_t>(row.text(0, 0)), schema);
  Settings settings;
  settings.foreign_keys = foreign_keys_of(row.text(0, 1)).value_or(ForeignKeys::none);
  if (!row.is_null(0, 2)) {
    settings.population.emplace();
    settings.population->seed = number_of<uint64_t>(row.text(0, 2));
    settings.population->load_time_us = number_of<int64_t>(row.text(0, 3));
    settings.load_constants.c_last = number_of<int32_t>(row.text(0, 4));
    settings.load_constants.c_id = number_of<int32_t>(row.text(0, 5));
    settings.load_constants.ol_i_id = number_of<int32_t>(row.text(0, 6));
  }
  settings.warehouses = number_of<int32_t>(row.text(0, 7));
  settings.complete = row.text(0, 8) == "t";
  co_return settings;
}

Task<std::vector<int32_t>> read_loaded(Connection& connection, std::string schema) {
  const Result found = co_await connection.query(
      fmt::format("SELECT w_id FROM {} ORDER BY w_id", qualified_name(schema, loaded_table)));
  std::vector<int32_t> loaded;
  for (int row = 0; row < found.rows(); ++row) {
    loaded.push_back(number_of<int32_t>(found.text(row, 0)));
  }
  co_return loaded;
}

}  // namespace drover::tpcc::postgres
