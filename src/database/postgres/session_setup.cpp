#include "database/postgres/session_setup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "coro/deadline.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "database/postgres/citus.h"
#include "database/postgres/dialect.h"
#include "database/postgres/server_facts.h"
#include "database/postgres/statement.h"

namespace drover::database::postgres {

using coro::Task;

namespace {

constexpr std::string_view other_role = "25006";  // read_only_sql_transaction

// The limit of each round trip while a session is set up, so that a server that accepts the
// connection and then hangs is tried again.
constexpr coro::Duration set_up_limit = std::chrono::seconds(20);

// The server's own timeout comes first, because it leaves the session usable.
constexpr coro::Duration round_trip_grace = std::chrono::seconds(5);

constexpr std::string_view small_pool_advice =
    "the pooler's pool may be smaller than the number of connections. Raise its default_pool_size "
    "(a load or an import needs --connections plus one, so at least 2), or use fewer --connections";

Error with_advice(const Error& error, std::string_view advice) {
  return {error.error_class(), error.sqlstate(), fmt::format("{}: {}", error.what(), advice)};
}

// Finds the dialect and the pooler.
Task<Pooling> ask_whom(Connection& connection, Access& access) {
  try {
    if (!access.dialect) access.dialect = co_await find_dialect(connection);
    if (!traits_of(*access.dialect).processes) co_return Pooling::none;
    co_return co_await find_pooling(connection, access);
  } catch (const Error& error) {
    if (!connection.unanswered()) throw;
    throw with_advice(error,
                      "the other side accepted the connection and then sent nothing. A pooler "
                      "behaves like this if its server is not reachable or its pool is exhausted");
  }
}

// Throws if pgpool-II has lost its primary and uses only standbys.
Task<void> require_primary(Connection& connection) {
  const Result result = co_await connection.query("SELECT pg_is_in_recovery()");
  if (result.rows() == 1 && result.text(0, 0) == "f") co_return;
  throw Error(ErrorClass::unavailable, std::string(other_role),
              "pgpool-II has no primary at present, only a standby. See its nodes with SHOW "
              "pool_nodes, and attach a node again with pcp_attach_node");
}

// Lifts the time limits that this version of the server has. Uses SET and not the startup packet,
// because poolers refuse unknown parameters in the packet.
Task<void> lift_limits(Connection& connection) {
  constexpr std::pair<std::string_view, int> limits[] = {{"statement_timeout", 0},
                                                         {"lock_timeout", 0},
                                                         {"idle_in_transaction_session_timeout", 0},
                                                         {"idle_session_timeout", 140000},
                                                         {"transaction_timeout", 170000}};
  const bool is_relative = !traits_of(connection.dialect()).processes;
  // Idle sessions behind transaction pooling belong to the pooler.
  const bool is_own_session = connection.pooling() != Pooling::transaction;
  std::vector<std::string> settings;
  for (const auto& [name, since] : limits) {
    if (!is_own_session && name == "idle_session_timeout") continue;
    if (is_relative || connection.server_version() >= since) {
      settings.push_back(fmt::format("SET {} = 0", name));
    }
  }
  if (connection.setup() == nullptr && !is_relative) {
    try {
      co_await connection.script(fmt::format("{}", fmt::join(settings, "; ")));
      co_return;
    } catch (const Error& error) {
      if (error.error_class() != ErrorClass::statement || connection.broken()) throw;
    }
  }
  for (std::string& setting : settings) co_await set_if_known(connection, std::move(setting));
}

void tell_support(const Connection& connection, const Access& access) {
  if (!access.on_session_note || !access.support_told || access.support_told->test_and_set())
    return;
  for (const std::string& note : support_notes(connection)) access.on_session_note(note);
}

constexpr coro::Duration first_look_after = std::chrono::seconds(2);
constexpr coro::Duration pause_most = std::chrono::seconds(30);

// Process 0 stands for a prepared transaction. These functions work for roles from which
// pg_stat_activity was revoked.
constexpr std::string_view holders_sql =
    "SELECT b.pid, coalesce(a.application_name, ''), coalesce(pg_get_userbyid(a.usesysid), ''), "
    "coalesce(a.state, ''), coalesce(date_trunc('second', a.query_start)::text, '') "
    "FROM (SELECT DISTINCT unnest(pg_blocking_pids($1::int4)) AS pid) b "
    "LEFT JOIN pg_stat_get_activity(NULL) a ON a.pid = b.pid ORDER BY b.pid LIMIT 5";

std::string described(const Result& holders, int row) {
  if (holders.text(row, 0) == "0") return "a prepared transaction";
  std::string text = fmt::format("session {}", holders.text(row, 0));
  std::string details;
  const auto add = [&](std::string_view what, std::string_view value) {
    if (value.empty()) return;
    details += fmt::format("{}{}{}", details.empty() ? "" : ", ", what, value);
  };
  add("application ", holders.text(row, 1));
  add("user ", holders.text(row, 2));
  add("", holders.text(row, 3));
  add("its last statement began ", holders.text(row, 4));
  return details.empty() ? text : fmt::format("{} ({})", text, details);
}

// Returns one line that names the sessions that hold the lock, or an empty text if the process
// waits for none.
Task<std::string> look_for_holders(Access access, std::int32_t process) {
  access.schema.clear();
  const auto connection = co_await open(std::move(access));
  connection->set_round_trip_limit(std::chrono::seconds(5));
  const Result holders = co_await connection->query(std::string(holders_sql), process);
  std::string names;
  for (int row = 0; row < holders.rows(); ++row) {
    names += fmt::format("{}{}", row == 0 ? "" : "; ", described(holders, row));
  }
  if (names.empty()) co_return names;
  co_return database::one_line(fmt::format("waiting for a lock that is held by {}", names));
}

// Runs beside a statement. Errors are ignored: they do not concern the statement.
Task<void> watch_statement(const Access& access, std::int32_t process) {
  std::string said;
  for (coro::Duration pause = first_look_after;; pause = std::min(2 * pause, pause_most)) {
    co_await coro::sleep_for(pause);
    try {
      std::string line = co_await look_for_holders(access, process);
      if (line.empty() || line == said) continue;
      access.on_session_note(line);
      said = std::move(line);
    } catch (const std::exception&) {
      co_return;
    }
  }
}

// Watches each later statement of the session that lasts longer than two seconds, by short sessions
// at growing intervals, and tells access.on_session_note who holds the lock that it waits for.
Task<void> name_lock_holders(Connection& connection, Access access) {
  const bool is_known = traits_of(connection.dialect()).processes;
  if (!access.on_session_note || !is_known || connection.pooling() == Pooling::transaction)
    co_return;
  std::int32_t process = connection.backend_pid();
  if (connection.pooling() != Pooling::none) {
    const Result own = co_await connection.query("SELECT pg_backend_pid()");
    if (own.rows() != 1) co_return;
    process = own.number<std::int32_t>(0, 0);
  }
  access.first_host = connection.host();  // another server does not know the process
  connection.accompany_statements(
      [access = std::move(access), process] { return watch_statement(access, process); });
}

// Returns why the server does not fit the role, or nothing if it fits. Only PostgreSQL and Citus
// have standbys that accept sessions.
Task<std::optional<Error>> find_misfit(Connection& connection, ServerRole role) {
  const Dialect dialect = connection.dialect();
  const bool has_standbys = dialect == Dialect::postgres || dialect == Dialect::citus;
  if (role == ServerRole::any || !has_standbys) co_return std::nullopt;
  // Servers report in_hot_standby since version 14. A pooler may report it for another server.
  std::string_view standby = connection.parameter_status("in_hot_standby");
  if (role == ServerRole::primary || standby.empty()) {
    const Result recovers = co_await connection.query("SELECT pg_is_in_recovery()");
    standby = recovers.rows() == 1 && recovers.text(0, 0) == "t" ? "on" : "off";
  }
  if (role == ServerRole::primary) {
    if (standby != "on") co_return std::nullopt;
    co_return Error(ErrorClass::unavailable, std::string(other_role),
                    "the server is a standby, and its data may lag behind. Name all hosts in the "
                    "URI, with target_session_attrs=primary");
  }
  if (standby != "on" && connection.parameter_status("default_transaction_read_only") != "on") {
    co_return std::nullopt;
  }
  co_return Error(ErrorClass::unavailable, std::string(other_role),
                  "the server accepts no writes: it is a standby, or default_transaction_read_only "
                  "is on. Name all hosts in the URI, with target_session_attrs=read-write");
}

enum class Purpose : std::uint8_t { administration, run };

Task<void> wait_for_process(Connection& connection) {
  try {
    co_await connection.script("SELECT 1");
  } catch (const Error& error) {
    if (!connection.unanswered()) throw;
    throw with_advice(error, small_pool_advice);
  }
}

// Opens a session and sets it up. Sets `misfit` if the server has another role than access.role.
Task<std::unique_ptr<Connection>> open_once(Access access, std::optional<Pooling> pooling,
                                            Purpose purpose, std::optional<Error>& misfit) {
  auto connection = co_await open(access);
  connection->set_round_trip_limit(set_up_limit);
  if (!pooling) pooling = co_await ask_whom(*connection, access);
  // The first query of a session. A run's session behind transaction pooling waits in the pooler's
  // queue without a limit.
  const bool waits_alone = pooling == Pooling::transaction && purpose == Purpose::administration;
  if (pooling == Pooling::session || waits_alone) co_await wait_for_process(*connection);
  connection->set_dialect(access.dialect.value_or(Dialect::postgres));
  connection->set_pooling(*pooling);
  if (pooling == Pooling::transaction) connection->set_up_each_transaction({});
  if (pooling == Pooling::pgpool) co_await require_primary(*connection);
  if (!access.schema.empty()) {
    co_await set(*connection,
                 fmt::format("SET search_path TO {}", quote_identifier(access.schema)));
  }
  if (purpose == Purpose::administration) {
    tell_support(*connection, access);
    co_await lift_limits(*connection);
    co_await name_lock_holders(*connection, access);
  }
  misfit = co_await find_misfit(*connection, access.role);
  connection->set_round_trip_limit(std::nullopt);
  co_return connection;
}

// Opens a session, and again while the server has another role than access.role or no room, until
// the time limit for it.
Task<std::unique_ptr<Connection>> open_with_retries(Access access, std::optional<Pooling> pooling,
                                                    Purpose purpose) {
  constexpr std::string_view too_many_connections = "53300";
  constexpr coro::Duration longest_pause = std::chrono::milliseconds(100);
  const bool retries = access.role_timeout > coro::Duration::zero();
  const int attempts_least = retries ? 4 : 1;
  coro::Duration pause = std::chrono::milliseconds(5);
  const coro::Instant begun = coro::Worker::current().now();
  for (int attempt = 1;; ++attempt) {
    std::optional<Error> refusal;
    coro::Duration timeout = access.role_timeout;
    try {
      auto connection = co_await open_once(access, pooling, purpose, refusal);
      if (!refusal) co_return connection;
    } catch (const Error& error) {
      if (error.sqlstate() != too_many_connections) throw;
      refusal = error;
      if (retries) timeout = access.room_timeout;
    }
    const bool is_late = coro::Worker::current().now() + pause > begun + timeout;
    if (is_late && attempt >= attempts_least) throw Error(*refusal);
    co_await coro::sleep_for(pause);
    pause = std::min(2 * pause, longest_pause);
  }
}

Task<void> set_up_session(Connection& connection, const SessionSettings& settings) {
  co_await connection.script(fmt::format(
      "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL {}; SET TimeZone TO 'UTC'",
      isolation_name(settings.isolation)));
  if (settings.generic_plans && traits_of(connection.dialect()).generic_plans) {
    co_await set_if_known(connection, "SET plan_cache_mode = force_generic_plan");
  }
  co_await set_up_citus_run(connection);
  for (const std::string& setting : settings.settings_if_known) {
    co_await set_if_known(connection, setting);
  }
}

Task<OpenedSession> open_ready_session(const SessionSettings& settings,
                                       std::span<const Statement> statements) {
  OpenedSession opened;
  opened.connection = co_await open_for_run(settings.access, settings.pooling);
  Connection& connection = *opened.connection;
  connection.set_round_trip_limit(set_up_limit);
  if (TransactionSetup* const setup = connection.setup()) {
    setup->begin = fmt::format("BEGIN ISOLATION LEVEL {}", isolation_name(settings.isolation));
    co_await set(connection, "SET TimeZone TO 'UTC'");
  } else {
    co_await set_up_session(connection, settings);
  }
  opened.identity = co_await identify_session(connection);
  co_await connection.prepare(statements);
  co_await limit_statements(connection, settings.statement_timeout);
  co_return opened;
}

Task<std::unique_ptr<Connection>> open_and_end_sessions(const SessionSettings& settings,
                                                        std::vector<SessionIdentity>& abandoned,
                                                        coro::Duration timeout) {
  Access access = settings.access;
  access.role = ServerRole::primary;
  auto connection = co_await open_in_schema(std::move(access), settings.pooling);
  co_await set(*connection, "SET TimeZone TO 'UTC'");
  const bool ended = co_await end_sessions(*connection, abandoned, timeout);
  if (!ended) {
    throw Error(
        ErrorClass::denied, "",
        "earlier sessions have not ended, so the outcome of their transactions is not final");
  }
  abandoned.clear();
  co_return connection;
}

// Returns null if no session can be opened in time.
Task<std::unique_ptr<Connection>> open_after_run(const SessionSettings& settings,
                                                 std::vector<SessionIdentity>& abandoned,
                                                 coro::Duration timeout, ReopenPause& pause) {
  const coro::Instant give_up = coro::Worker::current().now() + timeout;
  for (int attempt = 0; coro::Worker::current().now() < give_up; ++attempt) {
    try {
      co_return co_await coro::with_deadline(give_up,
                                             open_and_end_sessions(settings, abandoned, timeout));
    } catch (const Error& error) {
      if (error.error_class() == ErrorClass::denied) break;
      // The server may be starting, so the next attempt follows.
    } catch (const coro::DeadlineExceeded&) {
      break;
    }
    co_await coro::sleep_for(pause(attempt));
  }
  co_return nullptr;
}

}  // namespace

Task<void> require_process(Connection& connection) {
  connection.set_round_trip_limit(set_up_limit);
  co_await wait_for_process(connection);
  connection.set_round_trip_limit(std::nullopt);
}

Task<std::unique_ptr<Connection>> open_in_schema(Access access, std::optional<Pooling> pooling) {
  return open_with_retries(std::move(access), pooling, Purpose::administration);
}

Task<std::unique_ptr<Connection>> open_for_run(Access access, Pooling pooling) {
  return open_with_retries(std::move(access), pooling, Purpose::run);
}

Task<std::unique_ptr<Connection>> open_connection(Access access, std::optional<Pooling> pooling) {
  access.schema.clear();
  return open_in_schema(std::move(access), pooling);
}

Task<OpenedSession> open_session(const SessionSettings& settings,
                                 std::span<const Statement> statements) {
  try {
    co_return co_await open_ready_session(settings, statements);
  } catch (const Error& error) {
    const bool is_silence =
        error.error_class() == ErrorClass::connection_lost && error.sqlstate().empty();
    if (settings.pooling == Pooling::pgpool &&
        std::string_view(error.what()).ends_with("(connect_timeout)")) {
      throw with_advice(error,
                        "pgpool-II may have fewer processes than the run has connections. Use "
                        "fewer --connections, or raise its num_init_children");
    }
    const bool is_advised = std::string_view(error.what()).ends_with(small_pool_advice);
    if (settings.pooling != Pooling::session || !is_silence || is_advised) throw;
    throw with_advice(error, small_pool_advice);
  }
}

Task<void> limit_statements(Connection& connection, coro::Duration timeout) {
  const auto timeout_ms = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
  connection.set_round_trip_limit(set_up_limit);
  co_await set_if_known(connection, fmt::format("SET statement_timeout = {}", timeout_ms.count()));
  std::optional<coro::Duration> limit;
  if (timeout > coro::Duration::zero()) limit = timeout + round_trip_grace;
  connection.set_round_trip_limit(limit);
}

bool is_hopeless(const Error& error) noexcept {
  const std::string_view family = std::string_view(error.sqlstate()).substr(0, 2);
  return error.error_class() == ErrorClass::denied || family == "42" || family == "3F";
}

Task<void> ask_after_run(const SessionSettings& settings, std::vector<SessionIdentity>& abandoned,
                         AskingTimeouts time, ReopenPause& pause,
                         std::function<Task<void>(Connection&)> body) {
  const auto connection = co_await open_after_run(settings, abandoned, time.to_open, pause);
  if (!connection) co_return;
  const coro::Instant give_up = coro::Worker::current().now() + time.to_answer;
  try {
    co_await coro::with_deadline(give_up, recover_prepared(*connection, time.to_answer));
    co_await coro::with_deadline(give_up, body(*connection));
  } catch (const Error&) {
    // The outcomes stay unknown, as after a timeout.
  } catch (const coro::DeadlineExceeded&) {
  }
}

}  // namespace drover::database::postgres
