// A check of a database: its settings, its report, and CheckWork, a running check, which divides
// the conditions into pieces of work, hands the pieces to sessions, collects their verdicts and
// estimates the remaining time. Each database judges a piece in its own way.
//
// Thread safety: plain values, except CheckWork and TimeLeft, which belong to the worker of the
// sessions and outlive the sessions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "workload/tpcc/check/catalogue.h"
#include "workload/tpcc/import/import.h"

namespace drover::tpcc {

struct CheckProgress {
  std::size_t done = 0;  // pieces of work that are done
  std::size_t total = 0;
  std::string_view condition = {};  // title of the beginning condition; empty at the end
  std::optional<coro::Duration> left = {};
};

class CheckWork;
struct CheckPart;

// Has other processes judge the pieces by Database::check_pieces() and passes their verdicts to the
// work. Returns when they are done. An exception ends the check.
using JudgeElsewhere = std::function<coro::Task<void>(const CheckPart& all, CheckWork& work)>;

struct CheckSettings {
  std::optional<std::int32_t> warehouses = {};  // none: all that exist
  bool after_import = false;
  std::size_t connections = 2;
  // Called at the beginning of each piece and at the end. May be empty.
  std::function<void(const CheckProgress&)> on_progress = {};
  JudgeElsewhere judge_elsewhere = {};  // empty: the check judges
};

// The pieces of a check that one of several hosts judges.
struct CheckPart {
  std::string snapshot = {};  // the server's name of it; empty: none is shared
  std::uint32_t warehouses = 0;
  bool after_import = false;
  Money money = Money::exact;
  std::uint64_t sessions = 1;              // of all hosts, for which the work is divided
  std::vector<std::uint64_t> pieces = {};  // indexes in the plan
};

struct Offender {
  std::string key;
  std::string expected;
  std::string found;
};

struct Verdict {
  int number = 0;  // n of clause 3.3.2.n, else 0
  std::string name = {};
  std::string_view clause = {};
  std::string title = {};
  std::int64_t offenders = 0;
  std::vector<Offender> first_offenders = {};
  // Set if the condition is not judged: the server refused the statement, for example because a
  // column is missing, or other sessions wrote and the rows are not of one snapshot.
  std::optional<std::string> error = {};
  coro::Duration server_time = {};  // of all its statements

  bool holds() const noexcept { return offenders == 0 && !error; }
};

// The result of a condition over a range of warehouses.
struct PieceAnswer {
  std::int64_t offenders = 0;
  std::vector<Offender> first = {};       // at most offenders_kept
  std::optional<std::string> error = {};  // the server's refusal of the statement
};

struct PieceVerdict {
  std::uint64_t piece = 0;  // index in the plan
  PieceAnswer answer = {};
  std::int64_t took_us = 0;
};

// The messages by which hosts divide a check (settings/field.h).

void describe(auto& visit, Of<CheckPart> auto& part) {
  visit.field("snapshot", part.snapshot, settings::name);
  visit.field("warehouses", part.warehouses, part_number);
  visit.field("after_import", part.after_import, settings::flag);
  visit.field("money", part.money, settings::only("exact|floating"));
  visit.field("sessions", part.sessions, settings::objects);
  visit.field("pieces", part.pieces, settings::count);
}

void describe(auto& visit, Of<Offender> auto& offender) {
  visit.field("key", offender.key, settings::sentence);
  visit.field("expected", offender.expected, settings::sentence);
  visit.field("found", offender.found, settings::sentence);
}

void describe(auto& visit, Of<PieceVerdict> auto& verdict) {
  visit.field("piece", verdict.piece, settings::count);
  visit.field("offenders", verdict.answer.offenders, settings::amount);
  visit.field("first", verdict.answer.first);
  visit.field("error", verdict.answer.error, settings::sentence);
  visit.field("took_us", verdict.took_us, settings::amount);
}

// A condition that is not evaluated on a database, and why.
struct NotAsked {
  Condition rule;
  std::string_view reason;
};

struct CheckReport {
  std::int32_t warehouses = 0;
  bool after_import = false;
  Money money = Money::exact;
  std::string server_version;
  // Set if sessions saw different snapshots: the reason. The conditions then refer to different
  // instants.
  std::optional<std::string> snapshot_refusal;
  std::vector<Verdict> verdicts;    // in the order of the catalogue
  std::vector<Condition> left_out;  // not judged: they hold only for freshly loaded data
  std::vector<NotAsked> not_asked;

