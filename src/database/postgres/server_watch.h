// The watches of a PostgreSQL server during a run: its checkpoints (checkpoint_watch.cpp), and the
// wait events and statement costs of the run's sessions (activity_watch.cpp). Each watch has a
// session of its own, which uses a connection slot: start it when the run's sessions are open.
//
// Thread safety: none; an object belongs to the worker whose task uses it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/postgres/access.h"
#include "database/postgres/connection.h"
#include "database/server.h"

namespace drover::database::postgres {

// One reading of the server's checkpoint counters.
struct CheckpointCounters {
  std::int64_t timed = 0;  // begun since the last reset
  std::int64_t requested = 0;
  std::int64_t busy_ms = 0;          // time of writing and syncing of all checkpoints that ended
  std::optional<std::int64_t> done;  // ended and not skipped; since PostgreSQL 18
  std::string life;                  // changes when the counters begin at zero
};

// The checkpoints that follow from the readings. At most one has no end: the last one.
//
// The server counts a checkpoint when it begins, and adds its time when it has ended. It publishes
// both together for a fast checkpoint (CHECKPOINT), whose beginning then follows from its time.
// Instants are up to a second late. Several fast checkpoints within a second count as one. Before
// PostgreSQL 18, a fast checkpoint in the second in which another one ends seems to last until the
// next one begins, and is then dropped.
class CheckpointHistory {
 public:
  static constexpr std::size_t checkpoints_most = 86'400;  // later checkpoints are dropped

  // Adds a reading; readings come in the order of time. Returns a line for the user about a
  // checkpoint that began or ended, or an empty text.
  std::string take(CheckpointCounters counters, coro::Instant now);

  const std::vector<ObservedCheckpoint>& checkpoints() const noexcept { return checkpoints_; }

 private:
  bool is_open() const noexcept { return !checkpoints_.empty() && !checkpoints_.back().end; }
  void close(coro::Instant now, coro::Duration busy);
  void add(ObservedCheckpoint checkpoint);
  coro::Instant earliest(coro::Instant start) const;

  std::vector<ObservedCheckpoint> checkpoints_;
  std::optional<CheckpointCounters> last_;
  coro::Instant last_read_;
};

// Reads the counters of pg_stat_bgwriter or pg_stat_checkpointer once a second.
class CheckpointCounterWatch final : public CheckpointWatch {
 public:
  // `on_note` is called on the worker with lines such as "checkpoint began (timed)".
  CheckpointCounterWatch(Access access, NoteFunction on_note);

  // Throws only Cancelled. Reopens a lost session until it succeeds. Returns if the server has no
  // such counters or refuses the first session for good.
  coro::Task<void> run() override;

  // Returns nothing until the first reading.
  std::optional<std::vector<ObservedCheckpoint>> observed() const override;

 private:
  coro::Task<void> watch_session();

  Access access_;
  NoteFunction on_note_;
  CheckpointHistory history_;
  bool known_ = false;
};

// Returns the statement that reads the counters of a server with this version, or nothing if it is
// not PostgreSQL. Its columns are the members of CheckpointCounters: four of int8 and one text.
std::optional<Statement> checkpoint_statement(std::string_view server_version);

struct WaitEventCount {
  // "LWLock:WALWrite", or "CPU" for a session that does not wait. On Citus with the node:
  // "IO:WALSync at host:5432", "CPU at coordinator".
  std::string event;
  std::uint32_t sessions = 0;
};

// Counts the sessions in a statement or transaction by their wait event. Counts the client backends
// with the database, user and application_name of this session, which is not counted. So other
// Drover runs of the same user are included. Uses no SET and prepares nothing, because a pooler may
// share the session.
coro::Task<std::vector<WaitEventCount>> read_wait_events(Connection& connection);

struct StatementCounters {
  std::uint64_t calls = 0;
  double total_ms = 0;
  std::uint64_t rows = 0;
};
using StatementReading = std::map<std::int64_t, StatementCounters>;  // by queryid

// The sums that follow from the readings of pg_stat_statements.
class StatementHistory {
 public:
  // Adds a reading; readings come in the order of time. The first one is the base.
  void take(StatementReading reading);
  bool has_begun() const noexcept { return last_.has_value(); }

