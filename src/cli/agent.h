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

// The variable with the secret that the coordinator and its agents share.
inline constexpr const char* secret_variable = "DROVER_SECRET";

// Returns the shared secret: the first line of the file, of the standard input for "-", or
// DROVER_SECRET, which this process then forgets. Throws UsageError if there is none, or if it is
// too short.
std::string read_secret(const std::string& file);

// How long to wait for all hosts, or for the coordinator. Throws UsageError.
coro::Duration parse_join_timeout(const std::string& written);

// Under mpirun or srun, all processes write to one terminal: those but the first wait for a while,
// in which the error of the first ends them.
void let_first_process_speak();

// The file of this program, and its version. Agents of another version are refused.
std::string own_program();
std::string own_version();

// The command line of an agent, without the program: `join` are the addresses of the coordinator.
// It reads its secret as `secret_file` says.
std::vector<std::string> agent_words(const std::string& join, std::size_t rank,
                                     const std::string& secret_file,
                                     const std::string& join_timeout);

// Returns what the coordinator's message "work" says of this agent.
ranks::MemberWork member_work(const ranks::Message& work);

}  // namespace drover::cli
