#include "database/postgres/citus.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <utility>

#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "database/postgres/session_setup.h"
#include "database/server.h"
#include "text/plain_text.h"

namespace drover::database::postgres {

using coro::Task;

namespace {

Task<bool> has_shards(Connection& connection) {
  try {
    const Result found = co_await connection.query(
        "SELECT 1 FROM pg_catalog.pg_dist_node JOIN pg_catalog.pg_dist_local_group USING (groupid) "
        "WHERE shouldhaveshards");
    co_return found.rows() > 0;
  } catch (const Error& error) {
    if (error.error_class() != ErrorClass::statement) throw;
    co_return false;  // --dialect citus names a server without the extension
  }
}

// Returns nothing if the server does not answer, or if another host answers in its place.
Task<std::optional<std::int32_t>> node_group_of_host(Access access, std::size_t host) {
  access.first_host = host;
  try {
    const auto connection = co_await open(std::move(access));
    if (connection->host() != host) co_return std::nullopt;
    connection->set_round_trip_limit(std::chrono::seconds(15));
    co_return co_await citus_node_group(*connection);
  } catch (const Error&) {
    // The caller names the node that no host reaches.
  }
  co_return std::nullopt;
}

Task<std::vector<CitusLocation>> locations_of_values(Connection& connection, std::string table,
                                                     std::int32_t values) {
  const Result found = co_await connection.query(
      "SELECT DISTINCT ON (value) n.groupid, n.nodename || ':' || n.nodeport "
      "FROM pg_catalog.generate_series(1, $2::int4) AS value "
      "JOIN pg_catalog.pg_dist_placement AS p ON p.shardid = "
      "get_shard_id_for_distribution_column(to_regclass($1::text), value) "
      "JOIN pg_catalog.pg_dist_node AS n ON n.groupid = p.groupid AND n.noderole = 'primary' "
      "ORDER BY value, n.groupid",
      table, values);
  std::vector<CitusLocation> places;
  for (int row = 0; row < found.rows(); ++row) {
    places.push_back({found.number<std::int32_t>(row, 0), std::string(found.text(row, 1))});
  }
  co_return places;
}

constexpr std::string_view waits_for_recovery =
    "Citus recovers them once in citus.recover_2pc_interval; SELECT "
    "recover_prepared_transactions() on each node, as a superuser, recovers them at once";

// The prepared transactions of all nodes.
struct Prepared {
  std::vector<std::string> transactions;  // "node gid", sorted
  std::string failure;  // error of a node that did not answer; empty: all have answered
};

Task<Prepared> find_prepared(Connection& connection) {
  Prepared found;
  for (NodeAnswer& answer : co_await ask_all_nodes(
           connection,
           R"(SELECT string_agg(gid, ' ') FROM pg_prepared_xacts WHERE gid LIKE 'citus\_%' )"
           "AND database = current_database()")) {
    if (!answer.succeeded) {
      found.failure = fmt::format("node {}: {}", answer.node, answer.text);
      continue;
    }
    std::istringstream words(answer.text);
    for (std::string gid; words >> gid;) {
      found.transactions.push_back(fmt::format("{} {}", answer.node, gid));
    }
  }
  std::ranges::sort(found.transactions);
  co_return found;
}

std::string why_not(std::size_t left, const Prepared& found) {
  if (left == 0) return fmt::format("cannot query all nodes of Citus: {}", found.failure);
  return fmt::format("{} prepared transactions are not recovered: {}", left, waits_for_recovery);
}

// Waits until the transactions in `found` have ended, and asks the nodes to recover them meanwhile.
Task<void> recover(Connection& connection, Prepared found, coro::Duration timeout,
                   const NoteFunction& on_wait) {
  const coro::Instant give_up = coro::Worker::current().now() + timeout;
  constexpr coro::Duration pause = std::chrono::milliseconds(200);
  std::vector<std::string> left = found.transactions;
  for (int attempt = 0; !left.empty() || !found.failure.empty(); ++attempt) {
    if (coro::Worker::current().now() >= give_up) {
      throw Error(ErrorClass::unavailable, "", why_not(left.size(), found));
    }
    if (attempt == 1 && on_wait) on_wait("waiting: " + why_not(left.size(), found));
    if (attempt > 0) co_await coro::sleep_for(pause);
    // A node that cannot recover a transaction leaves it prepared, without an error.
    co_await ask_all_nodes(connection, "SELECT recover_prepared_transactions()");
    const bool was_complete = found.failure.empty();
    found = co_await find_prepared(connection);
    const auto has_ended = [&found](const std::string& one) {
      return !std::ranges::binary_search(found.transactions, one);
    };
    // A node that did not answer before may have further transactions.
    if (!was_complete) left = found.transactions;
    if (found.failure.empty()) std::erase_if(left, has_ended);
  }
}

}  // namespace

Task<void> set_up_citus_run(Connection& connection) {
  if (connection.dialect() != Dialect::citus) co_return;
  // Results as text: the nodes then execute statements without preparing each of them first.
  co_await set_if_known(connection, "SET citus.enable_binary_protocol = off");
  if (!co_await has_shards(connection)) co_return;
  // Citus 13.2.2 plans each execution of a generic plan on a local shard anew, and keeps every such
  // plan until the session ends: about 35 kB per execution.
  co_await set(connection, "SET plan_cache_mode = force_custom_plan");
}

Task<void> set_up_citus_scripts(Connection& connection) {
  if (connection.dialect() != Dialect::citus) co_return;
  try {
    co_await connection.query(
        "SELECT pg_catalog.set_config('plan_cache_mode', 'force_custom_plan', false) "
        "FROM pg_catalog.pg_dist_node JOIN pg_catalog.pg_dist_local_group USING (groupid) "
        "JOIN pg_catalog.pg_settings ON name = 'plan_cache_mode' "
        "WHERE shouldhaveshards AND source = 'default'");
  } catch (const Error& error) {
    if (error.error_class() != ErrorClass::statement) throw;
    // The server has no extension (--dialect citus), or is older than the setting.
  }
}

Task<std::int32_t> citus_node_group(Connection& connection) {
  const Result found =
      co_await connection.query("SELECT groupid FROM pg_catalog.pg_dist_local_group");
  co_return found.rows() == 1 ? found.number<std::int32_t>(0, 0) : coordinator_group;
}

Task<std::string> citus_coordinator(Connection& connection) {
  const Result found = co_await connection.query(
      "SELECT nodename || ':' || nodeport FROM pg_catalog.pg_dist_node "
      "WHERE groupid = 0 AND noderole = 'primary'");
  if (found.rows() == 0) co_return "the coordinator";
  co_return fmt::format("the coordinator {}", found.text(0, 0));
}

Task<void> require_citus_coordinator(Connection& connection, std::string_view what) {
  if (connection.dialect() != Dialect::citus) co_return;
  const std::int32_t group = co_await citus_node_group(connection);
  if (group == coordinator_group) co_return;
  const std::string coordinator = co_await citus_coordinator(connection);
  throw UnfitSchema(
      fmt::format("this server is a worker of Citus, but {} needs its coordinator. Connect to {} "
                  "with --db",
                  what, coordinator));
}

Task<void> add_citus_facts(Connection& connection, std::string table,
                           std::map<std::string, std::string>& settings) {
  if (connection.dialect() != Dialect::citus) co_return;
  const Result counted = co_await connection.query(
      "SELECT (SELECT count(*) FROM pg_catalog.pg_dist_node WHERE isactive AND shouldhaveshards "
      "AND noderole = 'primary'), (SELECT count(*) FROM pg_catalog.pg_dist_shard "
      "WHERE logicalrelid = to_regclass($1::text))",
      table);
  settings.emplace("nodes", counted.text(0, 0));
  settings.emplace("shards", counted.text(0, 1));
}

CitusHomes match_citus_hosts(std::span<const CitusLocation> places,
                             std::span<const std::optional<std::int32_t>> host_groups) {
  std::map<std::int32_t, std::vector<std::size_t>> hosts_of;
  for (std::size_t host = 0; host < host_groups.size(); ++host) {
    if (host_groups[host]) hosts_of[*host_groups[host]].push_back(host);
  }
  CitusHomes homes;
  std::map<std::int32_t, std::size_t> values_of;
  std::size_t missed = 0;
  std::string missed_at;
  for (const CitusLocation& place : places) {
    const std::size_t before = values_of[place.group]++;
    const auto found = hosts_of.find(place.group);
    if (found != hosts_of.end()) {
      homes.hosts.push_back(found->second[before % found->second.size()]);
      continue;
    }
    ++missed;
    if (before == 0) missed_at += (missed_at.empty() ? "" : ", ") + place.address;
  }
  if (missed == 0) return homes;
  homes.hosts.clear();
  homes.problem = fmt::format("{} of {} warehouses are on {}, and no host of --db is that node",
                              missed, places.size(), missed_at);
  return homes;
}

Task<std::optional<CitusHomes>> find_citus_homes(Access access, std::size_t hosts,
                                                 std::string table, std::int32_t values) {
  std::vector<CitusLocation> places;
  {
    const auto connection = co_await open_in_schema(access);
    if (connection->dialect() != Dialect::citus) co_return std::nullopt;
    const Result distributed = co_await connection->query(
        "SELECT 1 FROM pg_catalog.pg_dist_partition "
        "WHERE logicalrelid = to_regclass($1::text) AND partmethod = 'h'",
        table);
    if (distributed.rows() == 0) co_return std::nullopt;
    places = co_await locations_of_values(*connection, std::move(table), values);
  }
  std::vector<std::optional<std::int32_t>> host_groups;
  for (std::size_t host = 0; host < hosts; ++host) {
    host_groups.push_back(co_await node_group_of_host(access, host));
  }
  co_return match_citus_hosts(places, host_groups);
}

Task<std::vector<NodeAnswer>> ask_all_nodes(Connection& connection, std::string command) {
  const std::string quoted = text::replaced(std::move(command), "'", "''");
  const Result result = co_await connection.query(
      fmt::format("SELECT nodeid, success, result FROM run_command_on_all_nodes('{}')", quoted));
  std::vector<NodeAnswer> answers;
  for (int row = 0; row < result.rows(); ++row) {
    answers.push_back({result.number<std::int32_t>(row, 0), result.text(row, 1) == "t",
                       std::string(result.text(row, 2))});
  }
  co_return answers;
}

Task<void> recover_prepared(Connection& connection, coro::Duration timeout,
                            const NoteFunction& on_wait) {
  if (connection.dialect() != Dialect::citus) co_return;
  Prepared found;
  try {
    found = co_await find_prepared(connection);
  } catch (const Error& error) {
    constexpr std::string_view undefined_function = "42883";
    if (error.sqlstate() != undefined_function) throw;
    co_return;
  }
  co_await recover(connection, std::move(found), timeout, on_wait);
}

Task<std::size_t> count_prepared(Connection& connection) {
  const Prepared found = co_await find_prepared(connection);
  co_return found.transactions.size();
}

Task<std::optional<std::string>> recovery_note(Connection& connection) {
  if (connection.dialect() != Dialect::citus) co_return std::nullopt;
  const Result result = co_await connection.query(
      "SELECT coalesce(bool_and(may) FILTER (WHERE proname = 'recover_prepared_transactions'), "
      "true), coalesce(bool_and(may) FILTER (WHERE proname = 'run_command_on_all_nodes'), true), "
      "current_setting('citus.recover_2pc_interval', true) "
      "FROM (SELECT proname, has_function_privilege(oid, 'EXECUTE') AS may FROM pg_proc "
      "WHERE proname IN ('recover_prepared_transactions', 'run_command_on_all_nodes')) AS known");
  if (result.text(0, 1) == "f") {
    throw Error(
        ErrorClass::denied, "42501",
        "this role may not call run_command_on_all_nodes(), with which Drover finds the prepared "
        "transactions of Citus before it compares rows. Grant EXECUTE on the function");
  }
  if (result.text(0, 0) == "t") co_return std::nullopt;
  co_return fmt::format(
      "note: this role may not call recover_prepared_transactions(). If a node fails during a "
      "commit, Drover waits until Citus recovers the transaction (citus.recover_2pc_interval = {}) "
      "before it compares its counts with the tables. To avoid the wait, grant EXECUTE on the "
      "function on all nodes",
      result.text(0, 2));
}

}  // namespace drover::database::postgres
