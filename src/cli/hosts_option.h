// The options of commands that several hosts can do together: --hosts and what goes with it; and how the conductor of such
// a command is made, whoever starts its ranks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/option/command.h"
#include "load/share.h"
#include "ranks/conductor.h"
#include "run/conducted_run.h"

namespace drover::cli {

struct HostsArguments {
  std::string hosts;      // "a,b,c"; empty: this one alone
  std::string weights;    // "2,1,1"; empty: all alike
  std::string parts;      // the folder for each host's part; empty: where programs keep their state
  std::string gather_at;  // where the ranks report; empty: any address and port
  const Command* command = nullptr;
  // Instead of `hosts`: that of ranks which MPI has started, and which will come to it.
  std::shared_ptr<ranks::Conductor> met = {};

  bool several() const noexcept { return !hosts.empty() || met != nullptr; }
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

// Meets the other ranks, where MPI has started several of this process. On rank 0 it returns, and `arguments` know them;
// the others become members, and their exit code is returned. `complete` reads what the command line does not say, and is
// for rank 0 alone, whose words all get: whoever ended before the meeting would leave the others waiting for it. Throws
// UsageError, also that of `complete`, and ranks::MpiError.
std::optional<int> meet_by_mpi(HostsArguments& arguments, const std::function<void()>& complete);

}  // namespace drover::cli