  bool holds() const noexcept {
    return std::ranges::all_of(verdicts, [](const Verdict& verdict) { return verdict.holds(); });
  }
};

// Condition number `condition` over these warehouses, both included: one statement. Its cost and
// the server's memory for it depend on the width of the range, not on the size of the database.
struct CheckPiece {
  std::size_t condition;
  std::int32_t first_warehouse;
  std::int32_t last_warehouse;

  std::int32_t warehouses() const noexcept { return last_warehouse - first_warehouse + 1; }
};

// Returns all pieces: long ones first, then range by range, so that the conditions find the pages
// of a range in memory. Every condition gets each warehouse once.
std::vector<CheckPiece> plan_check(const std::vector<Condition>& conditions,
                                   std::int32_t warehouses, std::size_t connections);

// Estimates the remaining time of a check: a condition takes for each warehouse what it took for
// the warehouses before, and a condition without a finished piece takes what the others take.
class TimeLeft {
 public:
  TimeLeft(const std::vector<CheckPiece>& pieces, std::size_t conditions, std::size_t sessions);

  void piece_done(const CheckPiece& piece, coro::Duration took) noexcept;

  // Returns nothing before the first piece is done. Pieces under way count as if they had just
  // begun.
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
  // Judges only these pieces of the plan. Throws database::Error if the plan has no such piece.
  CheckWork(std::vector<Condition> conditions, CheckPart part, const CheckSettings& settings,
            std::function<void(const PieceVerdict&)> on_verdict);

  // Returns the number of sessions that have work to do.
  std::size_t sessions() const noexcept {
    return std::min(settings_.connections, part_.pieces.size());
  }

  // Returns all pieces, for other hosts. The caller adds the snapshot's name and the kind of money.
  CheckPart part() const { return part_; }

  // Adds a verdict of another host. Later verdicts on the same piece are ignored. Throws
  // database::Error if there is no such piece.
  void add(PieceVerdict verdict);
  // Notes why another host could not use the common snapshot.
  void note_refusal(std::optional<std::string> refusal) {
    if (!refusal_) refusal_ = std::move(refusal);
  }
  const std::optional<std::string>& refusal() const noexcept { return refusal_; }

  // Returns the pieces without a verdict.
  std::vector<std::uint64_t> missing() const;
  // Throws database::Error if a piece has no verdict.
  void require_all() const;

  // Calls `judge` for one piece after another until none is left. Each session of the check runs
  // this.
  coro::Task<void> run(Judge judge);

  // Returns the verdicts in the order of the conditions. To be called after all sessions have
  // ended.
  std::vector<Verdict> verdicts() const;

 private:
  // The verdict on a condition so far.
  struct ConditionState {
    std::int64_t offenders = 0;
    // The offenders with the first warehouse of their piece, in the order of the warehouses.
    std::vector<std::pair<std::int32_t, Offender>> first;
    std::optional<std::string> error;
    coro::Duration took{};
  };

  void keep(PieceAnswer answer, const CheckPiece& piece);
  void finish_piece(std::uint64_t place, coro::Duration took);
  void tell_progress(std::string_view condition) const;

  std::vector<Condition> conditions_;
  CheckSettings settings_;
  CheckPart part_;  // the pieces to judge here
  std::vector<CheckPiece> pieces_;
  std::vector<bool> judged_;  // by index of the piece
  std::function<void(const PieceVerdict&)> on_verdict_;
  std::optional<std::string> refusal_;
  std::vector<ConditionState> states_;  // one for each condition
  TimeLeft time_left_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
};

}  // namespace drover::tpcc
