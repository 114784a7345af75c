// Identification of the server's sessions, and their end (session_setup.h).

#include <fmt/format.h>

#include <random>
#include <string_view>
#include <vector>

#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "database/postgres/citus.h"
#include "database/postgres/dialect.h"
#include "database/postgres/session_setup.h"
#include "text/plain_text.h"

namespace drover::database::postgres {
namespace {

using coro::Task;

// The function works for roles from which the view was revoked. Other dialects have the view only.
std::string_view activity_in(Dialect dialect) {
  const bool has_function = dialect == Dialect::postgres || dialect == Dialect::citus;
  return has_function ? "pg_stat_get_activity(NULL)" : "pg_stat_activity";
}

// Returns the count in the result. Throws if there is no row, which does not mean 0.
std::int64_t count_in(const Result& result) {
  if (result.rows() == 1) return result.number<std::int64_t>(0, 0);
  throw Error(ErrorClass::statement, "", "the server returned no row for a count");
}

// Asks the sessions to end. Returns the number of sessions that still exist.
Task<std::int64_t> ask_to_end(Connection& connection, std::span<const std::int32_t> pids,
                              std::span<const std::string_view> starts) {
  const Result result = co_await connection.query(
      fmt::format(
          "SELECT count(pg_terminate_backend(pid)) FROM {} "
          "JOIN unnest($1::int4[], $2::text[]::timestamptz[]) AS gone(pid, started) USING (pid) "
          "WHERE backend_start = started",
          activity_in(connection.dialect())),
      pids, starts);
  co_return count_in(result);
}

// Does the same on Citus, where any node may have the sessions, and also ends their connections to
// other nodes. Counts a node that does not answer as one session that is left.
Task<std::int64_t> ask_all_nodes_to_end(Connection& connection,
                                        std::span<const SessionIdentity> sessions) {
  std::vector<std::string> rows;
  for (const SessionIdentity& session : sessions) {
    if (session.global_pid.empty()) continue;
    rows.push_back(fmt::format("({}, '{}'::timestamptz, '{}')", session.pid, session.started,
                               session.global_pid));
  }
  if (rows.empty()) co_return 0;
  // The application_name of internal connections is "citus_internal gpid=…" or similar.
  const std::vector<NodeAnswer> answers = co_await ask_all_nodes(
      connection,
      fmt::format("SELECT count(pg_terminate_backend(a.pid)) FROM pg_stat_get_activity(NULL) AS a "
                  "JOIN (VALUES {}) AS gone(pid, started, gpid) ON (a.pid = gone.pid AND "
                  "backend_start = started) OR (application_name LIKE 'citus%gpid=' || gpid AND "
                  "backend_start >= started)",
                  fmt::join(rows, ", ")));
  std::int64_t left = 0;
  for (const NodeAnswer& answer : answers) {
    left += answer.succeeded ? text::number_of<std::int64_t>(answer.text).value_or(1) : 1;
  }
  co_return left;
}

std::string from_named_sessions(Dialect dialect) {
  return fmt::format("FROM {} WHERE application_name = ANY($1::text[])", activity_in(dialect));
}

// pgpool takes the end of a process for the end of its server, unless the statement has its number.
Task<std::int64_t> ask_pgpool_to_end(Connection& connection,
                                     std::span<const std::string_view> names) {
  const Result left =
      co_await connection.query("SELECT pid " + from_named_sessions(connection.dialect()), names);
  for (int row = 0; row < left.rows(); ++row) {
    co_await connection.script(fmt::format("SELECT pg_terminate_backend({})", left.text(row, 0)));
  }
  co_return left.rows();
}

// Does the same for sessions or transactions with these names.
Task<std::int64_t> ask_to_end(Connection& connection, std::span<const std::string_view> names) {
  if (connection.pooling() == Pooling::pgpool) {
    co_return co_await ask_pgpool_to_end(connection, names);
  }
  const Result result = co_await connection.query(
      "SELECT count(pg_terminate_backend(pid)) " + from_named_sessions(connection.dialect()),
      names);
  co_return count_in(result);
}

// Does the same for sessions of CockroachDB.
Task<std::int64_t> ask_to_cancel(Connection& connection, std::span<const std::string_view> ids) {
  std::int64_t left = 0;
  for (const std::string_view id : ids) {
    const std::string quoted = text::replaced(std::string(id), "'", "''");
    const Result found = co_await connection.query(fmt::format(
        "SELECT count(*) FROM [SHOW CLUSTER SESSIONS] WHERE session_id = '{}'", quoted));
    if (count_in(found) == 0) continue;
    ++left;
    co_await connection.script(fmt::format("CANCEL SESSION IF EXISTS '{}'", quoted));
  }
  co_return left;
}

// Returns the session's name with a random word, so that no other session has the same name.
std::string unused_name(std::string_view own_name) {
  constexpr std::size_t name_max = 40;  // of the 63 that the server keeps
  std::random_device random;
  return fmt::format("{} {:08x}{:08x}", own_name.substr(0, name_max), random(), random());
}

// Returns an empty string on a server that is not Citus, or is too old for citus_backend_gpid().
Task<std::string> find_global_pid(Connection& own) {
  if (own.dialect() != Dialect::citus) co_return "";
  const auto result = co_await query_if_allowed(own, "SELECT citus_backend_gpid()");
  co_return result ? std::string(result->text(0, 0)) : std::string();
}

}  // namespace

Task<std::optional<SessionIdentity>> identify_session(Connection& own) {
  try {
    if (!traits_of(own.dialect()).processes) {
      const Result id = co_await own.query("SHOW session_id");
      if (id.rows() != 1) co_return std::nullopt;
      SessionIdentity named;
      named.session_id = id.text(0, 0);
      co_return named;
    }
    // pgpool gives the process of a session that has ended to the next one, without the name.
    if (own.setup() != nullptr || own.pooling() == Pooling::pgpool) {
      SessionIdentity named;
      const Result name = co_await own.query(
          fmt::format("SELECT application_name FROM {} WHERE pid = pg_backend_pid()",
                      activity_in(own.dialect())));
      named.application_name = unused_name(name.rows() == 1 ? name.text(0, 0) : "drover");
      const std::string quoted = text::replaced(named.application_name, "'", "''");
      co_await set(own, fmt::format("SET application_name TO '{}'", quoted));
      co_return named;
    }
    const Result result = co_await own.query(
        fmt::format("SELECT pid, backend_start FROM {} WHERE pid = pg_backend_pid()",
                    activity_in(own.dialect())));
    if (result.rows() == 1) {
      SessionIdentity found{result.number<std::int32_t>(0, 0), std::string(result.text(0, 1))};
      found.global_pid = co_await find_global_pid(own);
      co_return found;
    }
  } catch (const Error& error) {
    if (!error.is_permanent() || own.broken()) throw;
  }
  co_return std::nullopt;
}

Task<bool> end_sessions(Connection& connection, std::span<const SessionIdentity> sessions,
                        coro::Duration timeout) {
  if (sessions.empty()) co_return true;
  std::vector<std::int32_t> pids;
  std::vector<std::string_view> starts;
  std::vector<std::string_view> names;
  std::vector<std::string_view> ids;
  for (const SessionIdentity& session : sessions) {
    if (!session.session_id.empty()) {
      ids.push_back(session.session_id);
    } else if (!session.application_name.empty()) {
      names.push_back(session.application_name);
    } else if (session.global_pid.empty()) {
      pids.push_back(session.pid);
      starts.push_back(session.started);
    }
  }
  const coro::Instant give_up = coro::Worker::current().now() + timeout;
  for (;;) {
    std::int64_t left = co_await ask_all_nodes_to_end(connection, sessions);
    if (!pids.empty()) left += co_await ask_to_end(connection, pids, starts);
    if (!names.empty()) left += co_await ask_to_end(connection, names);
    if (!ids.empty()) left += co_await ask_to_cancel(connection, ids);
    if (left == 0) co_return true;
    if (coro::Worker::current().now() >= give_up) co_return false;
    co_await coro::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace drover::database::postgres
