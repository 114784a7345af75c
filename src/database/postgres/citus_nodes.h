// Commands that all nodes of a Citus cluster execute, sent through any one of them, and recovery of
// the prepared transactions that a failure has left on the nodes.
//
// Thread safety: as the connection's. Errors: database::Error.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/postgres/connection.h"

namespace drover::database::postgres {

struct NodeAnswer {
  std::int32_t node = 0;  // nodeid of pg_dist_node; 0: the node is not in it
  bool succeeded = false;
  std::string text;  // first column of the first row, or the error
};

// Executes the command on each active node. A node that is away has not succeeded.
coro::Task<std::vector<NodeAnswer>> ask_all_nodes(Connection& connection, std::string command);

// Longer than citus.recover_2pc_interval is by default (60 s).
inline constexpr coro::Duration recovery_patience = std::chrono::seconds(90);

// Waits until the prepared transactions that there are now on the nodes of Citus have ended.
//
// A coordinator or worker that fails in the middle of a commit over several nodes leaves prepared
// transactions behind. Until they are recovered, their writes are not visible though the commit may
// have been answered. Each node recovers those that it has coordinated, once in
// citus.recover_2pc_interval, or at once if a role that may do so calls
// recover_prepared_transactions(): this function calls it on all nodes while there is something to
// recover. Calls `on_wait` with a line for the user once it has to wait.
//
// Throws Error (unavailable) if they have not ended, or a node is away, when the patience is over.
// Does nothing on a server that is not Citus, or that is too old for run_command_on_all_nodes().
coro::Task<void> recover_prepared(Connection& connection, coro::Duration patience,
                                  const std::function<void(std::string_view)>& on_wait = {});

// Returns the number of prepared transactions of Citus on the nodes that answer. Requires a server
// with Citus.
coro::Task<std::size_t> count_prepared(Connection& connection);

// Returns a line for the user if the server is Citus and the role may not call
// recover_prepared_transactions(). Throws Error (denied) if it may not call
// run_command_on_all_nodes().
coro::Task<std::optional<std::string>> recovery_note(Connection& connection);

}  // namespace drover::database::postgres
