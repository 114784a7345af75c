#include "workload/tpcc/postgres/import/import.h"

#include <fmt/format.h>

#include <algorithm>

#include "workload/tpcc/import/import_record.h"
#include "workload/tpcc/postgres/import/schema.h"
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::postgres::Connection;
using database::postgres::Result;

bool all_objects_exist(const Catalog& catalog, const std::string& schema,
                       ForeignKeys foreign_keys) {
  return std::ranges::all_of(schema_objects(schema), [&](const SchemaObject& object) {
    const bool wanted =
        object.kind != SchemaObject::Kind::foreign_key || foreign_keys == ForeignKeys::after_load;
    return !wanted || catalog.has(object.name);
  });
}

// Nothing is recorded as loaded: then there must be nothing.
Task<void> require_empty_tables(Connection& connection, const std::string& schema) {
  for (const Table table : all_tables) {
    const Result found = co_await connection.query(
        fmt::format("SELECT 1 FROM {} LIMIT 1", qualified_name(schema, table_name(table))));
    if (found.rows() == 0) continue;
    refuse_unrecorded_rows(table, schema);
  }
}

Task<void> require_recorded_warehouses(Connection& connection, const std::string& schema) {
  const Result found = co_await connection.query(fmt::format(
      "SELECT w_id FROM {0} EXCEPT SELECT w_id FROM {1} ORDER BY w_id LIMIT 1",
      qualified_name(schema, table_name(Table::Warehouse)), qualified_name(schema, loaded_table)));
  if (found.rows() == 0) co_return;
  throw UnfitSchema(
      fmt::format("table warehouse holds warehouse {}, which no import of drover has recorded: {}",
                  found.text(0, 0), advice_to_make_anew(schema)));
}

Task<void> record_begin(Connection& connection, const std::string& schema, const ImportPlan& plan) {
  const NurandConstants constants = load_constants(plan.population.seed);
  std::string sql = fmt::format(
      "UPDATE {} SET seed = {}, load_time_us = {}, c_last = {}, c_id = {}, ol_i_id = {}, "
      "warehouses = {}, complete = false",
      qualified_name(schema, settings_table), plan.population.seed, plan.population.load_time_us,
      constants.c_last, constants.c_id, constants.ol_i_id, plan.warehouses);
  const Result written = co_await connection.script(std::move(sql));
  require_written(written, 1, settings_table);
}

std::vector<int32_t> missing_parts(const std::vector<int32_t>& loaded, int32_t warehouses) {
  std::vector<int32_t> missing;
  auto next = loaded.begin();
  for (int32_t part = item_part; part <= warehouses; ++part) {
    if (next != loaded.end() && *next == part) {
      ++next;
    } else {
      missing.push_back(part);
    }
  }
  return missing;
}

}  // namespace

Task<void> require_initialised(Connection& connection, std::string schema) {
  const Catalog catalog = co_await read_catalog(connection, schema);
  tpcc::require_initialised(catalog, schema);
}

Task<ImportPlan> begin_import(Connection& connection, std::string schema, ImportRequest request) {
  const Catalog catalog = co_await read_catalog(connection, schema);
  const std::optional<Settings> settings = co_await read_settings(connection, schema);
  if (!settings) {
    throw UnfitSchema(
        fmt::format("table {} has no row: {}", settings_table, advice_to_make_anew(schema)));
  }
  const std::vector<int32_t> loaded = co_await read_loaded(connection, schema);
  ImportPlan plan;
  plan.foreign_keys = settings->foreign_keys;
  plan.warehouses = request.warehouses;
  plan.missing = missing_parts(loaded, request.warehouses);
  plan.skipped = request.warehouses - plan.warehouses_missing();
  plan.has_keys = !catalog.objects.empty();
  if (loaded.empty() || !settings->population) {
    co_await require_empty_tables(connection, schema);
    plan.population = request.fresh_population;
    if (request.seed) plan.population.seed = *request.seed;
  } else {
    require_same_request(request, *settings, schema);
    co_await require_recorded_warehouses(connection, schema);
    plan.population = *settings->population;
    if (plan.missing.empty() && settings->complete &&
        all_objects_exist(catalog, schema, settings->foreign_keys)) {
      refuse_to_load_again(*settings, schema);
    }
  }
  co_await record_begin(connection, schema, plan);
  co_return plan;
}

Task<void> complete_import(Connection& connection, std::string schema) {
  std::string sql =
      fmt::format("UPDATE {} SET complete = true", qualified_name(schema, settings_table));
  const Result written = co_await connection.script(std::move(sql));
  require_written(written, 1, settings_table);
}

}  // namespace drover::tpcc::postgres
