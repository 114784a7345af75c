// The options of commands that run on several hosts (--hosts and the options that need it), the
// coordinator's ranks::Conductor, and the start of the agents.
#pragma once

#include <memory>

#include "cli/option/command.h"
#include "load/plan.h"
#include "ranks/conductor.h"
#include "ranks/job.h"
#include "ranks/member_run.h"
#include "run/conducting.h"

namespace drover::cli {

struct HostsArguments {
  std::string hosts;                    // "a,b,c"; empty: this host alone, or --agents
  std::optional<std::uint64_t> agents;  // the number of agents that are started by other means
  std::vector<std::uint64_t> weights;   // of the hosts; empty: all equal
  std::string parts;   // the folder for each host's part; empty: where programs keep their state
  std::string listen;  // where the agents join; empty: any address and port
  std::string join;    // in an indexed Job: where its first process listens
  std::string secret_file;  // empty: the variable DROVER_SECRET
  std::string ssh = "ssh";  // the program that starts agents, with its options
  coro::Duration host_timeout = std::chrono::seconds(5);  // silence after which a host is lost
  coro::Duration join_timeout = std::chrono::minutes(2);  // for all hosts to join
  const Command* command = nullptr;
  // The conductor that has met the agents which mpirun, srun or an indexed Job started. Replaces
  // `hosts`.
  std::shared_ptr<ranks::Conductor> met = {};

  bool several() const noexcept { return !hosts.empty() || agents || met != nullptr; }
};

// `arguments` must outlive the command.
void add_hosts_options(Command& command, HostsArguments& arguments);
// Adds --parts, for runs only: the parts of imports, loads and checks are not kept.
void add_parts_option(Command& command, HostsArguments& arguments);

// To be called before the command begins: files that it reads from then on are sent to the agents.
// Throws UsageError for options that have no meaning on a single host.
void check_hosts(const HostsArguments& arguments);

// Makes the coordinator's state, and listens for agents from then on. Throws UsageError. Requires:
// several(). `private_server`: the command has no --db, and would use the private server.
std::shared_ptr<run::Conducting> make_conducting(const HostsArguments& arguments,
                                                 bool private_server);

// Returns the command that the agents perform: its path and the options that were given, on the
// command line, by variables or by a file.
ranks::Message work_of(const Command& command);

// Meets the other processes that MPI has started with this command. On rank 0, which coordinates,
// returns nothing and sets arguments.met. On all other ranks, runs an agent and returns its exit
// code. Calls `complete`, which reads the options that the command line lacks, on rank 0 only,
// since a rank that ended before the meeting would leave the others waiting. Throws UsageError,
// including that of `complete`, and ranks::MpiError.
std::optional<int> meet_by_mpi(HostsArguments& arguments, const std::function<void()>& complete);

// Meets the other processes of a Slurm step or an indexed Job. All of them have read their options.
// Returns on the first process only; replaces all others with agents. Throws UsageError.
void meet_in_job(HostsArguments& arguments, const ranks::JobPlace& place);

// Called by the first process of a job when it has failed: tells the agents that wait for it to
// end.
void refuse_agents(const HostsArguments& arguments);

// ---- Agents

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

// Returns the command line of an agent, without the program. `join` has the addresses of the
// coordinator; the agent reads its secret from `secret_file` (read_secret()).
std::vector<std::string> agent_words(const std::string& join, std::size_t rank,
                                     const std::string& secret_file, coro::Duration join_timeout);

// Returns the part of the coordinator's message "work" that concerns this agent.
ranks::MemberWork member_work(const ranks::Message& work);

}  // namespace drover::cli