  // Returns the `most` statements that took the most time, in descending order.
  std::vector<std::pair<std::int64_t, StatementCounters>> longest(std::size_t most) const;

 private:
  std::optional<StatementReading> last_;
  StatementReading sums_;
};

// The costs of this user's statements in this database: differences between readings of
// pg_stat_statements. The counters are read at the start, at the end, and after each reconnection,
// because a crash of the server resets them. Counts between the last reading and a crash are lost.
class StatementCosts {
 public:
  static constexpr std::size_t statements_most = 20;
  static constexpr std::size_t text_bytes_most = 1'000;

  // Reads the counters. The first call on a server without the counters returns the reason, for the
  // user; otherwise the result is empty.
  coro::Task<std::string> read(Connection& connection);

  // Reads the counters again, and the statements' texts. Returns nothing if there are no counters.
  coro::Task<std::optional<std::vector<StatementCost>>> read_all(Connection& connection);

 private:
  coro::Task<StatementReading> read_counters(Connection& connection) const;

  bool has_looked_ = false;  // for the extension
  std::string function_;     // pg_stat_statements with its schema, quoted; empty: none
  std::string time_column_;  // its name in this version of the extension
  StatementHistory history_;
};

// Returns the text of a statement as one short line. Hides a statement that mentions
// a password and contains a quoted text: pg_stat_statements keeps the constants of utility
// commands.
std::string shown_statement(std::string_view text);

// Samples wait events once a second, and reads the statement costs at the end. A session is found
// waiting with the probability of its share of the time: the mean number of sessions in an event,
// times the run's length, is the time spent in it.
class ServerActivityWatch final : public ActivityWatch {
 public:
  // `on_note` is called on the worker, once for each thing that the server does not show.
  ServerActivityWatch(Access access, NoteFunction on_note);

  // Throws only Cancelled. Reopens a lost session until it succeeds. Returns if the server has
  // nothing to show.
  coro::Task<void> run() override;
  coro::Task<void> finish(coro::Duration timeout) override;
  std::optional<ObservedActivity> observed() const override;

  // Drops every second sample.
  static void thin(std::vector<ActivitySample>& samples);

 private:
  coro::Task<void> watch_session();
  coro::Task<void> read_costs();
  void take(const std::vector<WaitEventCount>& counts, coro::Instant now);
  void note(std::string_view what, std::string_view reason);

  Access access_;
  NoteFunction on_note_;
  ObservedActivity activity_;
  coro::Duration pause_ = std::chrono::seconds(1);  // between samples
  StatementCosts costs_;
  bool known_ = false;        // the server has shown its sessions
  bool said_absent_ = false;  // the user knows that the server is not available yet
};

// The base of the workloads' databases on PostgreSQL: how to get to the server, and its watches.
template <class WorkloadDatabase>
class PostgresDatabase : public WorkloadDatabase {
 public:
  explicit PostgresDatabase(Access access) : access_(std::move(access)) {}

  std::unique_ptr<CheckpointWatch> watch_checkpoints(NoteFunction on_note) const final {
    return std::make_unique<CheckpointCounterWatch>(access_, std::move(on_note));
  }
  std::unique_ptr<ActivityWatch> watch_activity(NoteFunction on_note) const final {
    return std::make_unique<ServerActivityWatch>(access_, std::move(on_note));
  }

 protected:
  // Returns the access to a server of this role.
  Access at(ServerRole role) const {
    Access access = access_;
    access.role = role;
    return access;
  }
  // Returns the access to a server whose dialect is known.
  Access in(Dialect dialect) const {
    Access access = access_;
    access.dialect = dialect;
    return access;
  }

  Access access_;
};

}  // namespace drover::database::postgres
