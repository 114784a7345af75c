#include "database/postgres/shared_snapshot.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "database/postgres/dialect.h"
#include "database/postgres/session_setup.h"
#include "text/plain_text.h"

namespace drover::database::postgres {

using coro::Task;

bool refused_by_server(const Error& error, const Connection& session) noexcept {
  const ErrorClass is = error.error_class();
  const bool refused =
      error.is_permanent() || is == ErrorClass::timed_out || is == ErrorClass::retryable;
  return refused && !session.broken();
}

namespace {

// Returns the error if the server refused the statement. Otherwise sets `answer` to the first
// field.
Task<std::optional<Error>> try_statement(Connection& session, std::string sql,
                                         std::string& answer) {
  try {
    const Result result = co_await session.script(std::move(sql));
    if (result.rows() > 0) answer = result.text(0, 0);
    co_return std::nullopt;
  } catch (const Error& error) {
    if (!refused_by_server(error, session)) throw;
    co_return error;
  }
}

Task<void> begin_transaction(Connection& session) {
  co_await session.script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
}

Task<void> begin_anew(Connection& session) {
  co_await session.script("ROLLBACK");
  co_await begin_transaction(session);
}

Task<void> save(Connection& session) {
  co_await session.script("SAVEPOINT before_statement");
}

// Returns a text that tells the server from its standbys and its primary; empty if unknown. The
// session has a savepoint. The nodes of Citus have the same data, unless they are standbys.
Task<std::string> find_server(Connection& session) {
  std::string server;
  const Dialect dialect = session.dialect();
  const bool has_standbys = dialect == Dialect::postgres || dialect == Dialect::citus;
  if (!has_standbys || session.pooling() == Pooling::pgpool) co_return server;
  const auto refused =
      co_await try_statement(session,
                             dialect == Dialect::postgres ? "SELECT pg_postmaster_start_time()"
                                                          : "SELECT pg_is_in_recovery()",
                             server);
  if (refused) co_await SharedSnapshot::recover(session);
  co_return server;
}

// Returns true if the server has no such snapshot: the SQLSTATEs of PostgreSQL up to 15, since 16,
// and for a snapshot whose transaction has ended. Otherwise it refuses to share it.
bool is_unknown_snapshot(const Error& error) noexcept {
  const std::string_view state = error.sqlstate();
  return state == "22023" || state == "42704" || state == "55000";
}

}  // namespace

Task<void> SharedSnapshot::begin(Connection& first) {
  const DialectTraits& traits = traits_of(first.dialect());
  co_await begin_transaction(first);
  if (first.pooling() == Pooling::pgpool) {
    // pgpool-II would send the snapshot to standbys, too, which do not know it.
    refusal_ = "pgpool-II cannot share a snapshot between sessions";
  } else if (traits.dialect == Dialect::citus) {
    refusal_ = "the nodes of Citus cannot share a snapshot";
  } else if (!traits.shared_snapshots) {
    refusal_ = fmt::format("{} cannot share a snapshot between sessions", traits.title);
  } else {
    const auto refused = co_await try_statement(first, "SELECT pg_export_snapshot()", id_);
    if (refused) {
      refusal_ = refused->what();
      co_await begin_anew(first);
    }
  }
  co_await save(first);
  server_ = co_await find_server(first);
}

// Returns why the session is on another server, or nothing if it is in the snapshot or has its own.
Task<std::optional<std::string>> SharedSnapshot::begin_beside(Connection& other) {
  // The first session keeps one process of the pool until all sessions have ended.
  if (other.pooling() == Pooling::transaction) co_await require_process(other);
  co_await begin_transaction(other);
  if (!id_.empty()) {
    std::string ignored;
    const auto refused = co_await try_statement(
        other, fmt::format("SET TRANSACTION SNAPSHOT '{}'", text::replaced(id_, "'", "''")),
        ignored);
    if (refused) {
      if (other.dialect() == Dialect::postgres && is_unknown_snapshot(*refused)) {
        co_return refused->what();
      }
      if (!refusal_) refusal_ = refused->what();
      co_await begin_anew(other);
    }
  }
  co_await save(other);
  const std::string server = co_await find_server(other);
  if (server_.empty()) server_ = server;
  if (server.empty() || server == server_) co_return std::nullopt;
  co_return other.dialect() == Dialect::postgres
      ? fmt::format("one server started at {}, another at {}", server_, server)
      : "one server is a standby";
}

Task<std::unique_ptr<Connection>> SharedSnapshot::join(Opener open) {
  constexpr int tries_max = 32;
  std::unique_ptr<Connection> session;
  std::optional<std::string> elsewhere;
  for (int tries = 0; tries < tries_max; ++tries) {
    // The previous session closes only now, so that a balancer that prefers the server with the
    // fewest sessions leads to another server.
    session = co_await open();
    elsewhere = co_await begin_beside(*session);
    if (!elsewhere) co_return session;
  }
  throw Error(ErrorClass::unavailable, "",
              fmt::format("the sessions of the check are on different servers ({}). Connect to one "
                          "server, or name all hosts in the URI, with target_session_attrs=primary",
                          *elsewhere));
}

Task<void> SharedSnapshot::recover(Connection& session) {
  co_await session.script("ROLLBACK TO SAVEPOINT before_statement");
}

}  // namespace drover::database::postgres
