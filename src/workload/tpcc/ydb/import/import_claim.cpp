#include "workload/tpcc/ydb/import/import_claim.h"

#include <fmt/format.h>

#include <utility>

#include "workload/tpcc/import/import.h"

namespace drover::tpcc::ydb {

using coro::Task;
using database::ydb::QueryResult;
using database::ydb::ResultSetView;
using database::ydb::ValueView;

Task<std::optional<ClaimHolder>> ClaimedRowOnYdb::read_after(std::string before) {
  const QueryResult result = co_await access_.query(fmt::format(
      "{}SELECT import_owner, import_beat FROM {} WHERE id = 1", before, settings_table));
  const ResultSetView set = result.set(0);
  if (set.rows() == 0) co_return std::nullopt;
  ClaimHolder found;
  const ValueView owner = set.at(0, "import_owner");
  const ValueView beat = set.at(0, "import_beat");
  if (!owner.is_null()) found.owner = owner.text();
  if (!beat.is_null()) found.beat = beat.integer();
  co_return found;
}

// Read back in the same transaction, as servers before 2026 may answer RETURNING with rows that there are not.
Task<std::optional<ClaimHolder>> ClaimedRowOnYdb::update(std::string changes,
                                                         std::string condition) {
  return read_after(
      fmt::format("UPDATE {} SET {} WHERE id = 1 AND {};\n", settings_table, changes, condition));
}

Task<std::optional<ClaimHolder>> ClaimedRowOnYdb::exchange(ClaimHolder seen, ClaimHolder next) {
  std::string condition = "(import_owner IS NULL OR import_owner = ''u)";
  if (!seen.owner.empty()) {
    condition = fmt::format("import_owner = '{}'u AND import_beat = {}l", seen.owner, seen.beat);
  }
  return update(fmt::format("import_owner = '{}'u, import_beat = {}l", next.owner, next.beat),
                std::move(condition));
}

Task<void> YdbImportClaim::write(Settings settings) {
  const PopulationSeed& population = settings.population.value();
  const NurandConstants& constants = settings.load_constants;
  const auto now = co_await row_.update(
      fmt::format("seed = {}ul, load_time_us = {}l, c_last = {}, c_id = {}, ol_i_id = {}, "
                  "warehouses = {}, complete = {}",
                  population.seed, population.load_time_us, constants.c_last, constants.c_id,
                  constants.ol_i_id, settings.warehouses, settings.complete),
      fmt::format("import_owner = '{}'u", owner()));
  require(now && now->owner == owner());
}

}  // namespace drover::tpcc::ydb
