#include "database/postgres/server_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "database/postgres/dialect.h"
#include "database/postgres/pooling.h"

namespace drover::database::postgres {

using coro::Task;

namespace {

constexpr std::string_view setting_names =
    "'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'wal_level', "
    "'max_wal_size', 'checkpoint_timeout', 'autovacuum', 'max_connections', "
    "'superuser_reserved_connections', 'default_transaction_isolation', 'server_version', "
    "'jit', 'work_mem', 'effective_cache_size', 'data_checksums'";

struct FactQueries {
  std::string settings;  // names and values
  std::string backends;  // how many other sessions there are
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

// Citus is an extension: the version is PostgreSQL's. "CockroachDB CCL v24.3.1 (x86_64-pc-linux-gnu, …)" says another one
// as its server_version, always the same.
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

// Superusers have no such limits. Behind transaction pooling, they apply to the pooler's sessions.
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
  try {
    // The number that initdb gave it, which its standbys share.
    const Result said = co_await connection.query(
        "SELECT format('schema %s of database %s of server %s', current_schema(), "
        "current_database(), system_identifier) "
        "FROM pg_control_system()");
    if (said.rows() == 1) co_return std::string(said.text(0, 0));
  } catch (const Error& error) {
    // Somebody may have revoked the function.
    if (error.error_class() != ErrorClass::statement && error.error_class() != ErrorClass::denied)
      throw;
    if (connection.broken()) throw;
  }
  co_return std::string();
}

}  // namespace drover::database::postgres
