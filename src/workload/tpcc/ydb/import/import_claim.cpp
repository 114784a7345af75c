#include "workload/tpcc/ydb/import/import_claim.h"

#include <fmt/format.h>

#include <random>
#include <utility>

#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "database/ydb/database_access.h"
#include "workload/tpcc/import/import.h"

namespace drover::tpcc::ydb {

using database::ydb::finish_in_time;
namespace {

using coro::Task;
using database::Error;
using database::ydb::QueryResult;
using database::ydb::ResultSetView;
using database::ydb::ValueView;

constexpr coro::Duration look_interval = std::chrono::milliseconds(250);

std::string random_name() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

void require_claim(bool ours) {
  if (ours) return;
  throw Error(
      database::ErrorClass::statement, "",
      "another import has taken over, or the tables were made anew: this one was silent for "
      "too long, or 'drover tpcc init --force' was run meanwhile");
}

}  // namespace

ImportClaim::ImportClaim(DatabaseAccess& access, Times times)
    : access_(access), times_(times), owner_(random_name()) {}

std::string ImportClaim::is_ours() const {
  return fmt::format("import_owner = '{}'u", owner_);
}

Task<std::optional<ImportClaim::Holder>> ImportClaim::holder(std::string before) {
  const QueryResult result = co_await access_.query(fmt::format(
      "{}SELECT import_owner, import_beat FROM {} WHERE id = 1", before, settings_table));
  const ResultSetView set = result.set(0);
  if (set.rows() == 0) co_return std::nullopt;
  Holder found;
  const ValueView owner = set.at(0, "import_owner");
  const ValueView beat = set.at(0, "import_beat");
  if (!owner.is_null()) found.owner = owner.text();
  if (!beat.is_null()) found.beat = beat.integer();
  co_return found;
}

// Says whether the row is ours behind it: read back in the same transaction, as servers before 2026
// may answer RETURNING with rows that there are not.
Task<bool> ImportClaim::update(std::string changes, std::string condition) {
  const std::optional<Holder> now = co_await holder(
      fmt::format("UPDATE {} SET {} WHERE id = 1 AND {};\n", settings_table, changes, condition));
  co_return now && now->owner == owner_;
}

Task<bool> ImportClaim::take_from(Holder seen) {
  std::string condition = "(import_owner IS NULL OR import_owner = ''u)";
  if (!seen.owner.empty()) {
    condition = fmt::format("import_owner = '{}'u AND import_beat = {}l", seen.owner, seen.beat);
  }
  return update(fmt::format("import_owner = '{}'u, import_beat = 0l", owner_),
                std::move(condition));
}

Task<void> ImportClaim::take(std::string folder, std::function<void()> on_wait) {
  std::optional<Holder> seen = co_await holder();
  const coro::Instant since = coro::Worker::current().now();
  while (seen) {
    const bool silent = coro::Worker::current().now() - since >= times_.watch;
    if (silent || seen->owner.empty()) {
      const bool taken = co_await take_from(*seen);
      if (taken) co_return;
    } else {
      if (on_wait) std::exchange(on_wait, {})();
      co_await coro::sleep_for(look_interval);
    }
    const std::optional<Holder> now = co_await holder();
    // An answer that was lost on the way, and the call repeated.
    if (now && now->owner == owner_) co_return;
    if (now && now != seen && !now->owner.empty()) {
      throw UnfitSchema(fmt::format(
          "another import is at work here: wait for its end, then 'drover tpcc import{}' "
          "goes on from there, or finds that all is loaded",
          schema_argument(folder)));
    }
    seen = now;
  }
}

Task<void> ImportClaim::keep() {
  for (;;) {
    co_await coro::sleep_for(times_.beat);
    const bool kept = co_await update("import_beat = import_beat + 1l", is_ours());
    require_claim(kept);
  }
}

Task<void> ImportClaim::write(Settings settings) {
  const PopulationSeed& population = settings.population.value();
  const NurandConstants& constants = settings.load_constants;
  const bool written = co_await update(
      fmt::format("seed = {}ul, load_time_us = {}l, c_last = {}, c_id = {}, ol_i_id = {}, "
                  "warehouses = {}, complete = {}",
                  population.seed, population.load_time_us, constants.c_last, constants.c_id,
                  constants.ol_i_id, settings.warehouses, settings.complete),
      is_ours());
  require_claim(written);
}

Task<void> ImportClaim::give_up() {
  co_await update("import_owner = ''u", is_ours());
}

// What cannot be given up is found silent by the next import.
Task<void> ImportClaim::release() {
  return finish_in_time(give_up(), times_.release);
}

}  // namespace drover::tpcc::ydb
