// CheckWork: a check under way. It hands the pieces of the plan to the sessions, keeps what they
// come to, and tells how far the check is. How a piece is judged, each database says for itself.
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

#include "coro/task.h"
#include "tpcc/check_plan.h"
#include "tpcc/check_report.h"
#include "tpcc/condition.h"

namespace drover::tpcc {

// What a condition came to over a range of warehouses.
struct PieceAnswer {
  std::int64_t offenders = 0;
  std::vector<Offender> first = {};       // not more than are to be kept
  std::optional<std::string> error = {};  // what the server said where it refused the statement
};

class CheckWork {
 public:
  struct Options {
    std::int32_t warehouses;
    std::size_t connections;
    std::int32_t offenders_kept;  // of each condition
    // Called when a piece of work begins, and at the end; may be empty.
    std::function<void(const CheckProgress&)> on_progress;
  };
  using Judge = std::function<coro::Task<PieceAnswer>(const CheckPiece&)>;

  CheckWork(std::vector<Condition> conditions, Options options);

  // More of them would have nothing to do.
  std::size_t sessions() const noexcept;

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
  void tell_progress(std::string_view condition) const;

  std::vector<Condition> conditions_;
  Options options_;
  std::vector<CheckPiece> pieces_;
  std::vector<Finding> findings_;  // one for each condition
  TimeLeft time_left_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
};

}  // namespace drover::tpcc
