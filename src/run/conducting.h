// The parts of the work of a command on several hosts, on its coordinator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "load/plan.h"
#include "ranks/conductor.h"

namespace drover::run {

struct Conducting {
  std::shared_ptr<ranks::Conductor> conductor;
  std::vector<load::Share> shares;  // by rank
  std::string run;                  // identifies the parts of the run
  // The message "work" to all agents, without the share of each agent.
  ranks::Message work;
  // Starts the agents of --hosts and waits for the end of their processes. Loses a rank whose
  // process ends before it has joined. Calls `on_note` with lines for the user.
  std::function<coro::Task<void>(std::function<void(std::string_view)> on_note)> launch;
};

// Throws UsageError if `part_of` returns 0 for the share of a host. `whole` is the number of all
// hosts together.
void require_part_for_each(const Conducting& conducting, std::uint64_t whole, std::string_view noun,
                           const std::function<std::uint64_t(const load::Share&)>& part_of);

// Waits until all ranks have joined. Throws ranks::RankLost if one does not join in time, or is
// lost. Calls `on_note` with the names of missing ranks.
coro::Task<void> all_here(ranks::Conductor& conductor,
                          const std::function<void(std::string_view)>& on_note);

// Returns a text that identifies server, database and schema; empty: unknown. May throw
// database::Error.
using IdentityOfDatabase = std::function<coro::Task<std::string>()>;

// Throws std::runtime_error if both identities are known and differ.
void require_same_database(const std::string& of_conductor, const std::string& own);

// Returns the message "work" for an agent.
ranks::Message work_for(const Conducting& conducting, std::size_t rank);

}  // namespace drover::run
