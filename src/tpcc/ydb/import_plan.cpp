#include "tpcc/ydb/import_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "tpcc/unfit_schema.h"
#include "tpcc/ydb/patience.h"

namespace drover::tpcc::ydb {
namespace {

using coro::Task;
using database::ydb::QueryResult;
using database::ydb::YdbError;

std::string anew(const std::string& folder) {
  return fmt::format("make the tables anew with 'drover tpcc init --force{}'",
                     schema_argument(folder));
}

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
    if (!found) continue;
    throw UnfitSchema(
        fmt::format("table {} holds rows that no import of drover has recorded; an import needs "
                    "empty tables: {}",
                    table_name(table), anew(folder)));
  }
}

Task<void> require_known_warehouses(DatabaseAccess& access, const std::string& folder,
                                    int32_t warehouses) {
  const bool found = co_await has_rows(
      access, fmt::format("SELECT w_id FROM warehouse WHERE w_id > {} LIMIT 1", warehouses));
  if (!found) co_return;
  throw UnfitSchema(fmt::format(
      "table warehouse holds warehouses beyond {}, which no import of drover has recorded: {}",
      warehouses, anew(folder)));
}

void require_same_request(const ImportRequest& request, const Settings& settings,
                          const std::string& folder) {
  if (request.seed && *request.seed != settings.population->seed) {
    throw UnfitSchema(fmt::format(
        "--seed {}: the warehouses that are loaded come from seed {}; go on without --seed, or {}",
        *request.seed, settings.population->seed, anew(folder)));
  }
  if (request.warehouses < settings.warehouses) {
    throw UnfitSchema(
        fmt::format("-w {}: an import of {} warehouses {} here; {}, or {}", request.warehouses,
                    settings.warehouses, settings.complete ? "was done" : "was begun",
                    settings.complete ? "clear them with 'drover tpcc clean'"
                                      : fmt::format("go on with -w {}", settings.warehouses),
                    anew(folder)));
  }
}

// `loaded` is sorted.
void find_missing(const std::vector<Part>& loaded, PartsPlan& made) {
  const auto is_missing = [&loaded](Part part) {
    return !std::binary_search(loaded.begin(), loaded.end(), part);
  };
  std::vector<Part> rest;
  const Part item{.w_id = item_part, .stage = Stage::rest};
  if (is_missing(item)) {
    rest.push_back(item);
    made.plan.missing.push_back(item_part);
  }
  for (int32_t w_id = 1; w_id <= made.plan.warehouses; ++w_id) {
    const Part first{.w_id = w_id, .stage = Stage::indexed};
    const Part second{.w_id = w_id, .stage = Stage::rest};
    const bool first_missing = is_missing(first);
    const bool second_missing = is_missing(second);
    if (first_missing) made.parts.push_back(first);
    if (second_missing) rest.push_back(second);
    if (first_missing || second_missing) made.plan.missing.push_back(w_id);
  }
  made.parts.insert(made.parts.end(), rest.begin(), rest.end());
  made.plan.skipped = made.plan.warehouses - made.plan.warehouses_missing();
}

Task<bool> all_indexes_exist(DatabaseAccess& access) {
  for (const Index& index : secondary_indexes()) {
    const bool exists = co_await index_exists(access, index);
    if (!exists) co_return false;
  }
  co_return true;
}

}  // namespace

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

Task<void> require_initialised(DatabaseAccess& access, std::string folder) {
  const Catalog catalog = co_await read_catalog(access);
  const bool ours = catalog.settings_table && catalog.loaded_table;
  if (ours && catalog.table_count() == all_tables.size()) co_return;
  if (!ours && catalog.table_count() > 0) {
    throw UnfitSchema(
        fmt::format("the tables that there are ({}) were not made by 'drover tpcc init', or not "
                    "all of them, and an import needs its records: {}",
                    catalog.tables_that_exist(true), anew(folder)));
  }
  if (ours && catalog.table_count() > 0) {
    throw UnfitSchema(
        fmt::format("tables are missing ({}): {}", catalog.tables_that_exist(false), anew(folder)));
  }
  throw UnfitSchema(
      fmt::format("not initialised: there are no tables of TPC-C here; run 'drover tpcc init{}'",
                  schema_argument(folder)));
}

Task<PartsPlan> begin_import(DatabaseAccess& access, ImportClaim& claim, std::string folder,
                             ImportRequest request) {
  const std::optional<Settings> settings = co_await read_settings(access, folder);
  if (!settings) {
    throw UnfitSchema(fmt::format("table {} has no row: {}", settings_table, anew(folder)));
  }
  const std::vector<Part> loaded = co_await read_loaded(access);
  PartsPlan made;
  made.plan.warehouses = request.warehouses;
  made.settings = *settings;
  find_missing(loaded, made);
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
    if (all_there) {
      throw UnfitSchema(fmt::format(
          "{} warehouses are loaded already, there is nothing to import: a larger -w adds "
          "warehouses, or {}",
          settings->warehouses, anew(folder)));
    }
  }
  made.settings.population = made.plan.population;
  made.settings.load_constants = load_constants(made.plan.population.seed);
  made.settings.warehouses = request.warehouses;
  made.settings.complete = false;
  co_await claim.write(made.settings);
  co_return made;
}

}  // namespace drover::tpcc::ydb
