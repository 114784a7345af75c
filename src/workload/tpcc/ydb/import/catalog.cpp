// Making and dropping the tables in YDB, and the beginning of an import.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "workload/tpcc/ydb/import/import.h"

namespace drover::tpcc::ydb {
namespace {

using coro::Task;
using database::AdminRows;
using database::ydb::Primitive;
using database::ydb::YdbError;

constexpr int32_t settings_id = 1;
constexpr int32_t warehouses_expected = 10;  // without --warehouses

Task<void> drop_tables(YdbAdminSession& session, TablesPresent present, std::string folder) {
  co_await require_droppable(session, present, std::move(folder));
  for (const std::string& name : present.names()) {
    co_await session.change_tables(fmt::format("DROP TABLE IF EXISTS {};", name));
  }
}

Task<std::vector<std::string>> initialise_with(DatabaseAccess& access, const YdbDatabase& database,
                                               const InitialiseSettings& settings) {
  YdbAdminSession session(access);
  const TablesPresent present = co_await read_tables(session);
  require_no_tables(present, settings.force, fmt::format("folder {}", folder_path(database)),
                    database.folder);
  co_await access.make_folder();
  co_await drop_tables(session, present, database.folder);
  for (const Table table : all_tables) {
    co_await session.change_tables(
        create_table(table, settings.warehouses.value_or(warehouses_expected)));
  }
  for (const std::string& text : create_own_tables()) co_await session.change_tables(text);
  const Column columns[] = {{"id", Primitive::int32}, {"format_version", Primitive::int32}};
  BulkRows row(columns);
  row.add(settings_id, format_version).end_row();
  co_await access.bulk_upsert(settings_table, std::move(row));
  co_return present.names();
}

Task<void> require_known_warehouses(AdminSession& session, const std::string& folder,
                                    int32_t warehouses) {
  const AdminRows found = co_await session.query(
      fmt::format("SELECT w_id FROM warehouse WHERE w_id > {} LIMIT 1", warehouses));
  if (found.size() == 0) co_return;
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
    YdbAdminSession session(access);
    const TablesPresent present = co_await read_tables(session);
    co_await drop_tables(session, present, folder);
    dropped = present.names();
  };
  co_await DatabaseAccess::use(std::move(database), body);
  co_return dropped;
}

Task<void> write_loaded(DatabaseAccess& access, LoadedPart part, int64_t rows) {
  BulkRows row(loaded_columns());
  row.add(part.w_id, static_cast<int32_t>(part.stage), rows).end_row();
  return access.bulk_upsert(loaded_table, std::move(row));
}

std::vector<LoadedPart> parts_to_load(const ImportPlan& plan,
                                      const std::vector<LoadedPart>& loaded) {
  std::vector<LoadedPart> parts;
  for (const LoadStage stage : {LoadStage::indexed, LoadStage::rest}) {
    for (const int32_t w_id : plan.missing) {
      const LoadedPart part{w_id, stage};
      if (w_id == item_part && stage == LoadStage::indexed) continue;
      if (!std::binary_search(loaded.begin(), loaded.end(), part)) parts.push_back(part);
    }
  }
  return parts;
}

std::span<const Table> tables_of(LoadedPart part) {
  static constexpr std::array indexed = {Table::Warehouse, Table::District, Table::Customer,
                                         Table::Order};
  static constexpr std::array rest = {Table::Stock, Table::OrderLine, Table::History,
                                      Table::NewOrder};
  static constexpr std::array item = {Table::Item};
  if (part.w_id == item_part) return item;
  return part.stage == LoadStage::indexed ? std::span<const Table>(indexed) : rest;
}

Task<bool> index_exists(DatabaseAccess& access, Index index) {
  bool refused = false;
  try {
    co_await access.query(fmt::format("SELECT {} FROM {} VIEW {} LIMIT 1", index.columns.front(),
                                      table_name(index.table), index.name));
  } catch (const YdbError& error) {
    if (is_temporary(error) || error.error_class() == database::ErrorClass::denied) throw;
    refused = true;
  }
  co_return !refused;
}

Task<PartsPlan> begin_import(DatabaseAccess& access, ImportClaim& claim, std::string folder,
                             ImportRequest request) {
  YdbAdminSession session(access);
  // A recorded population counts even if no part is recorded, because the tables may have rows.
  BegunImport begun = co_await plan_import(session, folder, request, true);
  if (begun.continues) {
    co_await require_known_warehouses(session, folder, begun.recorded_warehouses);
    const bool is_loaded = begun.was_complete && co_await all_indexes_exist(access);
    if (is_loaded) refuse_to_load_again(begun.record, folder);
  }
  co_await claim.write(begun.record);
  PartsPlan made{std::move(begun.plan), std::move(begun.record), {}};
  made.parts = parts_to_load(made.plan, begun.loaded);
  co_return made;
}

}  // namespace drover::tpcc::ydb
