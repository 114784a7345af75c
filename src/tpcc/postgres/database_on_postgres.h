// TPC-C on PostgreSQL, for the commands. See tpcc/database.h.
#pragma once

#include <string>

#include "tpcc/database.h"

namespace drover::tpcc::postgres {

class DatabaseOnPostgres final : public Database {
 public:
  // `schema` is empty for the search path of the server.
  DatabaseOnPostgres(std::string conninfo, std::string schema)
      : conninfo_(std::move(conninfo)), schema_(std::move(schema)) {}

  std::string_view kind() const noexcept override { return "PostgreSQL"; }
  std::string description() const override;
  coro::Task<std::vector<std::string>> initialise(InitialiseSettings settings) const override;
  coro::Task<std::vector<std::string>> clean(NoteFunction on_note) const override;
  coro::Task<ImportOutcome> import_warehouses(ImportSettings settings,
                                              ImportObserver& observer) const override;
  coro::Task<CheckReport> check(CheckSettings settings) const override;
  coro::Task<RunPreparation> prepare(std::optional<std::int32_t> warehouses) const override;
  coro::Task<std::optional<LedgerSums>> read_ledger_patiently(
      std::int32_t warehouses, coro::Duration patience) const override;
  std::unique_ptr<Backend> make_backend(BackendSettings settings) const override;
  std::unique_ptr<CheckpointWatch> watch_checkpoints(
      std::function<void(std::string_view)> on_note) const override;

 private:
  std::string conninfo_;
  std::string schema_;
};

}  // namespace drover::tpcc::postgres
