// ImportClaim: one import at a time is at work on a schema, where no lock of the database's outlives a transaction.
//
//   ImportClaim claim(row, {});
//   co_await claim.hold(schema, on_wait, work);   // or throws: another one is at work
//
// The row of drover_tpcc says whose turn it is: a random name, and a number that its owner counts up while it lives (its
// beat). Whoever wants it looks on: a number that moves is an import at work, one that stands still for the whole of
// `ClaimTimes::watch` is what a killed import has left. So no clock of any machine is compared with that of another one.
// A claim changes hands where the row says still what was seen: of two that want it one gets it.
//
// It is no fence for rows: one that was stopped for so long that it was taken for dead notices at its next beat. What it
// sends until then must do no harm. `init --force` and `clean` ask for no claim: an import whose tables they drop ends
// with an error at its next beat.
//
// Belongs to the worker of the row, which must outlive it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "coro/clock.h"
#include "coro/task.h"

namespace drover::tpcc {

struct ClaimHolder {
  std::string owner = {};  // empty: nobody
  std::int64_t beat = 0;

  bool operator==(const ClaimHolder&) const = default;
};

// Where it is written. All of it throws database::Error.
class ClaimedRow {
 public:
  virtual ~ClaimedRow() = default;

  // Nothing if there is no row.
  virtual coro::Task<std::optional<ClaimHolder>> read() = 0;
  // Writes the next one if the row says what was seen, in one transaction; hands back what it says then.
  virtual coro::Task<std::optional<ClaimHolder>> exchange(ClaimHolder seen, ClaimHolder next) = 0;
};

struct ClaimTimes {
  coro::Duration beat = std::chrono::seconds(1);    // between two beats
  coro::Duration watch = std::chrono::seconds(10);  // without a beat: the owner is no more
  // The most that release() takes: an import that is interrupted is not held up for longer.
  coro::Duration release = std::chrono::seconds(5);
};

class ImportClaim {
 public:
  ImportClaim(ClaimedRow& row, ClaimTimes times);

  // Does the work under the claim: takes it, keeps it beside the work, and gives it up in the end, also of one that is
  // cancelled. Throws what the work throws, and what take() and keep() do.
  coro::Task<void> hold(std::string schema, std::function<void()> on_wait,
                        std::function<coro::Task<void>()> work);

  // Requires that drover_tpcc exists. Throws UnfitSchema if another import is at work, and
  // database::Error. Without a row in drover_tpcc there is nothing to be claimed. `on_wait` is
  // called once if somebody has to be watched.
  coro::Task<void> take(std::string schema, std::function<void()> on_wait = {});

  // Beats until it is cancelled. Throws database::Error when it has lost the claim.
  coro::Task<void> keep();

  // Gives it up if it is ours. Throws nothing, and is not cancelled: what cannot be given up in
  // time is found to be silent.
  coro::Task<void> release();

  const std::string& owner() const noexcept { return ours_.owner; }

  // Throws database::Error, which says that somebody else has it, unless it is ours.
  static void require(bool is_ours);

 private:
  coro::Task<bool> replace(ClaimHolder seen, ClaimHolder next);
  coro::Task<void> give_up();

  ClaimedRow& row_;
  ClaimTimes times_;
  ClaimHolder ours_;
};

}  // namespace drover::tpcc
