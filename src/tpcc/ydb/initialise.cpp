#include "tpcc/ydb/initialise.h"

#include <fmt/format.h>

#include <utility>

#include "tpcc/unfit_schema.h"
#include "tpcc/ydb/catalog.h"
#include "tpcc/ydb/clean.h"
#include "tpcc/ydb/schema.h"

namespace drover::tpcc::ydb {
namespace {

using coro::Task;

Task<std::vector<std::string>> initialise_with(DatabaseAccess& access,
                                               const InitialiseOptions& options) {
  const std::string& folder = options.database.folder;
  const Catalog catalog = co_await read_catalog(access);
  if (catalog.table_count() > 0 && !options.force) {
    throw UnfitSchema(
        fmt::format("the folder {} holds tables of TPC-C already ({}): drop them with 'drover tpcc "
                    "clean{}', or replace them with 'drover tpcc init --force{}'",
                    folder_path(options.database), catalog.tables_that_exist(true),
                    schema_argument(folder), schema_argument(folder)));
  }
  co_await access.make_folder();
  co_await drop_tables(access, catalog);
  for (const Table table : all_tables) {
    co_await access.change_scheme(create_table(table, options.warehouses) + ";");
  }
  co_await access.change_scheme(create_loaded_table() + ";");
  co_await access.change_scheme(create_settings_table() + ";");
  const Settings fresh;
  co_await write_settings(access, fresh);
  co_return catalog.names();
}

}  // namespace

Task<std::vector<std::string>> initialise(InitialiseOptions options) {
  std::vector<std::string> dropped;
  auto body = [&](DatabaseAccess& access) -> Task<void> {
    dropped = co_await initialise_with(access, options);
  };
  co_await DatabaseAccess::use(options.database, body);
  co_return dropped;
}

}  // namespace drover::tpcc::ydb
