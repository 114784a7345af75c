#include "tpcc/ydb/loaded.h"

#include <optional>
#include <string>
#include <utility>

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

Task<void> read_constants(DatabaseAccess& access, const std::string& folder,
                          LoadedDatabase& loaded) {
  const std::optional<Settings> settings = co_await read_settings(access, folder);
  if (!settings || !settings->population) co_return;
  require_complete(*settings, folder);
  loaded.load_constants = settings->load_constants;
}

Task<LoadedDatabase> inspect(DatabaseAccess& access, const std::string& folder) {
  const Catalog catalog = co_await read_catalog(access);
  require_tables(catalog, folder);
  LoadedDatabase loaded;
  if (catalog.settings_table) co_await read_constants(access, folder, loaded);
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

}  // namespace drover::tpcc::ydb
