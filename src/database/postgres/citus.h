// Queries to a node of Citus about its cluster: whether the node is the coordinator, and which node
// holds a shard. citus_nodes.h has the commands that all nodes execute.
//
// A node group is Citus' number of a node and its standbys. The coordinator's is 0.
//
// Thread safety: as the connection's. Errors: database::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/postgres/access.h"
#include "database/postgres/connection.h"

namespace drover::database::postgres {

inline constexpr std::int32_t coordinator_group = 0;

// Sets what a run's session needs on Citus. Does nothing on other databases.
coro::Task<void> set_up_citus_run(Connection& connection);

// Sets plan_cache_mode for prepared statements of scripts, which must not have generic plans on a
// node with shards. Leaves a value that the connection string, the role or the server sets. Does
// nothing on other databases.
coro::Task<void> set_up_citus_scripts(Connection& connection);

// Returns the node group of the server. Requires a server with Citus.
coro::Task<std::int32_t> citus_node_group(Connection& connection);

// Returns "the coordinator host:5432", or "the coordinator" if the node does not know its address.
// Requires a server with Citus.
coro::Task<std::string> citus_coordinator(Connection& connection);

// Throws UnfitSchema, which names the coordinator, if the server is a worker of Citus. `what` is
// the command's name in the message: "an import".
coro::Task<void> require_citus_coordinator(Connection& connection, std::string_view what);

// Adds to `settings` the number of nodes that hold shards (nodes) and the number of the table's
// shards (shards). Does nothing on other databases.
coro::Task<void> add_citus_facts(Connection& connection, std::string table,
                                 std::map<std::string, std::string>& settings);

// The hosts of a connection string that hold the rows of a distributed table.
struct CitusHomes {
  // The number of the host that holds the rows of each value of the distribution column, from value
  // 1. Empty if not every value has a host.
  std::vector<std::size_t> hosts = {};
  // For the user: why not every value has a host; empty if each has one.
  std::string problem = {};
};

// A node group that holds values of a distribution column, and its address for messages.
struct CitusPlace {
  std::int32_t group = 0;
  std::string address = {};
};

// Selects for each place a host of its node group. Several hosts of a group are used round-robin.
// `host_groups` has the node group of each host, and none for a host that did not answer.
CitusHomes match_citus_hosts(std::span<const CitusPlace> places,
                             std::span<const std::optional<std::int32_t>> host_groups);

// Returns the host of each of the values 1 to `values` of the table's distribution column, or
// nothing if the server has no Citus or the table is not distributed. Connects to each of the
// `hosts` hosts of the connection string to ask for its node group.
coro::Task<std::optional<CitusHomes>> find_citus_homes(Access access, std::size_t hosts,
                                                       std::string table, std::int32_t values);

}  // namespace drover::database::postgres
