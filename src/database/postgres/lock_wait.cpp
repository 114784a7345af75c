#include "database/postgres/lock_wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "coro/sleep.h"
#include "database/error.h"
#include "database/postgres/dialect.h"

namespace drover::database::postgres {
namespace {

using coro::Task;

constexpr coro::Duration first_look_after = std::chrono::seconds(2);
constexpr coro::Duration pause_most = std::chrono::seconds(30);
constexpr coro::Duration answer_limit = std::chrono::seconds(5);

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
  connection->set_round_trip_limit(answer_limit);
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

}  // namespace

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

}  // namespace drover::database::postgres
