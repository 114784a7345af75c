// TPC-C on YDB, for the commands. See tpcc/database.h.
#pragma once

#include <utility>

#include "tpcc/database.h"
#include "tpcc/ydb/ydb_database.h"

namespace drover::tpcc::ydb {

class DatabaseOnYdb final : public Database {
 public:
  explicit DatabaseOnYdb(YdbDatabase database) : database_(std::move(database)) {}

  std::string_view kind() const noexcept override { return "YDB"; }
  std::string description() const override { return database_.client.target.url(); }
  // There are no foreign keys: `settings` must not ask for any.
  coro::Task<std::vector<std::string>> initialise(InitialiseSettings settings) const override;
  coro::Task<std::vector<std::string>> clean(NoteFunction on_note) const override;
  coro::Task<ImportOutcome> import_warehouses(ImportSettings settings,
                                              ImportObserver& observer) const override;
  coro::Task<CheckReport> check(CheckSettings settings) const override;
  coro::Task<RunPreparation> prepare(std::optional<std::int32_t> warehouses) const override;
  coro::Task<void> require_isolation(Isolation isolation) const override;
  coro::Task<std::optional<LedgerSums>> read_ledger_patiently(
      std::int32_t warehouses, coro::Duration patience) const override;
  // The isolation is `serializable` or `snapshot`.
  std::unique_ptr<Backend> make_backend(BackendSettings settings) const override;
  // There are none.
  std::unique_ptr<CheckpointWatch> watch_checkpoints(
      std::function<void(std::string_view)> on_note) const override;

 private:
  YdbDatabase database_;
};

}  // namespace drover::tpcc::ydb
