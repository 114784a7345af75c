#include "database/postgres/watch/wait_events.h"

#include <string_view>

#include "database/dialect.h"

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

// On Citus, clients' sessions are at any node, and each has sessions at other nodes that work for
// it. These have the global_pid of the client's session. A client's session that waits for them
// shows Client:ClientRead, too, but as active. The nodes are looked at one after the other, so that
// sessions in one look may belong to different statements. Each active session still counts at its
// own node. If more clients' sessions wait than have active sessions at work for them, the rest
// count as Citus:BetweenNodes.
constexpr std::string_view citus_wait_events_sql =
    "WITH seen AS MATERIALIZED (SELECT a.*, "
    "coalesce(wait_event_type || ':' || wait_event, 'CPU') AS event, "
    "CASE WHEN n.groupid = 0 THEN 'coordinator' ELSE left(n.nodename, 100) || ':' || n.nodeport "
    "END AS node "
    "FROM citus_stat_activity AS a LEFT JOIN pg_catalog.pg_dist_node AS n USING (nodeid) "
    "WHERE backend_type = 'client backend' AND a.datname = pg_catalog.current_database()), "
    "own AS (SELECT usename, application_name FROM pg_catalog.pg_stat_activity "
    "WHERE pid = pg_catalog.pg_backend_pid()), "
    "clients AS (SELECT seen.* FROM seen JOIN own USING (usename) WHERE NOT is_worker_query "
    "AND (seen.application_name = own.application_name "
    "OR starts_with(seen.application_name, own.application_name || ' ')) "
    "AND global_pid <> citus_backend_gpid() "
    "AND query !~ 'pg_stat_(bgwriter|checkpointer)'), "
    "workers AS (SELECT seen.* FROM seen JOIN clients USING (global_pid) "
    "WHERE seen.is_worker_query AND seen.state = 'active'), "
    "waiting AS (SELECT global_pid FROM clients "
    "WHERE state = 'active' AND event = 'Client:ClientRead') "
    "SELECT event || ' at ' || node, count(*) FROM (SELECT event, node FROM workers "
    "UNION ALL SELECT event, node FROM clients WHERE state IN ('active', "
    "'fastpath function call', 'idle in transaction', 'idle in transaction (aborted)') "
    "AND global_pid NOT IN (SELECT global_pid FROM waiting)) AS found GROUP BY 1 "
    "UNION ALL SELECT 'Citus:BetweenNodes', missing FROM (SELECT (SELECT count(*) FROM waiting) - "
    "(SELECT count(DISTINCT global_pid) FROM workers) AS missing) AS ways WHERE missing > 0";

}  // namespace

Task<std::vector<WaitEventCount>> read_wait_events(Connection& connection) {
  const bool is_citus = connection.dialect() == Dialect::citus;
  const Result result =
      co_await connection.query(std::string(is_citus ? citus_wait_events_sql : wait_events_sql));
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
  if (own.rows() != 1) co_return "the server's pg_stat_activity shows no sessions";
  if (own.text(0, 0) == "active") co_return "";
  if (own.text(0, 0) == "disabled") co_return "track_activities is off";
  co_return "this role may not see what sessions do. GRANT pg_monitor to it";
}

}  // namespace drover::database::postgres
