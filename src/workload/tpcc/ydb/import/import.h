// TPC-C's tables in YDB: making and dropping them, and the import of a population. The server
// builds the indexes while the tables without indexes are loaded.
//
// YDB changes its scheme one table at a time: an init that was killed leaves some tables, and is
// repeated with `force`.
//
// An import may be killed at any point, on either side: the same command continues it, with the
// same rows. One import at a time loads a folder (ImportClaim in import_record.h). A folder goes
// through these states:
//
//   initialised  by init
//   begun        drover_tpcc has seed, load time and number of warehouses
//   loaded       drover_tpcc_loaded lists all parts. BulkUpsert is not a transaction: a part
//                without a row there may have been loaded partly, and is loaded again
//   complete     the indexes exist. More warehouses of the same seed may be added
//
// Thread safety: that of DatabaseAccess; an import runs on one worker, and the threads that make
// rows end before the import does. Errors: UnfitSchema and database::Error, whose message says how
// far an import came.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/ydb/database_access.h"
#include "database/ydb/value/bulk_rows.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/import/import_record.h"
#include "workload/tpcc/import/population_rows.h"
#include "workload/tpcc/ydb/import/schema.h"

namespace drover::tpcc::ydb {

using database::ydb::BulkRows;
using database::ydb::DatabaseAccess;
using database::ydb::YdbAdminSession;
using database::ydb::YdbDatabase;

// Creates the nine tables, without secondary indexes, and Drover's own, in a folder that it creates
// if necessary. The tables get partitions for the expected number of warehouses; YDB splits
// partitions that grow beyond 2 GB. Returns the names of the tables that it dropped. Throws
// UnfitSchema if tables exist and `force` is false, or if one is not a table of TPC-C.
coro::Task<std::vector<std::string>> initialise(YdbDatabase database, InitialiseSettings settings);

// Drops the nine tables and Drover's own with their indexes, and returns their names. Folders and
// other tables stay.
coro::Task<std::vector<std::string>> clean(YdbDatabase database);

struct YdbImportOptions : ImportSettings {
  YdbDatabase database = {};
  coro::Duration index_poll_interval = std::chrono::seconds(1);
  ClaimTimes claim = {};
};

// The outcome's finish_time is the time from the last row to the last index.
coro::Task<ImportOutcome> import_warehouses(YdbImportOptions options, ImportObserver& observer);

// See Database::load_part().
coro::Task<ImportProgress> load_part(YdbImportOptions options, ImportPart part,
                                     ImportObserver& observer);

// The stages of an import.

// The parts that an import loads.
struct PartsPlan {
  ImportPlan plan;
  ImportRecord record;            // in the database
  std::vector<LoadedPart> parts;  // in the order of the load: LoadStage::indexed comes first
};

// Returns the stages of the plan's missing warehouses that are not in `loaded`, which is sorted.
std::vector<LoadedPart> parts_to_load(const ImportPlan& plan,
                                      const std::vector<LoadedPart>& loaded);

// Returns the tables of a part in the order of their load.
std::span<const Table> tables_of(LoadedPart part);

// Compares the request with the folder, and records the import as begun. Requires that init has
// been run and that the claim is taken. Throws UnfitSchema if everything is loaded, if the tables
// have rows that no import has recorded, or if the import has another seed or more warehouses.
coro::Task<PartsPlan> begin_import(DatabaseAccess& access, ImportClaim& claim, std::string folder,
                                   ImportRequest request);

// Takes the rows of PopulationRows.
class PopulationBulkRows : public BulkRows {
 public:
  static constexpr bool history_is_numbered = true;

  using BulkRows::BulkRows;

  template <class... Fields>
  PopulationBulkRows& add(const Fields&... fields) {
    (put(fields), ...);
    return *this;
  }

  template <class... Fields>
  void row(const Fields&... fields) {
    add(fields...).end_row();
  }

 private:
  using BulkRows::put;
  void put(Timestamp value) { put_timestamp(value.us); }
  void put(Cents money) { put(money_of_cents(money.count)); }
  void put(TenThousandths rate) { put(rate_of_ten_thousandths(rate.count)); }
  void put(const Address& address) {
    add(address.street_1, address.street_2, address.city, address.state, address.zip);
  }
  template <size_t size>
  void put(const std::array<char, size>& text) {
    put(std::string_view(text.data(), size));
  }
  template <size_t size, size_t count>
  void put(const std::array<std::array<char, size>, count>& texts) {
    for (const auto& text : texts) put(text);
  }
  template <class Field>
  void put(const std::optional<Field>& value) {
    value ? put(*value) : put_null();
  }
};

// Returns the number of batches of a warehouse's part of the table, or of all of Table::Item.
inline int32_t batch_count(Table table) {
  const bool small = table == Table::Warehouse || table == Table::District || table == Table::Item;
  return small ? 1 : districts_per_warehouse;
}

// Returns a batch: 10,000 rows of stock, 100,000 of item, all of warehouse and district, and those
// of a district of the other tables. Table::Item ignores `w_id`. Requires: batch <
// batch_count(table).
inline BulkRows make_batch(Table table, int32_t w_id, int32_t batch, const PopulationSeed& seed) {
  PopulationBulkRows rows(columns(table));
  PopulationRows population(table, w_id, seed);
  const int32_t size = PopulationRows::size(table) / batch_count(table);
  for (int32_t index = batch * size; index < (batch + 1) * size; ++index) {
    population.write(rows, index);
  }
  return BulkRows(std::move(rows));
}

// Records a part as loaded.
coro::Task<void> write_loaded(DatabaseAccess& access, LoadedPart part, int64_t rows);

// A secondary index that the server builds in an operation of its own. The operation's id is
// recorded in drover_tpcc, so that the next import finds the build of a killed one. Cancelling the
// task cancels the build at the server.
struct IndexBuild {
  SecondaryIndex index;
  std::string operation = {};  // of an earlier import; empty: none
  coro::Duration poll_interval = std::chrono::seconds(1);
};

// Returns "index idx_order on oorder".
std::string description(const SecondaryIndex& index);

// Returns whether statements can use the index.
coro::Task<bool> index_exists(DatabaseAccess& access, SecondaryIndex index);

// Returns when statements can use the index. Throws database::Error, whose message names the index,
// if the server has failed to build it.
coro::Task<void> build_index(DatabaseAccess& access, IndexBuild build);

// To be called before rows are loaded, because BulkUpsert refuses tables with such an index.
coro::Task<void> drop_index(DatabaseAccess& access, SecondaryIndex index);

}  // namespace drover::tpcc::ydb
