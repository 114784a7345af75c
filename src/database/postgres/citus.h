// Citus: what a run sets, which node holds which rows, commands on all nodes, and the recovery of
// prepared transactions that a failure has left on the nodes.
//
// A node group is Citus' number of a node and its standbys. The coordinator's is 0.
//
// Thread safety: as the connection's. Errors: database::Error.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/postgres/access.h"
#include "database/postgres/connection.h"
#include "database/server.h"

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
struct CitusLocation {
  std::int32_t group = 0;
  std::string address = {};
};

// Selects for each place a host of its node group. Several hosts of a group are used round-robin.
// `host_groups` has the node group of each host, and none for a host that did not answer.
CitusHomes match_citus_hosts(std::span<const CitusLocation> places,
                             std::span<const std::optional<std::int32_t>> host_groups);

// Returns the host of each of the values 1 to `values` of the table's distribution column, or
// nothing if the server has no Citus or the table is not distributed. Connects to each of the
// `hosts` hosts of the connection string to ask for its node group.
coro::Task<std::optional<CitusHomes>> find_citus_homes(Access access, std::size_t hosts,
                                                       std::string table, std::int32_t values);

struct NodeAnswer {
  std::int32_t node = 0;  // nodeid of pg_dist_node; 0: the node is not in it
  bool succeeded = false;
  std::string text;  // first column of the first row, or the error
};

// Executes the command on each active node. A node that cannot be reached has not succeeded.
coro::Task<std::vector<NodeAnswer>> ask_all_nodes(Connection& connection, std::string command);

// Longer than the default of citus.recover_2pc_interval (60 s).
inline constexpr coro::Duration recovery_timeout = std::chrono::seconds(90);

// Waits until the prepared transactions that exist now on the nodes of Citus have ended.
//
// A coordinator or worker that fails during a commit over several nodes leaves prepared
// transactions. Until they are recovered, their writes are not visible, though the commit may have
// been answered. Each node recovers the ones that it has coordinated, once in
// citus.recover_2pc_interval, or at once if a role that may do so calls
// recover_prepared_transactions(). This function calls it on all nodes while there is something to
// recover. Calls `on_wait` with a line for the user once it has to wait.
//
// Throws Error (unavailable) at the timeout, if some have not ended or a node cannot be reached.
// Does nothing on a server that is not Citus, or that is too old for run_command_on_all_nodes().
coro::Task<void> recover_prepared(Connection& connection, coro::Duration timeout,
                                  const NoteFunction& on_wait = {});

// Returns the number of prepared transactions of Citus on the nodes that answer. Requires a server
// with Citus.
coro::Task<std::size_t> count_prepared(Connection& connection);

// Returns a line for the user if the server is Citus and the role may not call
// recover_prepared_transactions(). Throws Error (denied) if it may not call
// run_command_on_all_nodes().
coro::Task<std::optional<std::string>> recovery_note(Connection& connection);

}  // namespace drover::database::postgres
