#include "workload/tpcc/postgres/import/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "workload/tpcc/postgres/import/schema.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::postgres::Connection;
using database::postgres::Result;

// Whether there is a relation of each name.
Task<std::vector<bool>> relations_exist(Connection& connection,
                                        const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const Result found = co_await connection.query(
      "SELECT to_regclass(name) IS NOT NULL FROM unnest($1::text[]) WITH ORDINALITY "
      "AS wanted (name, place) ORDER BY place",
      views);
  std::vector<bool> exist;
  for (int row = 0; row < found.rows(); ++row) exist.push_back(found.text(row, 0) == "t");
  co_return exist;
}

Task<void> read_objects(Connection& connection, const std::vector<std::string>& tables,
                        Catalog& catalog) {
  const std::vector<std::string_view> views(tables.begin(), tables.end());
  const Result found = co_await connection.query(
      "WITH tables AS (SELECT to_regclass(name)::oid AS id FROM unnest($1::text[]) AS name) "
      "SELECT conname::text, convalidated FROM pg_constraint JOIN tables ON conrelid = id "
      "WHERE contype IN ('p', 'f') UNION "
      "SELECT relname::text, true FROM pg_index JOIN tables ON indrelid = id "
      "JOIN pg_class ON pg_class.oid = indexrelid WHERE indisvalid",
      views);
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
  require_format(row.number<int32_t>(0, 0), schema);
  Settings settings;
  settings.foreign_keys = foreign_keys_of(row.text(0, 1)).value_or(ForeignKeys::none);
  if (!row.is_null(0, 2)) {
    settings.population.emplace();
    settings.population->seed = row.number<uint64_t>(0, 2);
    settings.population->load_time_us = row.number<int64_t>(0, 3);
    settings.load_constants.c_last = row.number<int32_t>(0, 4);
    settings.load_constants.c_id = row.number<int32_t>(0, 5);
    settings.load_constants.ol_i_id = row.number<int32_t>(0, 6);
  }
  settings.warehouses = row.number<int32_t>(0, 7);
  settings.complete = row.text(0, 8) == "t";
  co_return settings;
}

Task<std::vector<int32_t>> read_loaded(Connection& connection, std::string schema) {
  const Result found = co_await connection.query(
      fmt::format("SELECT w_id FROM {} ORDER BY w_id", qualified_name(schema, loaded_table)));
  std::vector<int32_t> loaded;
  for (int row = 0; row < found.rows(); ++row) {
    loaded.push_back(found.number<int32_t>(row, 0));
  }
  co_return loaded;
}

Task<LoadedDatabase> inspect_loaded(Connection& connection, std::string schema) {
  const Catalog catalog = co_await read_catalog(connection, schema);
  require_tables(catalog, schema);
  LoadedDatabase loaded;
  const std::optional<Settings> settings = co_await read_settings(connection, schema);
  if (settings && settings->population) {
    require_complete(*settings, schema);
    loaded.load_constants = settings->load_constants;
  }
  // Warehouses are numbered from 1 without a gap; a hole ends the count.
  const Result counted = co_await connection.query(
      "SELECT coalesce(max(n), 0) FROM (SELECT w_id, row_number() OVER (ORDER BY w_id) AS n "
      "FROM warehouse) AS w WHERE w_id = n");
  loaded.warehouses = counted.number<std::int32_t>(0, 0);
  require_any_warehouse(loaded.warehouses, schema);
  co_return loaded;
}

}  // namespace drover::tpcc::postgres
