// `drover agent`: the process that makes one host's part of a distributed run. It joins the
// coordinator, which tells it what to do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option/command.h"
#include "coro/clock.h"
#include "ranks/member_run.h"

namespace drover::cli {

// The environment variable with the secret that the coordinator and its agents share.
inline constexpr const char* secret_variable = "DROVER_SECRET";

// Returns the shared secret: the first line of `file`, or of the standard input for "-". For an
// empty `file`, takes DROVER_SECRET and removes it from the environment. Throws UsageError if there
// is no secret or its length is wrong.
std::string read_secret(const std::string& file);

// The limit of --join-timeout.
inline constexpr coro::Duration join_timeout_most = std::chrono::hours(24);

// Waits for some seconds in all processes of mpirun or srun except the first one. All of them write
// to one terminal: when the first one fails, its error is shown, and its end ends the others before
// they print an error of their own.
void let_first_process_speak();

// Return the path of this program, and its version. The coordinator refuses agents of another
// version.
std::string own_program();
std::string own_version();

// Returns the command line of an agent, without the program. `join` has the addresses of the
// coordinator; the agent reads its secret from `secret_file` (read_secret()).
std::vector<std::string> agent_words(const std::string& join, std::size_t rank,
                                     const std::string& secret_file, coro::Duration join_timeout);

// Returns the part of the coordinator's message "work" that concerns this agent.
ranks::MemberWork member_work(const ranks::Message& work);

}  // namespace drover::cli
