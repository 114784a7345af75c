#include "tpcc/ydb/loaded.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "tpcc/unfit_schema.h"
#include "tpcc/ydb/catalog.h"
#include "tpcc/ydb/database_access.h"

namespace drover::tpcc::ydb {
namespace {

using coro::Task;
using database::ydb::QueryResult;
using database::ydb::ResultSetView;

// Warehouses are numbered from 1 without a gap; a hole ends the count.
Task<int32_t> count_warehouses(DatabaseAccess& access) {
  const QueryResult result = co_await access.query("SELECT w_id FROM warehouse ORDER BY w_id");
  const ResultSetView set = result.set(0);
  const size_t column = set.column("w_id");
  int32_t warehouses = 0;
  while (static_cast<size_t>(warehouses) < set.rows() &&
         set.at(static_cast<size_t>(warehouses), column).integer() == warehouses + 1) {
    ++warehouses;
  }
  co_return warehouses;
}

Task<void> require_complete(DatabaseAccess& access, const std::string& folder,
                            LoadedDatabase& loaded) {
  const std::optional<Settings> settings = co_await read_settings(access, folder);
  if (!settings || !settings->population) co_return;
  if (!settings->complete) {
    throw UnfitSchema(
        fmt::format("the import is not complete; go on with it: drover tpcc import{} -w {}",
                    schema_argument(folder), settings->warehouses));
  }
  loaded.load_constants = settings->load_constants;
}

Task<LoadedDatabase> inspect(DatabaseAccess& access, const std::string& folder) {
  const Catalog catalog = co_await read_catalog(access);
  if (catalog.table_count() < all_tables.size()) {
    throw UnfitSchema(fmt::format(
        "the database is not initialised: no table {}; see drover tpcc init{} and drover tpcc "
        "import{}",
        catalog.tables_that_exist(false), schema_argument(folder), schema_argument(folder)));
  }
  LoadedDatabase loaded;
  if (catalog.settings_table) co_await require_complete(access, folder, loaded);
  loaded.warehouses = co_await count_warehouses(access);
  if (loaded.warehouses == 0) {
    throw UnfitSchema(
        fmt::format("no warehouse is loaded; see drover tpcc import{}", schema_argument(folder)));
  }
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

}  // namespace drover::tpcc::ydb
