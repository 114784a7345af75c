// The options of commands that several hosts can do together: --hosts and its companions. How the
// conductor of such a command is made, and how its agents are started.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/option/command.h"
#include "load/share.h"
#include "ranks/conductor.h"
#include "ranks/job.h"
#include "run/conducted_run.h"

namespace drover::cli {

struct HostsArguments {
  std::string hosts;    // "a,b,c"; empty: this one alone, or --agents
  std::string agents;   // the number of agents that are started by other means
  std::string weights;  // "2,1,1"; empty: all alike
  std::string parts;    // the folder for each host's part; empty: where programs keep their state
  std::string listen;   // where the agents join; empty: any address and port
  std::string join;     // in an indexed Job: where its first process listens
  std::string secret_file;          // empty: the variable DROVER_SECRET
  std::string ssh = "ssh";          // the program that starts agents, with its options
  std::string host_timeout = "5s";  // silence after which a host is lost
  std::string join_timeout = "2m";  // for all hosts to join
  const Command* command = nullptr;
  // In place of `hosts`: of the agents that mpirun, srun or an indexed Job has started beside this
  // process.
  std::shared_ptr<ranks::Conductor> met = {};

  bool several() const noexcept { return !hosts.empty() || !agents.empty() || met != nullptr; }
};

// The arguments have to live as long as the command.
void add_hosts_options(Command& command, HostsArguments& arguments);
// --parts, of runs: what hosts measure is kept, and what they load or check is not.
void add_parts_option(Command& command, HostsArguments& arguments);

// Before the command begins: what it reads from now on goes to the members, since it is on this host. Throws UsageError
// for options that say nothing of one host.
void check_hosts(const HostsArguments& arguments);

// Listens from then on. Throws UsageError. Requires: several(). `private_server`: the command has no --db, and needs one.
std::shared_ptr<run::Conducting> make_conducting(const HostsArguments& arguments,
                                                 bool private_server);

// The command as the members are to do it: its path and the options that were given, by whatever way.
ranks::Message work_of(const Command& command);

// Meets the other processes that MPI has started with this command. Returns nothing on rank 0,
// which coordinates: then `arguments` know the others. All others become agents, and their exit
// code is returned. `complete` reads the options that the command line does not have; only rank 0
// calls it, because a rank that ends before the meeting would leave the others waiting. Throws
// UsageError, also that of `complete`, and ranks::MpiError.
std::optional<int> meet_by_mpi(HostsArguments& arguments, const std::function<void()>& complete);

// The same in a Slurm step or an indexed Job, whose processes have read all options. An agent
// replaces the process, so the function returns only on the first. Throws UsageError.
void meet_in_job(HostsArguments& arguments, const ranks::JobPlace& place);

// Ends the agents that still wait for this process, the first of a job, which has failed.
void refuse_agents(const HostsArguments& arguments);

}  // namespace drover::cli
