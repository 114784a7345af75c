// ImportClaim: one import at a time is at work on a folder.
//
//   ImportClaim claim(access, {});
//   co_await claim.take(folder);      // or throws: another one is at work
//   scope.start(claim.keep());        // beside the work
//   co_await claim.write(settings);   // as long as it is ours
//   co_await claim.release();
//
// No lock of YDB's Query service outlives a transaction, so the row of drover_tpcc says whose turn
// it is: a random name, and a number that its owner counts up while it lives (its beat). Whoever
// wants the folder looks on: a number that moves is an import at work, one that stands still for
// the whole of `Times::watch` is what a killed import has left. So no clock of any machine is
// compared with that of another one. A claim changes hands in a transaction that names the owner
// and the beat that were seen: of two that want it one gets it.
//
// It is no fence for rows: one that was stopped for so long that it was taken for dead notices at
// its next beat, and until then may send rows. These are the same rows with the same keys, as seed
// and load time are written once, by an owner; so they are neither doubled nor torn. `init --force`
// and `clean` ask for no claim: an import whose tables they drop ends with an error at its next
// beat.
//
// Belongs to the worker of the access, which must outlive it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/ydb/database_access.h"
#include "workload/tpcc/ydb/import/catalog.h"

namespace drover::tpcc::ydb {

using database::ydb::DatabaseAccess;

class ImportClaim {
 public:
  struct Times {
    coro::Duration beat = std::chrono::seconds(1);    // between two beats
    coro::Duration watch = std::chrono::seconds(10);  // without a beat: the owner is no more
    // The most that release() takes: an import that is interrupted is not held up for longer.
    coro::Duration release = std::chrono::seconds(5);
  };

  ImportClaim(DatabaseAccess& access, Times times);

  // Requires that drover_tpcc exists. Throws UnfitSchema if another import is at work, and
  // database::Error. Without a row in drover_tpcc there is nothing to be claimed. `on_wait` is
  // called once if somebody has to be watched.
  coro::Task<void> take(std::string folder, std::function<void()> on_wait = {});

  // Beats until it is cancelled. Throws database::Error when it has lost the claim.
  coro::Task<void> keep();

  // Writes the settings, but for `builds`. Throws database::Error if the claim is lost.
  coro::Task<void> write(Settings settings);

  // Gives it up if it is ours. Throws nothing, and is not cancelled: what cannot be given up in
  // time is found to be silent.
  coro::Task<void> release();

 private:
  struct Holder {
    std::string owner;  // empty: nobody
    std::int64_t beat = 0;

    bool operator==(const Holder&) const = default;
  };

  // As the row says when `before`, in the same transaction, has been done.
  coro::Task<std::optional<Holder>> holder(std::string before = {});
  coro::Task<bool> take_from(Holder seen);
  coro::Task<bool> update(std::string changes, std::string condition);
  coro::Task<void> give_up();
  std::string is_ours() const;

  DatabaseAccess& access_;
  Times times_;
  std::string owner_;
};

}  // namespace drover::tpcc::ydb
