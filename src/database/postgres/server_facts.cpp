#include "database/postgres/server_facts.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "database/postgres/dialect.h"
#include "database/postgres/pooling.h"

namespace drover::database::postgres {

using coro::Task;

namespace {

constexpr std::string_view settings_sql =
    "SELECT name, current_setting(name) FROM pg_settings WHERE name IN ("
    "'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'wal_level', "
    "'max_wal_size', 'checkpoint_timeout', 'autovacuum', 'max_connections', "
    "'superuser_reserved_connections', 'default_transaction_isolation', 'server_version', "
    "'jit', 'work_mem', 'effective_cache_size', 'data_checksums')";

// What a relative of PostgreSQL may not have: then there is no row.
Task<Result> ask(Connection& connection, std::string sql) {
  try {
    co_return co_await connection.query(std::move(sql));
  } catch (const Error& error) {
    const bool knows_it = connection.dialect() == Dialect::postgres;
    if (knows_it || error.error_class() != ErrorClass::statement || connection.broken()) throw;
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

}  // namespace

Task<ServerFacts> read_server_facts(Connection& connection) {
  ServerFacts facts;
  const Result settings = co_await ask(connection, std::string(settings_sql));
  for (int row = 0; row < settings.rows(); ++row)
    facts.settings.emplace(settings.text(row, 0), settings.text(row, 1));
  facts.version = connection.parameter_status("server_version");
  const auto number = [&facts](const char* setting) {
    return std::strtol(facts.settings[setting].c_str(), nullptr, 10);
  };
  facts.connections_max = std::max<std::int64_t>(
      number("max_connections") - number("superuser_reserved_connections"), 0);
  const Result used = co_await ask(connection, "SELECT sum(numbackends) - 1 FROM pg_stat_database");
  // Everybody may read it, unlike pg_stat_activity.
  if (used.rows() == 1) facts.connections_used = used.number<std::int32_t>(0, 0);
  facts.pooling = connection.pooling();
  if (facts.pooling != Pooling::none) {
    facts.settings.emplace("pooling", pooling_name(facts.pooling));
    facts.notes.push_back(pooling_note(facts.pooling));
  }
  facts.dialect = connection.dialect();
  if (facts.dialect != Dialect::postgres) {
    co_await read_product(connection, facts);
    facts.settings.emplace("dialect", traits_of(facts.dialect).name);
    facts.notes.push_back(dialect_note(facts.dialect));
  }
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
