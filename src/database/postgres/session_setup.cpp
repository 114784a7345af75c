#include "database/postgres/session_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "coro/deadline.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "database/postgres/citus.h"
#include "database/postgres/citus_nodes.h"
#include "database/postgres/dialect.h"
#include "database/postgres/identifier.h"
#include "database/postgres/lock_wait.h"
#include "database/postgres/pooling.h"

namespace drover::database::postgres {

using coro::Task;

namespace {

constexpr std::string_view other_role = "25006";  // read_only_sql_transaction

// The limit of each round trip while a session is set up. A server that lets us in and then says nothing must
// not keep us from trying again.
constexpr coro::Duration set_up_limit = std::chrono::seconds(20);

// The server's own timeout comes first: it leaves the session as it was.
constexpr coro::Duration round_trip_grace = std::chrono::seconds(5);

}  // namespace

namespace {

constexpr std::string_view small_pool_advice =
    "the pooler's pool may be smaller than the number of connections. Raise its default_pool_size "
    "(a load or an import needs --connections plus one, so at least 2), or use fewer --connections";

Error with_advice(const Error& error, std::string_view advice) {
  return {error.error_class(), error.sqlstate(), fmt::format("{}: {}", error.what(), advice)};
}

// What stands at the other end, and in between: the first things that are asked.
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

// A pgpool that has lost its primary goes on with the standbys.
Task<void> require_primary(Connection& connection) {
  const Result result = co_await connection.query("SELECT pg_is_in_recovery()");
  if (result.rows() == 1 && result.text(0, 0) == "f") co_return;
  throw Error(ErrorClass::unavailable, std::string(other_role),
              "pgpool-II has no primary at present, only a standby. See its nodes with SHOW "
              "pool_nodes, and attach a node again with pcp_attach_node");
}

// Returns the time limits that a server of this version has. A PostgreSQL-compatible database may
// have or lack each of them.
std::vector<std::string> limits_of(const Connection& connection) {
  constexpr int idle_sessions_end_since = 140000;
  constexpr int transactions_end_since = 170000;
  const bool is_relative = !traits_of(connection.dialect()).processes;
  const int version = connection.server_version();
  std::vector<std::string> limits = {"statement_timeout", "lock_timeout",
                                     "idle_in_transaction_session_timeout"};
  // Idle sessions behind transaction pooling belong to the pooler.
  const bool is_own_session = connection.pooling() != Pooling::transaction;
  if (is_own_session && (is_relative || version >= idle_sessions_end_since)) {
    limits.emplace_back("idle_session_timeout");
  }
  if (is_relative || version >= transactions_end_since) limits.emplace_back("transaction_timeout");
  return limits;
}

// Uses SET and not the startup packet, because poolers refuse unknown parameters in the packet.
Task<void> lift_limits(Connection& connection) {
  std::string all;
  for (const std::string& limit : limits_of(connection)) {
    all += fmt::format("{}SET {} = 0", all.empty() ? "" : "; ", limit);
  }
  const bool at_once = connection.setup() == nullptr && traits_of(connection.dialect()).processes;
  bool known = at_once;
  if (at_once) {
    try {
      co_await connection.script(all);
    } catch (const Error& error) {
      if (error.error_class() != ErrorClass::statement || connection.broken()) throw;
      known = false;
    }
  }
  if (known) co_return;
  for (const std::string& limit : limits_of(connection)) {
    co_await set_if_known(connection, fmt::format("SET {} = 0", limit));
  }
}

Task<void> begin_in_schema(Connection& connection, Access access, Pooling pooling) {
  connection.set_dialect(access.dialect.value_or(Dialect::postgres));
  connection.set_pooling(pooling);
  if (pooling == Pooling::transaction) connection.set_up_each_transaction({});
  connection.set_round_trip_limit(set_up_limit);
  if (pooling == Pooling::pgpool) co_await require_primary(connection);
  if (!access.schema.empty()) {
    co_await set(connection, fmt::format("SET search_path TO {}", quote_identifier(access.schema)));
  }
  connection.set_round_trip_limit(std::nullopt);
}

void tell_support(const Connection& connection, const Access& access) {
  if (!access.on_session_note || !access.support_told || access.support_told->test_and_set())
    return;
  for (const std::string& note : support_notes(connection)) access.on_session_note(note);
}

Task<void> begin_administration(Connection& connection, Access access, Pooling pooling) {
  co_await begin_in_schema(connection, access, pooling);
  tell_support(connection, access);
  connection.set_round_trip_limit(set_up_limit);
  co_await lift_limits(connection);
  co_await name_lock_holders(connection, std::move(access));
  connection.set_round_trip_limit(std::nullopt);
}

}  // namespace

Task<void> require_process(Connection& connection) {
  connection.set_round_trip_limit(set_up_limit);
  try {
    co_await connection.script("SELECT 1");
  } catch (const Error& error) {
    if (!connection.unanswered()) throw;
    throw with_advice(error, small_pool_advice);
  }
  connection.set_round_trip_limit(std::nullopt);
}

namespace {

Task<bool> is_in_recovery(Connection& connection) {
  const Result result = co_await connection.query("SELECT pg_is_in_recovery()");
  co_return result.rows() == 1 && result.text(0, 0) == "t";
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
    const bool recovers = co_await is_in_recovery(connection);
    standby = recovers ? "on" : "off";
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

Task<std::unique_ptr<Connection>> open_once(Access access, std::optional<Pooling> pooling,
                                            Purpose purpose) {
  auto connection = co_await open(access);
  if (!pooling) {
    connection->set_round_trip_limit(set_up_limit);
    pooling = co_await ask_whom(*connection, access);
    connection->set_round_trip_limit(std::nullopt);
  }
  // This is the first query of the session. A run's session behind transaction pooling waits in the
  // pooler's queue, with no limit of its own.
  const bool waits_alone = pooling == Pooling::transaction && purpose == Purpose::administration;
  if (pooling == Pooling::session || waits_alone) co_await require_process(*connection);
  if (purpose == Purpose::run) {
    co_await begin_in_schema(*connection, std::move(access), *pooling);
  } else {
    co_await begin_administration(*connection, std::move(access), *pooling);
  }
  co_return connection;
}

// Returns null and sets `refusal` if the server has no room for a session, or another role than
// access.role.
Task<std::unique_ptr<Connection>> open_if_it_fits(const Access& access,
                                                  std::optional<Pooling> pooling, Purpose purpose,
                                                  std::optional<Error>& refusal) {
  constexpr std::string_view too_many_connections = "53300";
  std::unique_ptr<Connection> connection;
  try {
    connection = co_await open_once(access, pooling, purpose);
  } catch (const Error& error) {
    if (error.sqlstate() != too_many_connections) throw;
    refusal = error;
    co_return nullptr;
  }
  connection->set_round_trip_limit(set_up_limit);
  refusal = co_await find_misfit(*connection, access.role);
  connection->set_round_trip_limit(std::nullopt);
  if (refusal) connection.reset();
  co_return connection;
}

// Opens a session, and again while the server has another role than access.role or no room, until
// the patience for it is over.
Task<std::unique_ptr<Connection>> open_patiently(Access access, std::optional<Pooling> pooling,
                                                 Purpose purpose) {
  constexpr coro::Duration longest_pause = std::chrono::milliseconds(100);
  const int attempts_least = access.role_patience > coro::Duration::zero() ? 4 : 1;
  coro::Duration pause = std::chrono::milliseconds(5);
  const coro::Instant begun = coro::Worker::current().now();
  for (int attempt = 1;; ++attempt) {
    std::optional<Error> refusal;
    auto connection = co_await open_if_it_fits(access, pooling, purpose, refusal);
    if (connection) co_return connection;
    const bool is_of_role = refusal->sqlstate() == other_role;
    const bool is_patient = access.role_patience > coro::Duration::zero();
    const coro::Duration patience =
        is_of_role || !is_patient ? access.role_patience : access.room_patience;
    const bool is_late = coro::Worker::current().now() + pause > begun + patience;
    if (is_late && attempt >= attempts_least) throw Error(*refusal);
    co_await coro::sleep_for(pause);
    pause = std::min(2 * pause, longest_pause);
  }
}

}  // namespace

Task<std::unique_ptr<Connection>> open_in_schema(Access access) {
  return open_patiently(std::move(access), std::nullopt, Purpose::administration);
}

Task<std::unique_ptr<Connection>> open_in_schema(Access access, Pooling pooling) {
  return open_patiently(std::move(access), pooling, Purpose::administration);
}

Task<std::unique_ptr<Connection>> open_for_run(Access access, Pooling pooling) {
  return open_patiently(std::move(access), pooling, Purpose::run);
}

Task<std::unique_ptr<Connection>> open_connection(Access access) {
  access.schema.clear();
  return open_in_schema(std::move(access));
}

Task<std::unique_ptr<Connection>> open_connection(Access access, Pooling pooling) {
  access.schema.clear();
  return open_in_schema(std::move(access), pooling);
}

namespace {

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

}  // namespace

namespace {

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

}  // namespace

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

namespace {

Task<std::unique_ptr<Connection>> open_when_they_have_ended(const SessionSettings& settings,
                                                            std::vector<SessionIdentity>& abandoned,
                                                            coro::Duration patience) {
  Access access = settings.access;
  access.role = ServerRole::primary;
  auto connection = co_await open_in_schema(std::move(access), settings.pooling);
  co_await set(*connection, "SET TimeZone TO 'UTC'");
  const bool ended = co_await end_sessions(*connection, abandoned, patience);
  if (!ended) {
    throw Error(
        ErrorClass::denied, "",
        "earlier sessions have not ended, so the outcome of their transactions is not final");
  }
  abandoned.clear();
  co_return connection;
}

// Null if it cannot be had.
Task<std::unique_ptr<Connection>> open_after_the_others(const SessionSettings& settings,
                                                        std::vector<SessionIdentity>& abandoned,
                                                        coro::Duration patience,
                                                        ReopenPause& pause) {
  const coro::Instant give_up = coro::Worker::current().now() + patience;
  for (int attempt = 0; coro::Worker::current().now() < give_up; ++attempt) {
    try {
      co_return co_await coro::with_deadline(
          give_up, open_when_they_have_ended(settings, abandoned, patience));
    } catch (const Error& error) {
      if (error.error_class() == ErrorClass::denied) break;
      // Tried again below: the server may be on its way up.
    } catch (const coro::DeadlineExceeded&) {
      break;
    }
    co_await coro::sleep_for(pause(attempt));
  }
  co_return nullptr;
}

}  // namespace

Task<void> ask_after_the_others(const SessionSettings& settings,
                                std::vector<SessionIdentity>& abandoned, AskingTime time,
                                ReopenPause& pause, std::function<Task<void>(Connection&)> body) {
  const auto connection = co_await open_after_the_others(settings, abandoned, time.to_open, pause);
  if (!connection) co_return;
  const coro::Instant give_up = coro::Worker::current().now() + time.to_answer;
  try {
    co_await coro::with_deadline(give_up, recover_prepared(*connection, time.to_answer));
    co_await coro::with_deadline(give_up, body(*connection));
  } catch (const Error&) {
    // Unknown, like what takes too long.
  } catch (const coro::DeadlineExceeded&) {
  }
}

}  // namespace drover::database::postgres
