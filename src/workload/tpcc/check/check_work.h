// How a check is cut into pieces of work, and how long the rest of it will take; and CheckWork, a
// check under way, or a part of one. It hands the pieces to the sessions, keeps what they come to, and
// tells how far the check is. How a piece is judged, each database says for itself.
//
// Thread safety: none; belongs to the worker of the sessions, and outlives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "workload/tpcc/check/catalogue.h"
#include "workload/tpcc/check/check_report.h"

namespace drover::tpcc {

// Condition number `condition` of the catalogue over these warehouses, both included: one statement.
// Its cost and the memory that the server needs for it follow from the width of the range, whatever
// the database's size.
struct CheckPiece {
  std::size_t condition;
  std::int32_t first_warehouse;
  std::int32_t last_warehouse;

  std::int32_t warehouses() const noexcept { return last_warehouse - first_warehouse + 1; }
};

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

inline constexpr std::int32_t offenders_kept = 3;  // of each condition

class CheckWork {
 public:
  using Judge = std::function<coro::Task<PieceAnswer>(const CheckPiece&)>;

  CheckWork(std::vector<Condition> conditions, std::int32_t warehouses,
            const CheckSettings& settings);
  // Of these pieces of the plan alone. Throws database::Error where the plan has no such piece.
  CheckWork(std::vector<Condition> conditions, const CheckPart& part, const CheckSettings& settings,
            std::function<void(const PieceVerdict&)> on_verdict);

  // More of them would have nothing to do.
  std::size_t sessions() const noexcept;

  // All pieces, for others; the snapshot's name and the kind of money are left to the caller.
  CheckPart part() const;

  // What somebody else has found. The first verdict on a piece counts. Throws database::Error where there is no such
  // piece.
  void add(PieceVerdict verdict);
  // Somebody else saw a snapshot of his own: why.
  void note_refusal(std::optional<std::string> refusal);
  const std::optional<std::string>& refusal() const noexcept { return refusal_; }

  // Those without a verdict.
  std::vector<std::uint64_t> missing() const;
  // Throws database::Error where there is one.
  void require_all() const;

  // One session's share: gives `judge` a piece after the other until none is left.
  coro::Task<void> run(Judge judge);

  // Once all sessions have ended; in the order of the conditions.
  std::vector<Verdict> verdicts() const;

 private:
  // What is known of a condition so far.
  struct Finding {
    std::int64_t offenders = 0;
    // With the first warehouse of its piece each, in the order of the warehouses.
    std::vector<std::pair<std::int32_t, Offender>> first;
    std::optional<std::string> error;
    coro::Duration took{};
  };

  void keep(PieceAnswer answer, const CheckPiece& piece);
  void finish_piece(std::uint64_t place, coro::Duration took);
  void tell_progress(std::string_view condition) const;

  std::vector<Condition> conditions_;
  CheckSettings settings_;
  std::int32_t warehouses_;
  std::vector<CheckPiece> pieces_;
  std::vector<std::uint64_t> mine_;  // places of those to be judged here
  std::vector<bool> judged_;         // by place
  std::function<void(const PieceVerdict&)> on_verdict_;
  std::optional<std::string> refusal_;
  std::vector<Finding> findings_;  // one for each condition
  TimeLeft time_left_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
};

}  // namespace drover::tpcc
