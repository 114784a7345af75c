#include "workload/tpcc/ydb/import/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coro/event.h"
#include "coro/scope.h"
#include "coro/stealing_pool.h"
#include "coro/worker.h"
#include "database/ydb/database_access.h"

namespace drover::tpcc::ydb {
namespace {

using coro::Task;
using database::AdminRows;
using database::Error;
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
  for (const SecondaryIndex& index : secondary_indexes) {
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

Task<bool> index_exists(DatabaseAccess& access, SecondaryIndex index) {
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
  // A recorded import is continued even if none of its parts is recorded, because the tables may
  // have rows.
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

namespace {

struct Batch {
  size_t part;  // index in PartsPlan::parts
  Table table;
  int32_t number;
};

struct PartProgress {
  int32_t batches_left = 0;
  int64_t rows = 0;
};

int32_t batches_of(LoadedPart part) {
  int32_t batches = 0;
  for (const Table table : tables_of(part)) batches += batch_count(table);
  return batches;
}

// Loads the parts of a population by BulkUpsert, several calls at a time. Threads of a pool make
// the rows; they end before the object does.
//
// The calls take batches in the order of the parts, and a call goes on to the next part without
// waiting for others. A part is recorded in drover_tpcc_loaded when all of its batches are loaded.
// Sets `indexed_loaded` when all parts of LoadStage::indexed are loaded.
class Load {
 public:
  Load(DatabaseAccess& access, const ImportSettings& settings, const PartsPlan& plan,
       ImportWork& work, coro::Event& indexed_loaded)
      : access_(access),
        plan_(plan),
        work_(work),
        indexed_loaded_(indexed_loaded),
        pool_({.workers = std::max<size_t>(settings.threads, 1)}) {
    for (const LoadedPart& part : plan.parts) {
      parts_.push_back({.batches_left = batches_of(part), .rows = 0});
      for (const Table table : tables_of(part)) work.expect(table);
      ++parts_left_of_[part.w_id];
      if (part.stage == LoadStage::indexed) ++indexed_parts_left_;
    }
    if (indexed_parts_left_ == 0) indexed_loaded_.set();
  }

  // Throws the first error of a call after all calls have stopped.
  Task<void> run(size_t calls) {
    auto body = [&](coro::Scope& scope) -> Task<void> {
      for (size_t call = 0; call < calls; ++call) scope.start(run_call());
      co_return;
    };
    co_await coro::with_scope(body);
  }

 private:
  Task<void> run_call() {
    while (const std::optional<Batch> batch = next_batch()) co_await load_batch(*batch);
  }

  std::optional<Batch> next_batch() {
    if (part_ == plan_.parts.size()) return std::nullopt;
    const auto tables = tables_of(plan_.parts[part_]);
    const Batch batch{.part = part_, .table = tables[table_], .number = number_};
    if (++number_ == batch_count(batch.table)) {
      number_ = 0;
      if (++table_ == tables.size()) {
        table_ = 0;
        ++part_;
      }
    }
    return batch;
  }

  Task<void> load_batch(Batch batch) {
    const int32_t w_id = plan_.parts[batch.part].w_id;
    auto make = [&] { return make_batch(batch.table, w_id, batch.number, plan_.plan.population); };
    BulkRows rows = co_await pool_.run(make);
    const int64_t count = rows.rows();
    const int64_t bytes = rows.bytes();
    co_await access_.bulk_upsert(table_name(batch.table), std::move(rows));
    work_.count(batch.table, count, bytes);
    PartProgress& progress = parts_[batch.part];
    progress.rows += count;
    if (--progress.batches_left == 0) co_await note_loaded(batch.part);
  }

  Task<void> note_loaded(size_t place) {
    const LoadedPart part = plan_.parts[place];
    co_await write_loaded(access_, part, parts_[place].rows);
    if (--parts_left_of_[part.w_id] == 0 && part.w_id != item_part) work_.count_warehouse();
    if (part.stage == LoadStage::indexed && --indexed_parts_left_ == 0) indexed_loaded_.set();
  }

  DatabaseAccess& access_;
  const PartsPlan& plan_;
  ImportWork& work_;
  coro::Event& indexed_loaded_;
  coro::StealingPool pool_;

  // The batch that next_batch() returns next.
  size_t part_ = 0;
  size_t table_ = 0;  // index in tables_of(part)
  int32_t number_ = 0;

  std::vector<PartProgress> parts_;           // by index in the plan
  std::map<int32_t, int32_t> parts_left_of_;  // by w_id
  size_t indexed_parts_left_ = 0;
};

// One call of import_warehouses().
class Import {
 public:
  Import(YdbImportOptions options, ImportObserver& observer)
      : options_(std::move(options)),
        observer_(observer),
        work_(observer, options_.progress_interval) {}

  // Takes the claim of the folder and imports.
  Task<void> run(DatabaseAccess& access) {
    YdbAdminSession session(access);
    require_initialised(co_await read_tables(session), options_.database.folder);
    ImportClaim claim(session, options_.claim);
    co_await claim.hold(
        options_.database.folder, [this] { observer_.on_wait(); },
        [&] { return run_claimed(access, claim); });
  }

  const ImportWork& work() const noexcept { return work_; }
  const ImportOutcome& outcome() const noexcept { return outcome_; }

 private:
  Task<void> run_claimed(DatabaseAccess& access, ImportClaim& claim) {
    plan_ = co_await begin_import(access, claim, options_.database.folder, options_.request);
    work_.begin(plan_.plan);
    if (loads_indexed_tables()) co_await drop_indexes(access);

    work_.start();
    co_await load(access);
    ImportRecord complete = plan_.record;
    complete.complete = true;
    co_await claim.write(std::move(complete));
    outcome_ = work_.end();
  }

  // BulkUpsert refuses tables with an index, even one that is being built.
  Task<void> drop_indexes(DatabaseAccess& access) {
    for (size_t number = 0; number < secondary_indexes.size(); ++number) {
      const SecondaryIndex& index = secondary_indexes[number];
      std::string& build = plan_.record.index_builds[number];
      if (!build.empty()) {
        IndexBuild under_way{.index = index,
                             .operation = std::exchange(build, {}),
                             .poll_interval = options_.index_poll_interval};
        co_await build_index(access, std::move(under_way));
      }
      const bool exists = co_await index_exists(access, index);
      if (exists) co_await drop_index(access, index);
    }
  }

  Task<void> load(DatabaseAccess& access) {
    auto body = [&](coro::Scope& scope) -> Task<void> {
      for (size_t number = 0; number < secondary_indexes.size(); ++number) {
        scope.start(build(access, number));
      }
      if (plan_.parts.empty()) {
        indexed_loaded_.set();
      } else {
        co_await work_.load(options_.load_elsewhere ? load_by_others(access) : load_here(access));
      }
    };
    co_await coro::with_scope(body);
  }

  Task<void> load_here(DatabaseAccess& access) {
    Load rows(access, options_, plan_, work_, indexed_loaded_);
    co_await rows.run(options_.connections);
  }

  // Indexes are built after the whole load, because a part that has to be loaded again needs tables
  // without indexes.
  Task<void> load_by_others(DatabaseAccess& access) {
    co_await options_.load_elsewhere(plan_.plan, work_);
    YdbAdminSession session(access);
    const auto left = parts_to_load(plan_.plan, co_await read_loaded(session));
    require_none_left(left.size(), plan_.parts.size());
    indexed_loaded_.set();
  }

  Task<void> build(DatabaseAccess& access, size_t number) {
    co_await indexed_loaded_.wait();
    const SecondaryIndex& index = secondary_indexes[number];
    const std::string name = description(index);
    observer_.on_step(name, number + 1, secondary_indexes.size());
    const coro::Instant begun = coro::Worker::current().now();
    IndexBuild wanted{.index = index,
                      .operation = plan_.record.index_builds[number],
                      .poll_interval = options_.index_poll_interval};
    co_await build_index(access, std::move(wanted));
    observer_.on_step_done(name, coro::Worker::current().now() - begun);
  }

  bool loads_indexed_tables() const {
    return !plan_.parts.empty() && plan_.parts.front().stage == LoadStage::indexed;
  }

  YdbImportOptions options_;
  ImportObserver& observer_;
  ImportWork work_;
  ImportOutcome outcome_;
  PartsPlan plan_;
  coro::Event indexed_loaded_;
};

}  // namespace

Task<ImportOutcome> import_warehouses(YdbImportOptions options, ImportObserver& observer) {
  const YdbDatabase database = options.database;
  Import import(std::move(options), observer);
  auto body = [&import](DatabaseAccess& access) -> Task<void> { return import.run(access); };
  try {
    co_await DatabaseAccess::use(database, body);
  } catch (const Error& error) {
    throw import.work().explained(error);
  }
  co_return import.outcome();
}

Task<ImportProgress> load_part(YdbImportOptions options, ImportPart part,
                               ImportObserver& observer) {
  const YdbDatabase database = options.database;
  ImportWork work(observer, options.progress_interval);
  PartsPlan plan;
  plan.plan = plan_of(part);
  auto body = [&](DatabaseAccess& access) -> Task<void> {
    YdbAdminSession session(access);
    require_initialised(co_await read_tables(session), database.folder);
    plan.parts = parts_to_load(plan.plan, co_await read_loaded(session));
    work.begin(plan.plan);
    work.start();
    coro::Event indexed_loaded;
    Load rows(access, options, plan, work, indexed_loaded);
    co_await work.load(rows.run(options.connections));
  };
  try {
    co_await DatabaseAccess::use(database, body);
  } catch (const Error& error) {
    throw work.explained(error);
  }
  co_return work.progress();
}

}  // namespace drover::tpcc::ydb
