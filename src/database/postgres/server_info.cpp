#include "database/postgres/server_info.h"

#include <charconv>
#include <string_view>

namespace drover::database::postgres {
namespace {

constexpr std::string_view settings_sql =
    "SELECT name, current_setting(name) FROM pg_settings WHERE name IN ("
    "'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'wal_level', "
    "'max_wal_size', 'checkpoint_timeout', 'autovacuum', 'max_connections', "
    "'superuser_reserved_connections', 'default_transaction_isolation', 'server_version', "
    "'jit', 'work_mem', 'effective_cache_size', 'data_checksums')";

std::int32_t to_number(std::string_view text) {
  std::int32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

coro::Task<ServerInfo> server_info(Connection& connection) {
  ServerInfo info;
  const Result settings = co_await connection.query(std::string(settings_sql));
  for (int row = 0; row < settings.rows(); ++row) {
    info.settings.emplace(settings.text(row, 0), settings.text(row, 1));
  }
  info.version = connection.parameter_status("server_version");
  info.connections_max = to_number(info.settings["max_connections"]) -
                         to_number(info.settings["superuser_reserved_connections"]);
  const Result used =
      co_await connection.query("SELECT sum(numbackends) - 1 FROM pg_stat_database");
  // Without this session, which ends before a run begins. Everybody may read it, unlike
  // pg_stat_activity.
  info.connections_used = to_number(used.text(0, 0));
  co_return info;
}

}  // namespace drover::database::postgres
