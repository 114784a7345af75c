// The checkpoints of the server during a run, as anybody may see them: in the counters of
// pg_stat_bgwriter (up to PostgreSQL 16) or pg_stat_checkpointer (from 17 on), read once a second
// by a session of its own.
//
// The server counts a checkpoint when it begins, and adds the time that it took when it has ended.
// It publishes the first together with the second where the checkpoint is to be fast, as that of
// the command CHECKPOINT is; the beginning then follows from the time taken. Instants are at most a
// second late, plus the answer's way. Several fast ones within a second are one. Up to PostgreSQL
// 17 a fast one within the second in which another ends seems to last until the next one begins,
// and is then forgotten.
//
// Thread safety: none; both classes belong to the worker whose task uses them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/checkpoint_watch.h"
#include "database/postgres/access.h"
#include "database/postgres/connection.h"

namespace drover::database::postgres {

// One reading of the server's counters.
struct CheckpointCounters {
  std::int64_t timed = 0;  // begun, since the last reset
  std::int64_t requested = 0;
  std::int64_t busy_ms = 0;          // spent on writing and syncing by those that have ended
  std::optional<std::int64_t> done;  // ended and not skipped; from PostgreSQL 18 on
  std::string life;                  // differs when the counters have begun anew
};

// What follows from the readings. Invariant: at most one checkpoint has no end, the last one.
class CheckpointHistory {
 public:
  // More of them are not kept: one a second for a day.
  static constexpr std::size_t checkpoints_most = 86'400;

  // Readings come in the order of time. Says in a line for people what is new, or nothing.
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

class CheckpointCounterWatch final : public CheckpointWatch {
 public:
  // `on_note` is called on the worker with a line for people, "checkpoint began (timed)"; it must
  // not throw.
  CheckpointCounterWatch(Access access, std::function<void(std::string_view)> on_note);

  // Throws nothing but Cancelled. A session that is lost is opened anew after
  // `pause_before_reopening`, for as long as it takes. There is nothing to see on a server without
  // these counters, or one that does not let us in at the first attempt. Start it when the sessions
  // of the run are open: it takes a slot of the server.
  coro::Task<void> run() override;

  // None until the server has told its counters at least once: that there were no checkpoints is
  // not known then.
  std::optional<std::vector<ObservedCheckpoint>> observed() const override;

  static constexpr coro::Duration pause_between_readings = std::chrono::seconds(1);
  static constexpr coro::Duration pause_before_reopening = std::chrono::seconds(5);

 private:
  coro::Task<void> watch_a_session();

  Access access_;
  std::function<void(std::string_view)> on_note_;
  CheckpointHistory history_;
  bool known_ = false;
};

// The statement that reads the counters of a server that calls itself `server_version`; none if it
// is no PostgreSQL. Its columns are those of CheckpointCounters: four of int8 and one of text.
std::optional<Statement> checkpoint_statement(std::string_view server_version);

}  // namespace drover::database::postgres
