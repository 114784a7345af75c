#include "workload/tpcc/ydb/import/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "workload/tpcc/import/import.h"

namespace drover::tpcc::ydb {

using coro::Task;
using database::ydb::Primitive;
using database::ydb::QueryResult;
using database::ydb::ResultSetView;
using database::ydb::ValueView;

namespace {

constexpr int32_t settings_id = 1;
constexpr int32_t warehouses_expected = 10;  // unless init is told

std::string build_column(const Index& index) {
  return fmt::format("build_{}", index.name);
}

int32_t int32_of(const ResultSetView& set, std::string_view column) {
  const ValueView value = set.at(0, column);
  return value.is_null() ? 0 : value.int32();
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
  const QueryResult result = co_await access.query(
      fmt::format("SELECT * FROM {} WHERE id = {}", settings_table, settings_id));
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
  std::vector<Part> loaded;
  each_row(result.set(0), {"w_id", "stage"}, [&](auto w_id, auto stage) {
    loaded.push_back({.w_id = w_id.int32(), .stage = static_cast<Stage>(stage.integer())});
  });
  co_return loaded;
}

Task<void> write_build(DatabaseAccess& access, const Index& index, std::string operation) {
  const std::string column = build_column(index);
  const Column columns[] = {{"id", Primitive::int32}, {column, Primitive::utf8}};
  BulkRows row(columns);
  row.add(settings_id, operation).end_row();
  co_await access.bulk_upsert(settings_table, std::move(row));
}

Task<void> write_loaded(DatabaseAccess& access, Part part, int64_t rows) {
  BulkRows row(loaded_columns());
  row.add(part.w_id, static_cast<int32_t>(part.stage), rows).end_row();
  return access.bulk_upsert(loaded_table, std::move(row));
}

namespace {

// Warehouses are numbered from 1 without a gap; a hole ends the count.
Task<int32_t> count_warehouses(DatabaseAccess& access) {
  const QueryResult result = co_await access.query("SELECT w_id FROM warehouse ORDER BY w_id");
  int32_t warehouses = 0;
  each_row(result.set(0), {"w_id"}, [&](auto w_id) {
    if (w_id.integer() == warehouses + 1) ++warehouses;
  });
  co_return warehouses;
}

Task<LoadedDatabase> inspect(DatabaseAccess& access, const std::string& folder) {
  const Catalog catalog = co_await read_catalog(access);
  require_tables(catalog, folder);
  LoadedDatabase loaded;
  std::optional<Settings> settings;
  if (catalog.settings_table) settings = co_await read_settings(access, folder);
  if (settings && settings->population) {
    require_complete(*settings, folder);
    loaded.load_constants = settings->load_constants;
  }
  loaded.warehouses = co_await count_warehouses(access);
  require_any_warehouse(loaded.warehouses, folder);
  co_return loaded;
}

}  // namespace

Task<LoadedDatabase> inspect_loaded(YdbDatabase database) {
  LoadedDatabase loaded;
  const std::string folder = database.folder;
  auto body = [&](DatabaseAccess& access) -> Task<void> {
    loaded = co_await inspect(access, folder);
  };
  co_await DatabaseAccess::use(std::move(database), body);
  co_return loaded;
}

namespace {

// Throws UnfitSchema if another program's table has the name of one of TPC-C's, such as "customer".
Task<void> require_droppable(DatabaseAccess& access, const Catalog& catalog,
                             const std::string& folder) {
  for (std::size_t i = 0; i < all_tables.size(); ++i) {
    if (!catalog.tables[i]) continue;
    const Table table = all_tables[i];
    try {
      co_await access.query(fmt::format("SELECT {} FROM {} LIMIT 1;", column_names(table).front(),
                                        table_name(table)));
    } catch (const database::ydb::YdbError& error) {
      if (!is_of_text(error)) throw;
      refuse_foreign_table(table, folder);
    }
  }
}

Task<void> drop_tables(DatabaseAccess& access, const Catalog& catalog, const std::string& folder) {
  co_await require_droppable(access, catalog, folder);
  for (const std::string& name : catalog.names()) {
    co_await access.change_scheme(fmt::format("DROP TABLE IF EXISTS {};", name));
  }
}

Task<std::vector<std::string>> initialise_with(DatabaseAccess& access, const YdbDatabase& database,
                                               const InitialiseSettings& settings) {
  const std::string& folder = database.folder;
  const Catalog catalog = co_await read_catalog(access);
  if (catalog.table_count() > 0 && !settings.force) {
    throw UnfitSchema(
        fmt::format("the folder {} already has TPC-C tables ({}). Drop them with 'drover tpcc "
                    "clean{}', or replace them with 'drover tpcc init --force{}'",
                    folder_path(database), catalog.tables_that_exist(true), schema_argument(folder),
                    schema_argument(folder)));
  }
  co_await access.make_folder();
  co_await drop_tables(access, catalog, folder);
  for (const Table table : all_tables) {
    co_await access.change_scheme(
        create_table(table, settings.warehouses.value_or(warehouses_expected)));
  }
  for (const std::string& text : create_own_tables()) co_await access.change_scheme(text);
  const Column columns[] = {{"id", Primitive::int32}, {"format_version", Primitive::int32}};
  BulkRows row(columns);
  row.add(settings_id, format_version).end_row();
  co_await access.bulk_upsert(settings_table, std::move(row));
  co_return catalog.names();
}

}  // namespace

Task<std::vector<std::string>> initialise(YdbDatabase database, InitialiseSettings settings) {
  std::vector<std::string> dropped;
  auto body = [&](DatabaseAccess& access) -> Task<void> {
    dropped = co_await initialise_with(access, database, settings);
  };
  co_await DatabaseAccess::use(database, body);
  co_return dropped;
}

Task<std::vector<std::string>> clean(YdbDatabase database) {
  std::vector<std::string> dropped;
  const std::string folder = database.folder;
  auto body = [&](DatabaseAccess& access) -> Task<void> {
    const Catalog catalog = co_await read_catalog(access);
    co_await drop_tables(access, catalog, folder);
    dropped = catalog.names();
  };
  co_await DatabaseAccess::use(std::move(database), body);
  co_return dropped;
}

}  // namespace drover::tpcc::ydb
