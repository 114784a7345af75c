#include "database/postgres/server_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "coro/deadline.h"
#include "coro/event.h"
#include "coro/scope.h"
#include "coro/worker.h"
#include "database/error.h"
#include "database/postgres/dialect.h"

namespace drover::database::postgres {

namespace {

using coro::Task;

// A session gets its answer within this time, unless it waits for a free process.
constexpr coro::Duration usual_answer = std::chrono::seconds(1);

// The longest time between two answers that a pooler sends one directly after the other.
constexpr coro::Duration between_answers = std::chrono::milliseconds(250);

// Returns nothing if the server has no process numbers.
Task<std::optional<std::int32_t>> process_of(Connection& connection) {
  try {
    const Result result = co_await connection.query("SELECT pg_backend_pid()");
    if (result.rows() == 1) co_return result.number<std::int32_t>(0, 0);
  } catch (const Error& error) {
    if (error.error_class() != ErrorClass::statement || connection.broken()) throw;
  }
  co_return std::nullopt;
}

// The second session's answer, while the first session may ask something else.
struct ProcessAnswer {
  std::optional<std::int32_t> process;
  std::optional<Error> error;
  coro::Event is_here;
};

Task<void> ask_process(Connection& connection, ProcessAnswer& answer) {
  try {
    answer.process = co_await process_of(connection);
  } catch (const Error& error) {
    answer.error = error;
  }
  answer.is_here.set();
}

// Returns true if the answer arrived in time.
Task<bool> wait_for(ProcessAnswer& answer, coro::Duration timeout) {
  auto come = [&answer]() -> Task<void> { co_await answer.is_here.wait(); };
  try {
    co_await coro::with_deadline(coro::Worker::current().now() + timeout, come());
  } catch (const coro::DeadlineExceeded&) {
  }
  co_return answer.is_here.is_set();
}

// Returns the process of the second session, or nothing if the pool has none for it while the first
// session is open. With transaction pooling, a waiting session gets the next free process before
// sessions that ask later. So the second session gets one as soon as the first session's query has
// ended.
Task<std::optional<std::int32_t>> process_of_second(Connection& first, Connection& second) {
  ProcessAnswer answer;
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(ask_process(second, answer));
    bool is_here = co_await wait_for(answer, usual_answer);
    if (!is_here) {
      co_await process_of(first);
      is_here = co_await wait_for(answer, between_answers);
    }
    if (!is_here) scope.cancel();  // the second session is not used any more
  };
  co_await coro::with_scope(body);
  if (answer.error) throw Error(*answer.error);
  co_return answer.process;
}

// With session pooling the first session keeps its process. If the second session gets that
// process, or if one of the two gets another process than before, the pooler uses transaction
// pooling. Poolers assign the process that was used last, or each in turn, and other clients may
// come between: so both sessions ask several times, and the second one twice in a row.
Task<Pooling> pooling_of(Connection& first, Connection& second, std::int32_t process) {
  constexpr int attempts = 4;
  std::optional<std::int32_t> before;
  for (int i = 0; i < 2 * attempts; ++i) {
    const auto of_second = co_await process_of_second(first, second);
    if (!of_second) co_return Pooling::session;
    if (*of_second == process || (before && *before != *of_second)) {
      co_return Pooling::transaction;
    }
    before = of_second;
    if (i % 2 == 0) continue;
    const auto of_first = co_await process_of(first);
    if (of_first != process) co_return Pooling::transaction;
  }
  co_return Pooling::session;
}

// Returns null if the pooler accepts no more connections.
Task<std::unique_ptr<Connection>> open_second(Access access) {
  try {
    co_return co_await open(std::move(access));
  } catch (const Error&) {
  }
  co_return nullptr;
}

// Throws if pgpool-II itself replicates, by sending each write to all servers: then no single
// server is the database.
Task<void> refuse_replicating_pgpool(Connection& connection) {
  std::string mode;
  try {
    const Result result = co_await connection.script("PGPOOL SHOW backend_clustering_mode");
    if (result.rows() == 1) mode = result.text(0, 0);
  } catch (const Error&) {
    if (connection.broken()) throw;  // older than 4.2
  }
  if (mode != "native_replication" && mode != "snapshot_isolation") co_return;
  throw Error(
      ErrorClass::denied, "",
      fmt::format(
          "pgpool-II itself replicates the data (backend_clustering_mode = {}), which drover does "
          "not support. Use pgpool-II with streaming replication, or connect to a server directly",
          mode));
}

// Returns true if the server reports the address to which Drover has connected, so that there is no
// pooler. This avoids a query that servers without pgpool-II log as an error.
Task<bool> is_direct(Connection& connection) {
  const auto at = co_await query_if_allowed(
      connection,
      "SELECT coalesce(inet_server_port(), current_setting('port')::int), "
      "coalesce(host(inet_server_addr()), '')");
  co_return at && at->rows() == 1 && at->number<int>(0, 0) == connection.port() &&
      at->text(0, 1) == connection.host_address();
}

// Returns a line for the user about what a pooler changes.
std::string pooling_note(Pooling pooling) {
  if (pooling == Pooling::session) {
    return "note: a pooler in session pooling mode is in front of the server. If the run has more "
           "connections than the pool, the surplus connections wait";
  }
  if (pooling == Pooling::pgpool) {
    return "note: pgpool-II is in front of the server. Drover sends its statements to the "
           "primary, never to a standby. For the statements of scripts (drover sql run), pgpool-II "
           "chooses the server. If the run has more connections than num_init_children, the "
           "surplus connections wait";
  }
  return "note: a pooler in transaction pooling mode is in front of the server. Each execution "
         "sends the statement as text, and each transaction sends the session's settings again, "
         "which costs the server more";
}

constexpr std::string_view setting_names =
    "'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'wal_level', "
    "'max_wal_size', 'checkpoint_timeout', 'autovacuum', 'max_connections', "
    "'superuser_reserved_connections', 'default_transaction_isolation', 'server_version', "
    "'jit', 'work_mem', 'effective_cache_size', 'data_checksums'";

struct FactQueries {
  std::string settings;  // returns names and values
  std::string backends;  // returns the number of other sessions
};

// Functions return the values even if the views pg_settings and pg_stat_database were revoked.
// Databases that are only compatible with PostgreSQL have the views.
FactQueries queries_in(Dialect dialect) {
  if (dialect != Dialect::postgres && dialect != Dialect::citus) {
    return {fmt::format("SELECT name, current_setting(name) FROM pg_settings WHERE name IN ({})",
                        setting_names),
            "SELECT sum(numbackends) - 1 FROM pg_stat_database"};
  }
  return {fmt::format("SELECT name, current_setting(name, true) FROM unnest(ARRAY[{}]) AS name "
                      "WHERE current_setting(name, true) IS NOT NULL",
                      setting_names),
          "SELECT sum(pg_stat_get_db_numbackends(oid)) - 1 FROM pg_database"};
}

// Returns no row if the database does not know the query, or if the role may not execute it.
Task<Result> ask(Connection& connection, std::string sql) {
  try {
    co_return co_await connection.query(std::move(sql));
  } catch (const Error& error) {
    const bool unknown =
        connection.dialect() != Dialect::postgres && error.error_class() == ErrorClass::statement;
    if ((!unknown && error.error_class() != ErrorClass::denied) || connection.broken()) throw;
  }
  co_return Result();
}

// Sets the product. Citus is an extension, so its version is PostgreSQL's. CockroachDB reports its
// version only in version(): "CockroachDB CCL v24.3.1 (x86_64-pc-linux-gnu, …)".
Task<void> read_product(Connection& connection, ServerFacts& facts) {
  if (facts.dialect == Dialect::citus) co_return;
  facts.product = traits_of(facts.dialect).title;
  if (facts.dialect != Dialect::cockroach) co_return;
  const Result said = co_await ask(connection, "SELECT version()");
  if (said.rows() != 1) co_return;
  const std::string_view text = said.text(0, 0);
  const std::size_t begin = text.find(" v");
  if (begin == text.npos) co_return;
  facts.version = text.substr(begin + 1, text.find(' ', begin + 1) - begin - 1);
}

// The connection limits of the role and the database (-1: none), their present connections, and the
// connections that the server reserves, unless the role may use these.
constexpr const char* own_limits_sql =
    "SELECT r.rolname, r.rolconnlimit, "
    "(SELECT count(*) FROM pg_stat_get_activity(NULL) a WHERE a.usesysid = r.oid) - 1, "
    "d.datname, d.datconnlimit, "
    "pg_stat_get_db_numbackends(d.oid) - 1, "
    "CASE WHEN EXISTS (SELECT FROM pg_roles p WHERE p.rolname = 'pg_use_reserved_connections' AND "
    "pg_has_role(r.oid, p.oid, 'usage')) THEN '0' "
    "ELSE coalesce(current_setting('reserved_connections', true), '0') END "
    "FROM pg_roles r, pg_database d WHERE NOT r.rolsuper AND r.rolname = session_user "
    "AND d.datname = current_database()";

// Adopts the limit if it leaves less room than the present one.
void tighten(ServerFacts& facts, std::int64_t most, std::int64_t used, std::string name) {
  const bool is_known = facts.connections_max > 0;
  if (most < 0 || (is_known && most - used >= facts.connections_max - facts.connections_used)) {
    return;
  }
  facts.connections_max = std::max<std::int64_t>(most, 1);
  facts.connections_used = used;
  facts.connections_reserved = 0;
  facts.connections_limit = std::move(name);
}

// Applies the connection limits of the role and of the database. Does nothing for a superuser, who
// has no such limits, and behind transaction pooling, where the limits count the pooler's sessions.
Task<void> apply_own_limits(Connection& connection, ServerFacts& facts) {
  const Dialect dialect = connection.dialect();
  const bool has_catalogue = dialect == Dialect::postgres || dialect == Dialect::citus;
  if (!has_catalogue || facts.pooling == Pooling::transaction) co_return;
  const Result limits = co_await ask(connection, own_limits_sql);
  if (limits.rows() != 1) co_return;
  const auto number = [&limits](int column) { return limits.number<std::int64_t>(0, column); };
  facts.connections_max = std::max<std::int64_t>(facts.connections_max - number(6), 0);
  facts.connections_reserved += number(6);
  tighten(facts, number(1), number(2),
          fmt::format("the CONNECTION LIMIT of the role {}", limits.text(0, 0)));
  tighten(facts, number(4), number(5),
          fmt::format("the CONNECTION LIMIT of the database {}", limits.text(0, 3)));
}

}  // namespace

