#include "database/postgres/server_facts.h"

#include <cstdlib>
#include <string_view>

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

}  // namespace

Task<ServerFacts> read_server_facts(Connection& connection) {
  ServerFacts facts;
  const Result settings = co_await connection.query(std::string(settings_sql));
  for (int row = 0; row < settings.rows(); ++row)
    facts.settings.emplace(settings.text(row, 0), settings.text(row, 1));
  facts.version = connection.parameter_status("server_version");
  const auto number = [&facts](const char* setting) {
    return std::strtol(facts.settings[setting].c_str(), nullptr, 10);
  };
  facts.connections_max = number("max_connections") - number("superuser_reserved_connections");
  const Result used =
      co_await connection.query("SELECT sum(numbackends) - 1 FROM pg_stat_database");
  // Everybody may read it, unlike pg_stat_activity.
  facts.connections_used = used.number<std::int32_t>(0, 0);
  facts.pooling = connection.pooling();
  if (facts.pooling != Pooling::none) {
    facts.settings.emplace("pooling", pooling_name(facts.pooling));
    facts.notes.push_back(pooling_note(facts.pooling));
  }
  co_return facts;
}

}  // namespace drover::database::postgres
