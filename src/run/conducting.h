// What several hosts do together, as the host has it that tells them: who they are, and what each is to do.
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
  std::string run;                  // by which its parts are known
  // What all ranks are told to do: the message "work", to which each one's share is added.
  ranks::Message work;
  // Starts the agents of --hosts and waits for the end of their processes. Loses a rank whose
  // process ends before it has joined. Calls `on_note` with lines for the user.
  std::function<coro::Task<void>(std::function<void(std::string_view)> on_note)> launch;
};

// Throws UsageError where a host would have none of so many things. `part_of` says how many its share has of them.
void require_part_for_each(const Conducting& conducting, std::uint64_t whole, std::string_view noun,
                           const std::function<std::uint64_t(const load::Share&)>& part_of);

// Waits until all ranks have joined. Throws ranks::RankLost if one does not join in time, or is
// lost. Calls `on_note` with the names of missing ranks.
coro::Task<void> all_here(ranks::Conductor& conductor,
                          const std::function<void(std::string_view)>& on_note);

// Which server, database and schema it is, told from all others; empty: not known. May throw database::Error.
using IdentityOfDatabase = std::function<coro::Task<std::string>()>;

// Throws std::runtime_error: this host is connected with another database than the conductor. Empty: not known.
void require_same_database(const std::string& of_conductor, const std::string& own);

// What a rank is told to do.
ranks::Message work_for(const Conducting& conducting, std::size_t rank);

}  // namespace drover::run
