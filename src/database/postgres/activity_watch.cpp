// Observation of wait events and statement costs (server_watch.h).
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <string_view>
#include <utility>

#include "coro/deadline.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "database/postgres/dialect.h"
#include "database/postgres/server_facts.h"
#include "database/postgres/server_watch.h"
#include "text/plain_text.h"

namespace drover::database::postgres {

using coro::Duration;
using coro::Instant;
using coro::Task;

namespace {

// The session of the checkpoint watch is excluded, because it asks at the same moments. Behind a
// pooler, the run's application_name has another word (SessionIdentity).
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

// On Citus, a client's session may be at any node, and has sessions at other nodes that work for
// it, with its global_pid. While it waits for them, it is active and shows Client:ClientRead. The
// nodes answer one after the other, so the sessions of one sample may belong to different
// statements. Each active session counts at its own node. Waiting client sessions in excess of
// those with active workers count as Citus:BetweenNodes.
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

// The column of the time has another name before version 1.8 of the extension.
constexpr std::string_view extension_sql =
    "SELECT pg_catalog.quote_ident(n.nspname) || '.pg_stat_statements', "
    "(SELECT a.attname FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_class AS c "
    "ON c.oid = a.attrelid WHERE c.relname = 'pg_stat_statements' AND c.relnamespace = n.oid "
    "AND a.attname IN ('total_exec_time', 'total_time')) "
    "FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_namespace AS n "
    "ON n.oid = e.extnamespace WHERE e.extname = 'pg_stat_statements'";

constexpr std::string_view own_statements =
    "dbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()) "
    "AND userid = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = current_user)";

// Eight hours of one sample per second. When there are more, every second sample is dropped and the
// interval doubles, so that all kept samples are equally far apart.
constexpr std::size_t samples_most = 28'800;

Task<std::unique_ptr<Connection>> open_to_look(Access access) {
  const std::optional<Dialect> known = access.dialect;
  auto connection = co_await open(std::move(access));
  connection->set_round_trip_limit(std::chrono::seconds(15));
  if (co_await is_pgpool(*connection)) connection->set_pooling(Pooling::pgpool);
  const Dialect dialect = known ? *known : co_await find_dialect(*connection);
  connection->set_dialect(dialect);
  co_return connection;
}

// Returns why the server does not show the states of sessions to this role; empty if it does. This
// session is in a statement itself, so its own row shows what the role may see.
Task<std::string> why_no_wait_events(Connection& connection) {
  const Result own = co_await connection.query(
      "SELECT state FROM pg_catalog.pg_stat_activity WHERE pid = pg_catalog.pg_backend_pid()");
  if (own.rows() != 1) co_return "the server's pg_stat_activity shows no sessions";
  if (own.text(0, 0) == "active") co_return "";
  if (own.text(0, 0) == "disabled") co_return "track_activities is off";
  co_return "this role may not see what sessions do. GRANT pg_monitor to it";
}

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

void StatementHistory::take(StatementReading reading) {
  if (last_) {
    for (const auto& [id, now] : reading) {
      StatementCounters before;
      const auto found = last_->find(id);
      // Fewer calls: the server has dropped the counters of this statement meanwhile.
      if (found != last_->end() && found->second.calls <= now.calls) before = found->second;
      if (now.calls == before.calls) continue;
      StatementCounters& sum = sums_[id];
      sum.calls += now.calls - before.calls;
      sum.total_ms += std::max(now.total_ms - before.total_ms, 0.0);
      sum.rows += now.rows - std::min(before.rows, now.rows);
    }
  }
  last_ = std::move(reading);
}

std::vector<std::pair<std::int64_t, StatementCounters>> StatementHistory::longest(
    std::size_t most) const {
  std::vector<std::pair<std::int64_t, StatementCounters>> sorted(sums_.begin(), sums_.end());
  std::ranges::sort(sorted, {},
                    [](const auto& one) { return std::pair(-one.second.total_ms, one.first); });
  if (sorted.size() > most) sorted.resize(most);
  return sorted;
}

Task<std::string> StatementCosts::read(Connection& connection) {
  if (!has_looked_) {
    const Result found = co_await connection.query(std::string(extension_sql));
    has_looked_ = true;
    if (found.rows() != 1 || found.is_null(0, 1)) {
      co_return "this database lacks the extension pg_stat_statements. Create it with "
                "CREATE EXTENSION";
    }
    function_ = found.text(0, 0);
    time_column_ = found.text(0, 1);
  }
  if (function_.empty()) co_return "";
  try {
    history_.take(co_await read_counters(connection));
  } catch (const Error& error) {
    // The server has not loaded the extension, or the role may not use it.
    if (!error.is_permanent() || connection.broken()) throw;
    function_.clear();
    co_return error.what();
  }
  co_return "";
}

Task<std::optional<std::vector<StatementCost>>> StatementCosts::read_all(Connection& connection) {
  if (function_.empty() || !history_.has_begun()) co_return std::nullopt;
  history_.take(co_await read_counters(connection));
  const auto longest = history_.longest(statements_most);
  std::string ids;
  for (const auto& [id, counters] : longest) ids += fmt::format("{}{}", ids.empty() ? "" : ",", id);
  std::map<std::int64_t, std::string> texts;
  if (!ids.empty()) {
    const Result result = co_await connection.query(fmt::format(
        "SELECT queryid, left(min(query), {}) FROM {}(true) WHERE queryid IN ({}) AND {} "
        "GROUP BY queryid",
        2 * text_bytes_most, function_, ids, own_statements));
    for (int row = 0; row < result.rows(); ++row) {
      texts[result.number<std::int64_t>(row, 0)] = shown_statement(result.text(row, 1));
    }
  }
  std::vector<StatementCost> costs;
  for (const auto& [id, counters] : longest) {
    const auto text = texts.find(id);
    costs.push_back({text == texts.end() ? "(text not available)" : text->second, counters.calls,
                     counters.total_ms, counters.rows});
  }
  co_return costs;
}

Task<StatementReading> StatementCosts::read_counters(Connection& connection) const {
  const Result result = co_await connection.query(
      fmt::format("SELECT queryid, sum(calls)::int8, sum({}), sum(rows)::int8 FROM {}(false) "
                  "WHERE queryid IS NOT NULL AND {} GROUP BY queryid",
                  time_column_, function_, own_statements));
  StatementReading reading;
  for (int row = 0; row < result.rows(); ++row) {
    reading[result.number<std::int64_t>(row, 0)] = {
        result.number<std::uint64_t>(row, 1),
        text::number_of<double>(result.text(row, 2)).value_or(0),
        result.number<std::uint64_t>(row, 3)};
  }
  co_return reading;
}

std::string shown_statement(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower.find("password") != std::string::npos && lower.find('\'') != std::string::npos) {
    return "(not shown: it may hold a password)";
  }
  std::string shown(text);
  std::ranges::replace(shown, '\n', ' ');  // one_line() would end the lines as sentences
  shown = database::one_line(shown);
  if (shown.size() <= StatementCosts::text_bytes_most) return shown;
  std::size_t end = StatementCosts::text_bytes_most;
  // Do not cut within a character.
  while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0U) == 0x80U) --end;
  return shown.substr(0, end) + "…";
}

