#include "database/postgres/watch/wait_events.h"

#include <string_view>

namespace drover::database::postgres {
namespace {

using coro::Task;

// The session that watches checkpoints looks in the same moments: it would be found each time. Behind a pooler the
// transactions of a run have a word more in their name (session_identity.h).
constexpr std::string_view wait_events_sql =
    "SELECT coalesce(wait_event_type || ':' || wait_event, 'CPU'), count(*) "
    "FROM pg_catalog.pg_stat_activity JOIN (SELECT datid, usesysid, application_name AS own_name "
    "FROM pg_catalog.pg_stat_activity WHERE pid = pg_catalog.pg_backend_pid()) AS own "
    "USING (datid, usesysid) "
    "WHERE (application_name = own_name OR left(application_name, length(own_name) + 1) = own_name "
    "|| ' ') "
    "AND pid <> pg_catalog.pg_backend_pid() AND backend_type = 'client backend' "
    "AND state IN ('active', 'fastpath function call', 'idle in transaction', "
    "'idle in transaction (aborted)') "
    "AND query !~ 'pg_stat_(bgwriter|checkpointer)' GROUP BY 1";

}  // namespace

Task<std::vector<WaitEventCount>> read_wait_events(Connection& connection) {
  const Result result = co_await connection.query(std::string(wait_events_sql));
  std::vector<WaitEventCount> counts;
  for (int row = 0; row < result.rows(); ++row) {
    counts.push_back({std::string(result.text(row, 0)), result.number<std::uint32_t>(row, 1)});
  }
  co_return counts;
}

// The session that asks is in a statement itself: what of it is hidden is hidden of all.
Task<std::string> why_no_wait_events(Connection& connection) {
  const Result own = co_await connection.query(
      "SELECT state FROM pg_catalog.pg_stat_activity WHERE pid = pg_catalog.pg_backend_pid()");
  if (own.rows() != 1) co_return "its pg_stat_activity has no sessions";
  if (own.text(0, 0) == "active") co_return "";
  if (own.text(0, 0) == "disabled") co_return "track_activities is off";
  co_return "this role may not see what sessions do: grant it pg_monitor";
}

}  // namespace drover::database::postgres
