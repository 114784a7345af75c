// How a check is cut into pieces of work, and how long the rest of it will take.
//
// A piece is one condition over one range of warehouses: one statement. Its cost and the memory
// that the server needs for it follow from the width of the range, whatever the database's size.
//
// Pure functions and plain values; no thread safety of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "coro/clock.h"
#include "tpcc/condition.h"

namespace drover::tpcc {

// Condition number `condition` of the catalogue over these warehouses, both included.
struct CheckPiece {
  std::size_t condition;
  std::int32_t first_warehouse;
  std::int32_t last_warehouse;

  std::int32_t warehouses() const noexcept { return last_warehouse - first_warehouse + 1; }
};

// How many warehouses a check is of: warehouse has so many rows, and `last` is the greatest w_id.
// Throws database::Error where there is none, or w_id is no numbering from 1.
std::int32_t warehouses_to_check(std::int64_t rows, std::int64_t last);

// Those that take long come first; then range by range, so that the conditions find the pages of a
// range in memory. Every condition gets each warehouse once.
std::vector<CheckPiece> plan_check(const std::vector<Condition>& conditions,
                                   std::int32_t warehouses, std::size_t connections);

// Tells from the pieces done how long the others will take: a condition costs each warehouse what
// it cost the warehouses before, and one that has not had its turn what the others cost.
class TimeLeft {
 public:
  TimeLeft(const std::vector<CheckPiece>& pieces, std::size_t conditions, std::size_t sessions);

  void piece_done(const CheckPiece& piece, coro::Duration took) noexcept;

  // Nothing until a piece is done. What is under way counts as if it began now.
  std::optional<coro::Duration> estimate() const noexcept;

 private:
  struct Share {
    std::int64_t warehouses_left = 0;
    std::int64_t warehouses_done = 0;
    coro::Duration took{};
  };

  std::vector<Share> shares_;  // one for each condition
  std::size_t sessions_;
};

}  // namespace drover::tpcc
