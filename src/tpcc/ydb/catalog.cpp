#include "tpcc/ydb/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace drover::tpcc::ydb {

using coro::Task;
using database::ydb::QueryResult;
using database::ydb::ResultSetView;
using database::ydb::ValueView;

namespace {

constexpr int32_t settings_id = 1;
constexpr size_t settings_columns_always = 2;  // id and format_version
constexpr size_t settings_columns_written = 9;

std::string build_column(const Index& index) {
  return fmt::format("build_{}", index.name);
}

int32_t int32_of(const ResultSetView& set, std::string_view column) {
  const ValueView value = set.at(0, column);
  return value.is_null() ? 0 : static_cast<int32_t>(value.integer());
}

void read_population(const ResultSetView& set, Settings& settings) {
  if (set.at(0, "seed").is_null()) return;
  settings.population.emplace();
  settings.population->seed = set.at(0, "seed").natural();
  settings.population->load_time_us = set.at(0, "load_time_us").integer();
  settings.load_constants.c_last = int32_of(set, "c_last");
  settings.load_constants.c_id = int32_of(set, "c_id");
  settings.load_constants.ol_i_id = int32_of(set, "ol_i_id");
}

}  // namespace

Task<Catalog> read_catalog(DatabaseAccess& access) {
  const std::vector<std::string> names = co_await access.table_names();
  const auto has = [&names](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  Catalog catalog;
  for (size_t index = 0; index < all_tables.size(); ++index) {
    catalog.tables[index] = has(table_name(all_tables[index]));
  }
  catalog.settings_table = has(settings_table);
  catalog.loaded_table = has(loaded_table);
  co_return catalog;
}

Task<std::optional<Settings>> read_settings(DatabaseAccess& access, std::string folder) {
  std::string text = "SELECT ";
  for (const Column& column : settings_columns()) {
    text += fmt::format("{}{}", column.name == settings_columns().front().name ? "" : ", ",
                        column.name);
  }
  text += fmt::format(" FROM {} WHERE id = {}", settings_table, settings_id);
  const QueryResult result = co_await access.query(std::move(text));
  const ResultSetView set = result.set(0);
  if (set.rows() == 0) co_return std::nullopt;
  require_format(int32_of(set, "format_version"), folder);
  Settings settings;
  read_population(set, settings);
  settings.warehouses = int32_of(set, "warehouses");
  const ValueView complete = set.at(0, "complete");
  settings.complete = !complete.is_null() && complete.boolean();
  for (size_t index = 0; index < settings.builds.size(); ++index) {
    const ValueView build = set.at(0, build_column(secondary_indexes()[index]));
    if (!build.is_null()) settings.builds[index] = build.text();
  }
  co_return settings;
}

Task<std::vector<Part>> read_loaded(DatabaseAccess& access) {
  const QueryResult result = co_await access.query(
      fmt::format("SELECT w_id, stage FROM {} ORDER BY w_id, stage", loaded_table));
  const ResultSetView set = result.set(0);
  const size_t w_id = set.column("w_id");
  const size_t stage = set.column("stage");
  std::vector<Part> loaded;
  for (size_t row = 0; row < set.rows(); ++row) {
    loaded.push_back({.w_id = static_cast<int32_t>(set.at(row, w_id).integer()),
                      .stage = static_cast<Stage>(set.at(row, stage).integer())});
  }
  co_return loaded;
}

Task<void> write_settings(DatabaseAccess& access, Settings settings) {
  const bool begun = settings.population.has_value();
  BulkRows row(
      settings_columns().first(begun ? settings_columns_written : settings_columns_always));
  row.int32(settings_id);
  row.int32(format_version);
  if (begun) {
    row.uint64(settings.population->seed);
    row.int64(settings.population->load_time_us);
    row.int32(settings.load_constants.c_last);
    row.int32(settings.load_constants.c_id);
    row.int32(settings.load_constants.ol_i_id);
    row.int32(settings.warehouses);
    row.boolean(settings.complete);
  }
  row.end_row();
  return access.bulk_upsert(settings_table, std::move(row));
}

Task<void> write_build(DatabaseAccess& access, const Index& index, std::string operation) {
  const std::string column = build_column(index);
  const std::array<Column, 2> columns = {
      {settings_columns().front(), {column, database::ydb::Primitive::utf8}}};
  BulkRows row(columns);
  row.int32(settings_id);
  row.text(operation);
  row.end_row();
  co_await access.bulk_upsert(settings_table, std::move(row));
}

Task<void> write_loaded(DatabaseAccess& access, Part part, int64_t rows) {
  BulkRows row(loaded_columns());
  row.int32(part.w_id);
  row.int32(static_cast<int32_t>(part.stage));
  row.int64(rows);
  row.end_row();
  return access.bulk_upsert(loaded_table, std::move(row));
}

}  // namespace drover::tpcc::ydb