ServerActivityWatch::ServerActivityWatch(Access access, NoteFunction on_note)
    : access_(std::move(access)), on_note_(std::move(on_note)) {}

Task<void> ServerActivityWatch::run() {
  constexpr Duration pause_before_reopening = std::chrono::seconds(1);
  for (;;) {
    try {
      co_await watch_session();
      co_return;
    } catch (const Error& error) {
      if (!known_ && error.is_permanent()) {
        note("wait events", error.what());
        co_return;
      }
      if (!known_ && !std::exchange(said_absent_, true)) note("wait events so far", error.what());
    }
    co_await coro::sleep_for(pause_before_reopening);
  }
}

Task<void> ServerActivityWatch::finish(Duration timeout) {
  if (!known_) co_return;
  try {
    co_await coro::with_deadline(coro::Worker::current().now() + timeout, read_costs());
  } catch (const Error&) {
    // The costs stay unknown, as after a timeout.
  } catch (const coro::DeadlineExceeded&) {
  }
}

std::optional<ObservedActivity> ServerActivityWatch::observed() const {
  if (!known_) return std::nullopt;
  return activity_;
}

Task<void> ServerActivityWatch::watch_session() {
  const auto connection = co_await open_to_look(access_);
  if (const std::string reason = co_await why_no_wait_events(*connection); !reason.empty()) {
    if (!known_) note("wait events", reason);
    co_return;
  }
  if (const std::string reason = co_await costs_.read(*connection); !reason.empty()) {
    note("costs of statements", reason);
  }
  Instant due = coro::Worker::current().now();
  for (;;) {
    const auto counts = co_await read_wait_events(*connection);
    const Instant now = coro::Worker::current().now();
    take(counts, now);
    // Skips the samples that were due while the server did not answer.
    due = std::max(due + pause_, now);
    co_await coro::sleep_until(due);
  }
}

Task<void> ServerActivityWatch::read_costs() {
  const auto connection = co_await open_to_look(access_);
  activity_.statements = co_await costs_.read_all(*connection);
}

void ServerActivityWatch::take(const std::vector<WaitEventCount>& counts, Instant now) {
  known_ = true;
  if (activity_.samples.size() == samples_most) {
    thin(activity_.samples);
    pause_ *= 2;
  }
  ActivitySample& sample = activity_.samples.emplace_back();
  sample.time = now;
  for (const WaitEventCount& one : counts) {
    const auto known = std::ranges::find(activity_.events, one.event);
    const auto index = static_cast<std::uint32_t>(known - activity_.events.begin());
    if (known == activity_.events.end()) activity_.events.push_back(one.event);
    sample.sessions.emplace_back(index, one.sessions);
  }
}

void ServerActivityWatch::thin(std::vector<ActivitySample>& samples) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.size(); i += 2) std::swap(samples[kept++], samples[i]);
  samples.resize(kept);
}

void ServerActivityWatch::note(std::string_view what, std::string_view reason) {
  on_note_(fmt::format("note: --server-stats cannot show {}: {}", what, reason));
}

}  // namespace drover::database::postgres
