#include "database/postgres/citus.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "database/error.h"
#include "database/postgres/session_setup.h"
#include "database/server.h"

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

CitusHomes match_citus_hosts(std::span<const CitusPlace> places,
                             std::span<const std::optional<std::int32_t>> host_groups) {
  std::map<std::int32_t, std::vector<std::size_t>> hosts_of;
  for (std::size_t host = 0; host < host_groups.size(); ++host) {
    if (host_groups[host]) hosts_of[*host_groups[host]].push_back(host);
  }
  CitusHomes homes;
  std::map<std::int32_t, std::size_t> values_of;
  std::size_t missed = 0;
  std::string missed_at;
  for (const CitusPlace& place : places) {
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

namespace {

constexpr coro::Duration answer_limit = std::chrono::seconds(15);

// Returns nothing if the server does not answer, or if another host answers in its place.
Task<std::optional<std::int32_t>> node_group_of_host(Access access, std::size_t host) {
  access.first_host = host;
  try {
    const auto connection = co_await open(std::move(access));
    if (connection->host() != host) co_return std::nullopt;
    connection->set_round_trip_limit(answer_limit);
    co_return co_await citus_node_group(*connection);
  } catch (const Error&) {
    // The caller names the node that no host reaches.
  }
  co_return std::nullopt;
}

Task<std::vector<CitusPlace>> places_of_values(Connection& connection, std::string table,
                                               std::int32_t values) {
  const Result found = co_await connection.query(
      "SELECT DISTINCT ON (value) n.groupid, n.nodename || ':' || n.nodeport "
      "FROM pg_catalog.generate_series(1, $2::int4) AS value "
      "JOIN pg_catalog.pg_dist_placement AS p ON p.shardid = "
      "get_shard_id_for_distribution_column(to_regclass($1::text), value) "
      "JOIN pg_catalog.pg_dist_node AS n ON n.groupid = p.groupid AND n.noderole = 'primary' "
      "ORDER BY value, n.groupid",
      table, values);
  std::vector<CitusPlace> places;
  for (int row = 0; row < found.rows(); ++row) {
    places.push_back({found.number<std::int32_t>(row, 0), std::string(found.text(row, 1))});
  }
  co_return places;
}

}  // namespace

Task<std::optional<CitusHomes>> find_citus_homes(Access access, std::size_t hosts,
                                                 std::string table, std::int32_t values) {
  std::vector<CitusPlace> places;
  {
    const auto connection = co_await open_in_schema(access);
    if (connection->dialect() != Dialect::citus) co_return std::nullopt;
    const Result distributed = co_await connection->query(
        "SELECT 1 FROM pg_catalog.pg_dist_partition "
        "WHERE logicalrelid = to_regclass($1::text) AND partmethod = 'h'",
        table);
    if (distributed.rows() == 0) co_return std::nullopt;
    places = co_await places_of_values(*connection, std::move(table), values);
  }
  std::vector<std::optional<std::int32_t>> host_groups;
  for (std::size_t host = 0; host < hosts; ++host) {
    host_groups.push_back(co_await node_group_of_host(access, host));
  }
  co_return match_citus_hosts(places, host_groups);
}

}  // namespace drover::database::postgres
