// Opens sessions and makes them ready: sessions of a run, administrative sessions, and the session
// that looks up the outcome of unknown commits.
//
// An administrative session reads the whole database, loads it, changes its tables, or watches the
// server. It lifts the limits that a role or a database sets for short transactions
// (statement_timeout, lock_timeout and so on), and tells Access::on_session_note which sessions it
// waits for. A session of a run keeps the limits of the server.
//
// Thread safety: a session belongs to the worker on which it was made. Errors: database::Error.
#pragma once

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
#include "database/postgres/session_identity.h"
#include "database/server.h"
#include "database/session_pool.h"

namespace drover::database::postgres {

// Opens an administrative session whose search path begins with the schema (empty: the server's
// search path), on a server of Access::role. Behind transaction pooling, each transaction sets the
// path.
coro::Task<std::unique_ptr<Connection>> open_in_schema(Access access);
// The same where it is known already what stands between.
coro::Task<std::unique_ptr<Connection>> open_in_schema(Access access, Pooling pooling);
// Opens an administrative session for a caller that qualifies all tables with their schema.
coro::Task<std::unique_ptr<Connection>> open_connection(Access access);
coro::Task<std::unique_ptr<Connection>> open_connection(Access access, Pooling pooling);

// Opens a session of a run in the schema, on a server of Access::role.
coro::Task<std::unique_ptr<Connection>> open_for_run(Access access, Pooling pooling);

// Waits until a pooler has a process for the session or its next transaction. Throws Error, whose
// message names the pooler's pool, if there is none for 20 s.
coro::Task<void> require_process(Connection& connection);

struct SessionSettings {
  Access access;
  Pooling pooling = Pooling::none;                  // as the server was found
  Isolation isolation = Isolation::read_committed;  // not `snapshot`
  // The server ends a statement at it, and a round trip has a little more; 0: there is no limit.
  coro::Duration statement_timeout{};
  // Plans for any parameters: the five that are made first otherwise cost more than they bring.
  bool generic_plans = true;
  // What the session is SET to besides for its prepared statements; a server that does not know one goes on without it.
  std::vector<std::string> settings_if_known = {};

  // The same, beginning with that host (Access::first_host).
  SessionSettings at(std::optional<std::size_t> first_host) const {
    SessionSettings settings = *this;
    settings.access.first_host = first_host;
    return settings;
  }
};

struct OpenedSession {
  std::unique_ptr<Connection> connection;
  std::optional<SessionIdentity> identity;  // none where the server has no pg_stat_activity
};

// Opens a session with these statements prepared. `statements` must outlive the task.
coro::Task<OpenedSession> open_session(const SessionSettings& settings,
                                       std::span<const Statement> statements);

// Has the server end each statement at `timeout` (statement_timeout), and gives the session up a little later, where
// the server says nothing; 0: there is no limit.
coro::Task<void> limit_statements(Connection& connection, coro::Duration timeout);

// Whether each attempt to open a session will end as this one has: no access, or tables and columns that are not there
// (families 42 and 3F). A server short of memory, say, may get over it.
bool is_hopeless(const Error& error) noexcept;

struct AskingTime {
  coro::Duration to_open{};    // the session
  coro::Duration to_answer{};  // what is asked
};

// Opens a session and calls the body with it, to ask which commits of unknown outcome happened.
// Before that, the sessions in `abandoned`, which were left within a statement, have ended and the
// list is empty, and Citus has no prepared transactions left (recover_prepared() in citus_nodes.h).
// Throws nothing but Cancelled: if the time is over or the server refuses, the body does not end.
coro::Task<void> ask_after_the_others(const SessionSettings& settings,
                                      std::vector<SessionIdentity>& abandoned, AskingTime time,
                                      ReopenPause& pause,
                                      std::function<coro::Task<void>(Connection&)> body);

}  // namespace drover::database::postgres
