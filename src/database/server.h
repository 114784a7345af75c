// Facts about a server: its dialect, the pooler in front of it, and the facts that a result
// contains; and the interfaces that observe the server during a run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"

namespace drover::database {

// The databases that use PostgreSQL's protocol.
enum class Dialect : std::uint8_t { postgres, cockroach, yugabyte, citus };

// The pooler between Drover and the server.
enum class Pooling : std::uint8_t {
  none,
  session,      // a session keeps its server process until it ends
  transaction,  // each transaction may get another process, so settings of a session do not last
  pgpool,       // as `session`, with several servers: reads may go to a standby
};

constexpr std::string_view pooling_name(Pooling pooling) noexcept {
  constexpr std::array<std::string_view, 4> names = {"none", "session", "transaction", "pgpool"};
  return names[static_cast<std::size_t>(pooling)];
}

// Isolation levels. No database has all of them.
enum class Isolation : std::uint8_t { read_committed, repeatable_read, snapshot, serializable };

// Returns the level as SQL writes it, in lower case.
constexpr std::string_view isolation_name(Isolation isolation) noexcept {
  constexpr std::array<std::string_view, 4> names = {"read committed", "repeatable read",
                                                     "snapshot", "serializable"};
  return names[static_cast<std::size_t>(isolation)];
}

// The facts of a server for the result, and for the options with the value "auto".
struct ServerFacts {
  std::string version;       // empty if the server does not tell
  std::string product = {};  // the product of this version; empty: the database's usual name
  std::map<std::string, std::string> settings;
  std::int64_t connections_max = 0;   // available to this role; 0: unknown
  std::int64_t connections_used = 0;  // by other clients
  // Connections of the limit that only superusers and some roles may use.
  // connections_max does not include them.
  std::int64_t connections_reserved = 0;
  // The name of the limit that applies, for messages.
  std::string connections_limit = "max_connections";
  Pooling pooling = Pooling::none;
  Dialect dialect = Dialect::postgres;
  std::vector<std::string> notes = {};  // lines for the user, before a run
};

struct ObservedCheckpoint {
  coro::Instant start;
  std::optional<coro::Instant> end;  // none: the end was not observed
  // Caused by a command or by the amount of WAL, and not by the clock. False also for a checkpoint
  // that had begun before the observation.
  bool requested = false;
};

// Numbers of the run's sessions in each wait event. Sessions without a transaction are not counted.
struct ActivitySample {
  coro::Instant time;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sessions;  // event's index, sessions
};

struct StatementCost {
  std::string text;
  std::uint64_t calls = 0;
  double total_ms = 0;
  std::uint64_t rows = 0;
};

struct ObservedActivity {
  std::vector<std::string> events;      // "CPU", "LWLock:WALWrite"
  std::vector<ActivitySample> samples;  // in the order of time
  // The most expensive statements since the watch began, in descending order. Nothing if the server
  // does not count statements.
  std::optional<std::vector<StatementCost>> statements;
};

// Observes the server's checkpoints. Belongs to the worker that executes run().
class CheckpointWatch {
 public:
  virtual ~CheckpointWatch() = default;

  // Runs until it is cancelled, or finds that the server shows no checkpoints.
  virtual coro::Task<void> run() = 0;

  // Returns nothing if the server does not show checkpoints.
  virtual std::optional<std::vector<ObservedCheckpoint>> observed() const = 0;
};

// Observes wait events and costs of statements. Belongs to the worker that executes run().
class ActivityWatch {
 public:
  virtual ~ActivityWatch() = default;

  // Runs until it is cancelled, or finds that the server shows no activity.
  virtual coro::Task<void> run() = 0;

  // Reads the final figures after the run's sessions have ended, until the timeout. Throws only
  // Cancelled.
  virtual coro::Task<void> finish(coro::Duration timeout) = 0;

  // Returns nothing if the server has not shown its sessions.
  virtual std::optional<ObservedActivity> observed() const = 0;
};

// Receives lines for the user. May be empty.
using NoteFunction = std::function<void(std::string_view)>;

// A server that a run can observe. The base of the workloads' interfaces to databases.
class ObservedServer {
 public:
  ObservedServer() = default;
  ObservedServer(const ObservedServer&) = delete;
  ObservedServer& operator=(const ObservedServer&) = delete;
  virtual ~ObservedServer() = default;

  // Both return null if the kind of database has nothing to show. `on_note` is called on the
  // watch's worker and must not throw.
  virtual std::unique_ptr<CheckpointWatch> watch_checkpoints(NoteFunction /*on_note*/) const {
    return nullptr;
  }
  virtual std::unique_ptr<ActivityWatch> watch_activity(NoteFunction /*on_note*/) const {
    return nullptr;
  }
};

}  // namespace drover::database
