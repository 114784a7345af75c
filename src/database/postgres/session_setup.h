// Opens sessions and makes them ready: sessions of a run, administrative sessions, and the session
// that looks up the outcome of unknown commits.
//
// An administrative session reads the whole database, loads it, changes its tables, or watches the
// server. It lifts the limits that a role or a database sets for short transactions
// (statement_timeout, lock_timeout and so on). While a statement waits for a lock for more than two
// seconds, it tells Access::on_session_note which sessions hold the lock, unless it is behind
// transaction pooling. A session of a run keeps the limits of the server.
//
// Thread safety: a session belongs to the worker on which it was made. Errors: database::Error.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/postgres/access.h"
#include "database/postgres/connection.h"
#include "database/server.h"
#include "database/session_pool.h"

namespace drover::database::postgres {

// Opens an administrative session whose search path begins with the schema (empty: the server's
// search path), on a server of Access::role. Behind transaction pooling, each transaction sets the
// path. Without `pooling`, asks the server for it.
coro::Task<std::unique_ptr<Connection>> open_in_schema(Access access,
                                                       std::optional<Pooling> pooling = {});
// Opens an administrative session for a caller that qualifies all tables with their schema.
coro::Task<std::unique_ptr<Connection>> open_connection(Access access,
                                                        std::optional<Pooling> pooling = {});

// Opens a session of a run in the schema, on a server of Access::role.
coro::Task<std::unique_ptr<Connection>> open_for_run(Access access, Pooling pooling);

// Waits until a pooler has a process for the session or its next transaction. Throws Error, whose
// message names the pooler's pool, if there is none for 20 s.
coro::Task<void> require_process(Connection& connection);

// Identifies a session of the server. A process number alone may be used again.
struct SessionIdentity {
  std::int32_t pid = 0;
  std::string started;  // backend_start, as text in UTC
  // The session's own application_name. It identifies the session in place of the process number if
  // a pooler may let the process serve another session later.
  std::string application_name = {};
  // Identifies the session on servers whose sessions have names and no process numbers.
  std::string session_id = {};
  // On Citus, in addition: citus_backend_gpid(), which the session's connections to other nodes
  // have in their application_name.
  std::string global_pid = {};
};

// Identifies this session, or returns nothing if the server does not tell. Behind a pooler, gives
// the session an application_name of its own, and behind transaction pooling each transaction.
coro::Task<std::optional<SessionIdentity>> identify_session(Connection& own);

// Ends the sessions that still exist, because a server executes a statement even if its client has
// gone, and waits for their end. On Citus, ends sessions on all nodes, and their connections to
// other nodes. Returns false if some have not ended before the timeout, or if a node did not
// answer.
coro::Task<bool> end_sessions(Connection& connection, std::span<const SessionIdentity> sessions,
                              coro::Duration timeout);

struct SessionSettings {
  Access access;
  Pooling pooling = Pooling::none;
  Isolation isolation = Isolation::read_committed;  // not `snapshot`
  // The limit of the server for a statement. A round trip may take a little longer. 0: no limit.
  coro::Duration statement_timeout{};
  // Uses generic plans at once, and not only after five custom plans.
  bool generic_plans = true;
  // Further SET commands. A server that does not know a setting works without it.
  std::vector<std::string> settings_if_known = {};

  // Returns the same settings with another Access::first_host.
  SessionSettings at(std::optional<std::size_t> first_host) const {
    SessionSettings settings = *this;
    settings.access.first_host = first_host;
    return settings;
  }
};

struct OpenedSession {
  std::unique_ptr<Connection> connection;
  std::optional<SessionIdentity> identity;  // none: the server does not tell
};

// Opens a session with these statements prepared. `statements` must outlive the task.
coro::Task<OpenedSession> open_session(const SessionSettings& settings,
                                       std::span<const Statement> statements);

// Sets statement_timeout, and the limit of a round trip a little later; 0: no limits.
coro::Task<void> limit_statements(Connection& connection, coro::Duration timeout);

// Returns true if every attempt to open a session will fail like this: no access, or missing tables
// or columns (families 42 and 3F).
bool is_hopeless(const Error& error) noexcept;

struct AskingTimeouts {
  coro::Duration to_open{};    // the session
  coro::Duration to_answer{};  // the questions
};

// Opens a session and calls the body with it, to find out which unknown commits happened. Before
// that, ends the sessions in `abandoned`, which were left within a statement, clears the list, and
// waits until Citus has no prepared transactions (recover_prepared() in citus.h). Throws only
// Cancelled: if the time is over or the server refuses, the body does not end.
coro::Task<void> ask_after_run(const SessionSettings& settings,
                               std::vector<SessionIdentity>& abandoned, AskingTimeouts time,
                               ReopenPause& pause,
                               std::function<coro::Task<void>(Connection&)> body);

}  // namespace drover::database::postgres
