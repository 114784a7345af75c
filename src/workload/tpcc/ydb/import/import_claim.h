// The claim of an import on YDB (workload/tpcc/import/import_claim.h), and what is written under it.
//
// An import that was taken for dead may go on to send rows: these are the same rows with the same keys, as seed and load
// time are written once, by an owner; so they are neither doubled nor torn.
//
// Belongs to the worker of the access, which must outlive it.
#pragma once

#include <string>

#include "coro/task.h"
#include "database/ydb/database_access.h"
#include "workload/tpcc/import/import_claim.h"
#include "workload/tpcc/ydb/import/catalog.h"

namespace drover::tpcc::ydb {

using database::ydb::DatabaseAccess;

class ClaimedRowOnYdb final : public ClaimedRow {
 public:
  explicit ClaimedRowOnYdb(DatabaseAccess& access) noexcept : access_(access) {}

  coro::Task<std::optional<ClaimHolder>> read() override { return read_after({}); }
  coro::Task<std::optional<ClaimHolder>> exchange(ClaimHolder seen, ClaimHolder next) override;

  // As the row says when this update of it, in the same transaction, has been done; where the condition holds.
  coro::Task<std::optional<ClaimHolder>> update(std::string changes, std::string condition);

 private:
  coro::Task<std::optional<ClaimHolder>> read_after(std::string before);

  DatabaseAccess& access_;
};

class YdbImportClaim final : public ImportClaim {
 public:
  YdbImportClaim(DatabaseAccess& access, ClaimTimes times)
      : ImportClaim(row_, times), row_(access) {}

  // Writes the settings, but for `builds`. Throws database::Error if the claim is lost.
  coro::Task<void> write(Settings settings);

 private:
  ClaimedRowOnYdb row_;
};

}  // namespace drover::tpcc::ydb
