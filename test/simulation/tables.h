// Tables: the rows of the simulated database that the ledger and the search for lost commits look
// at, and the log of the commits that made them. Each row is what it is in a real one: a number, an
// amount, an order that waits.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "coro/clock.h"
#include "workload/tpcc/backend.h"
#include "workload/tpcc/database.h"

namespace drover::simulation {

using Orders = std::array<std::int32_t, tpcc::districts_per_warehouse>;

// What one transaction is to write, or has written.
struct Change {
  std::size_t attempt = 0;  // of the witness: no row of the database
  tpcc::Input input;
  std::uint32_t mark = 0;
  std::int32_t o_id = 0;  // of a New-Order
  Orders delivered{};     // by a Delivery
  coro::Instant committed;
};

class Tables {
 public:
  // So many orders of each district are there and not delivered.
  Tables(std::int32_t warehouses, std::int32_t undelivered);

  std::int32_t next_o_id(std::int32_t w_id, std::int32_t d_id) const;
  // The oldest of each district, 0 where there is none.
  Orders to_deliver(std::int32_t w_id) const;

  // Requires: nobody has written what it builds upon since it was read.
  void commit(Change change);

  // Undoes the commits since `instant`, the last one first.
  void lose_since(coro::Instant instant);

  tpcc::LedgerSums sums() const;

  // What the rows say, as the backends of real databases ask them.
  tpcc::ResolvedCommit find(const tpcc::UnknownCommit& doubt) const;

  const std::vector<Change>& log() const noexcept { return log_; }

 private:
  struct District {
    std::int32_t next_o_id = 0;
    std::deque<std::int32_t> undelivered;
  };
  struct Warehouse {
    std::int64_t ytd_cents = 0;
    std::array<District, tpcc::districts_per_warehouse> districts;
  };

  Warehouse& warehouse(std::int32_t w_id) {
    return warehouses_.at(static_cast<std::size_t>(w_id - 1));
  }
  const Warehouse& warehouse(std::int32_t w_id) const {
    return warehouses_.at(static_cast<std::size_t>(w_id - 1));
  }
  void undo(const Change& change);

  std::vector<Warehouse> warehouses_;
  std::vector<Change> log_;
};

}  // namespace drover::simulation
