#include "workload/tpcc/ydb/import/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "database/ydb/database_access.h"
#include "workload/tpcc/import/import.h"

namespace drover::tpcc::ydb {
namespace {

using coro::Task;
using database::ydb::QueryResult;
using database::ydb::YdbError;

Task<bool> has_rows(DatabaseAccess& access, std::string selection) {
  const QueryResult found = co_await access.query(std::move(selection));
  co_return found.set(0).rows() > 0;
}

// No import is recorded: then there must be nothing.
Task<void> require_empty_tables(DatabaseAccess& access, const std::string& folder) {
  for (const Table table : all_tables) {
    const bool found = co_await has_rows(
        access,
        fmt::format("SELECT {} FROM {} LIMIT 1", columns(table).front().name, table_name(table)));
    if (found) refuse_unrecorded_rows(table, folder);
  }
}

Task<void> require_known_warehouses(DatabaseAccess& access, const std::string& folder,
                                    int32_t warehouses) {
  const bool found = co_await has_rows(
      access, fmt::format("SELECT w_id FROM warehouse WHERE w_id > {} LIMIT 1", warehouses));
  if (!found) co_return;
  throw UnfitSchema(
      fmt::format("the table warehouse has warehouses above {}, which no import of drover has "
                  "recorded. To start over, {}",
                  warehouses, advice_to_make_anew(folder)));
}

Task<bool> all_indexes_exist(DatabaseAccess& access) {
  for (const Index& index : secondary_indexes()) {
    const bool exists = co_await index_exists(access, index);
    if (!exists) co_return false;
  }
  co_return true;
}

// Of which a stage is missing, and item, if it is.
std::vector<int32_t> missing_warehouses(int32_t warehouses, const std::vector<Part>& loaded) {
  const auto is_missing = [&loaded](Part part) {
    return !std::binary_search(loaded.begin(), loaded.end(), part);
  };
  std::vector<int32_t> missing;
  for (int32_t w_id = item_part; w_id <= warehouses; ++w_id) {
    if (is_missing({w_id, Stage::rest}) ||
        (w_id != item_part && is_missing({w_id, Stage::indexed}))) {
      missing.push_back(w_id);
    }
  }
  return missing;
}

}  // namespace

std::vector<Part> parts_to_load(const ImportPlan& plan, const std::vector<Part>& loaded) {
  std::vector<Part> parts;
  for (const Stage stage : {Stage::indexed, Stage::rest}) {
    for (const int32_t w_id : plan.missing) {
      const Part part{w_id, stage};
      if (w_id == item_part && stage == Stage::indexed) continue;
      if (!std::binary_search(loaded.begin(), loaded.end(), part)) parts.push_back(part);
    }
  }
  return parts;
}

std::span<const Table> tables_of(Part part) {
  static constexpr std::array indexed = {Table::Warehouse, Table::District, Table::Customer,
                                         Table::Order};
  static constexpr std::array rest = {Table::Stock, Table::OrderLine, Table::History,
                                      Table::NewOrder};
  static constexpr std::array item = {Table::Item};
  if (part.w_id == item_part) return item;
  return part.stage == Stage::indexed ? std::span<const Table>(indexed) : rest;
}

Task<bool> index_exists(DatabaseAccess& access, Index index) {
  bool refused = false;
  try {
    co_await access.query(fmt::format("SELECT {} FROM {} VIEW {} LIMIT 1", index.columns.front(),
                                      table_name(index.table), index.name));
  } catch (const YdbError& error) {
    if (may_pass(error) || error.error_class() == database::ErrorClass::denied) throw;
    refused = true;
  }
  co_return !refused;
}

Task<PartsPlan> begin_import(DatabaseAccess& access, YdbImportClaim& claim, std::string folder,
                             ImportRequest request) {
  const std::optional<Settings> settings = co_await read_settings(access, folder);
  if (!settings) {
    throw UnfitSchema(fmt::format("the table {} is empty. To start over, {}", settings_table,
                                  advice_to_make_anew(folder)));
  }
  const std::vector<Part> loaded = co_await read_loaded(access);
  PartsPlan made;
  made.plan.warehouses = request.warehouses;
  made.settings = *settings;
  made.plan.missing = missing_warehouses(request.warehouses, loaded);
  made.plan.skipped = made.plan.warehouses - made.plan.warehouses_missing();
  made.parts = parts_to_load(made.plan, loaded);
  if (!settings->population) {
    co_await require_empty_tables(access, folder);
    made.plan.population = request.fresh_population;
    if (request.seed) made.plan.population.seed = *request.seed;
  } else {
    require_same_request(request, *settings, folder);
    co_await require_known_warehouses(access, folder, settings->warehouses);
    made.plan.population = *settings->population;
    const bool all_there =
        settings->complete && made.parts.empty() && co_await all_indexes_exist(access);
    if (all_there) refuse_to_load_again(*settings, folder);
  }
  made.settings.population = made.plan.population;
  made.settings.load_constants = load_constants(made.plan.population.seed);
  made.settings.warehouses = request.warehouses;
  made.settings.complete = false;
  co_await claim.write(made.settings);
  co_return made;
}

}  // namespace drover::tpcc::ydb
