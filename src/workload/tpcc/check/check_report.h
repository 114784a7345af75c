// What a check of a database is asked, what it tells while it works, and what it has found. Plain
// values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "workload/tpcc/check/catalogue.h"

namespace drover::tpcc {

struct CheckProgress {
  std::size_t done = 0;  // pieces of work; at the end as many as `total`
  std::size_t total = 0;
  std::string_view condition = {};  // title of the one that begins now; empty at the end
  std::optional<coro::Duration> left = {};
};

class CheckWork;
struct CheckPart;

// Judges the pieces in place of the check's own sessions: others do it, by Database::check_pieces(), and it returns when
// they have. It gives the work their verdicts. What it throws ends the check.
using JudgeElsewhere = std::function<coro::Task<void>(const CheckPart& all, CheckWork& work)>;

struct CheckSettings {
  std::optional<std::int32_t> warehouses = {};  // else those that there are
  bool after_import = false;
  std::size_t connections = 2;
  // Called when a piece of work begins, and at the end; may be empty.
  std::function<void(const CheckProgress&)> on_progress = {};
  JudgeElsewhere judge_elsewhere = {};  // empty: the check judges
};

// What one of several has to know of a check, and which of its pieces it judges. Plain values, for another process
// (part_fields.h).
struct CheckPart {
  std::string snapshot = {};  // as the server names it; empty: there is none for all
  std::uint32_t warehouses = 0;
  bool after_import = false;
  Money money = Money::exact;
  std::uint64_t sessions = 1;              // of all together, for which the work is cut
  std::vector<std::uint64_t> pieces = {};  // their places in the plan
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
  // Set where the condition is not judged: the server refused the statement (a column is missing,
  // say), or other sessions wrote and the rows are not of one snapshot. An unknown condition is not
  // one that holds.
  std::optional<std::string> error = {};
  coro::Duration server_time = {};  // of all its statements

  bool holds() const noexcept { return offenders == 0 && !error; }
};

// What a condition came to over a range of warehouses.
struct PieceAnswer {
  std::int64_t offenders = 0;
  std::vector<Offender> first = {};       // not more than are to be kept
  std::optional<std::string> error = {};  // what the server said where it refused the statement
};

struct PieceVerdict {
  std::uint64_t piece = 0;  // its place in the plan
  PieceAnswer answer = {};
  std::int64_t took_us = 0;
};

// A condition that a database is not asked about, and why.
struct NotAsked {
  Condition rule;
  std::string_view reason;
};

struct CheckReport {
  std::int32_t warehouses = 0;
  bool after_import = false;
  Money money = Money::exact;
  std::string server_version;
  // Set where each session saw its own snapshot in place of one for all: why. The conditions speak
  // of different instants then.
  std::optional<std::string> snapshot_refusal;
  std::vector<Verdict> verdicts;    // in the order of the catalogue
  std::vector<Condition> left_out;  // not judged, as they hold of freshly loaded data only
  std::vector<NotAsked> not_asked;

  bool holds() const noexcept {
    return std::ranges::all_of(verdicts, [](const Verdict& verdict) { return verdict.holds(); });
  }
};

}  // namespace drover::tpcc