// PostgreSQL does not know the parameter. pgpool-II answers only in the simple protocol.
Task<bool> is_pgpool(Connection& connection) {
  const bool direct = co_await is_direct(connection);
  if (direct) co_return false;
  try {
    co_await connection.script("SHOW pool_version");
    co_return true;
  } catch (const Error&) {
    if (connection.broken()) throw;
  }
  co_return false;
}

Task<Pooling> find_pooling(Connection& first, Access access) {
  if (co_await is_pgpool(first)) {
    co_await refuse_replicating_pgpool(first);
    co_return Pooling::pgpool;
  }
  const auto process = co_await process_of(first);
  if (!process || *process == first.backend_pid()) co_return Pooling::none;
  const auto second = co_await open_second(std::move(access));
  if (!second) co_return Pooling::transaction;
  try {
    co_return co_await pooling_of(first, *second, *process);
  } catch (const Error&) {
    if (first.broken()) throw;
  }
  co_return Pooling::transaction;
}

Task<ServerFacts> read_server_facts(Connection& connection) {
  ServerFacts facts;
  const FactQueries queries = queries_in(connection.dialect());
  const Result settings = co_await ask(connection, queries.settings);
  for (int row = 0; row < settings.rows(); ++row)
    facts.settings.emplace(settings.text(row, 0), settings.text(row, 1));
  facts.version = connection.parameter_status("server_version");
  const auto number = [&facts](const char* setting) {
    return std::strtol(facts.settings[setting].c_str(), nullptr, 10);
  };
  facts.connections_reserved = number("superuser_reserved_connections");
  facts.connections_max =
      std::max<std::int64_t>(number("max_connections") - facts.connections_reserved, 0);
  const Result used = co_await ask(connection, queries.backends);
  if (used.rows() == 1) facts.connections_used = used.number<std::int32_t>(0, 0);
  if (connection.dialect() == Dialect::postgres && (settings.rows() == 0 || used.rows() == 0)) {
    facts.notes.emplace_back(
        "note: this role may not read the server's settings or count its sessions. The result "
        "lacks both, and '--connections auto' cannot see how many connections are free. To allow "
        "it, GRANT pg_monitor");
  }
  facts.pooling = connection.pooling();
  co_await apply_own_limits(connection, facts);
  if (facts.pooling != Pooling::none) {
    facts.settings.emplace("pooling", pooling_name(facts.pooling));
    facts.notes.push_back(pooling_note(facts.pooling));
  }
  facts.dialect = connection.dialect();
  if (facts.dialect != Dialect::postgres) {
    co_await read_product(connection, facts);
    facts.settings.emplace("dialect", traits_of(facts.dialect).name);
    facts.settings.emplace("dialect_support", traits_of(facts.dialect).tried);
  }
  std::ranges::move(support_notes(connection), std::back_inserter(facts.notes));
  co_return facts;
}

Task<std::string> read_identity(Connection& connection) {
  if (connection.dialect() != Dialect::postgres) co_return std::string();
  // Standbys have the system_identifier of their primary.
  const auto said = co_await query_if_allowed(
      connection,
      "SELECT format('schema %s of database %s of server %s', current_schema(), "
      "current_database(), system_identifier) FROM pg_control_system()");
  co_return said && said->rows() == 1 ? std::string(said->text(0, 0)) : std::string();
}

}  // namespace drover::database::postgres
