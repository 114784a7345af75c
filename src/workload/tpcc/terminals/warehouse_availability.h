// WarehouseAvailability: when single warehouses were away, as the terminals of one worker saw it.
// Part of a database can be away while the rest is served, such as one node of a sharded database.
//
// A warehouse is away from the first of three consecutive failures of transactions that need only
// this warehouse to the next commit of a transaction of its terminals. A failure counts if the
// database, and not the statement, is at fault. Time away begins when the last attempt of the first
// failed transaction began, so a server that hangs is away before the client gives up.
//
// Takes 24 bytes for each warehouse, and 24 bytes for each stretch of time. Belongs to one worker
// until the run has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "coro/clock.h"
#include "database/error.h"

namespace drover::tpcc {

class WarehouseAvailability {
 public:
  struct Stretch {
    std::int32_t w_id;
    coro::Instant start;
    coro::Instant end;  // Instant::max(): it has not ended
  };

  WarehouseAvailability() = default;
  // The warehouses `first`, `first` + `step` and so on, `count` in all.
  WarehouseAvailability(std::int32_t first, std::int32_t step, std::size_t count)
      : first_(first), step_(step), states_(count) {}

  // Requires of each `w_id`: it is one of the warehouses.
  // `begun`: when the last attempt of a transaction that needed no other warehouse began.
  void failed(std::int32_t w_id, coro::Instant begun, const database::Error& error);
  void committed(std::int32_t w_id, coro::Instant now);

  // In no particular order.
  std::vector<Stretch> stretches() const;

 private:
  struct State {
    coro::Instant last_commit;
    coro::Instant first_failure;
    std::uint32_t failures = 0;  // since the last commit
  };

  State& state_of(std::int32_t w_id) {
    return states_[static_cast<std::size_t>((w_id - first_) / step_)];
  }

  std::int32_t first_ = 1;
  std::int32_t step_ = 1;
  std::vector<State> states_;
  std::vector<Stretch> ended_;
};

}  // namespace drover::tpcc
