// Loads and checks, which a coordinator can divide among several hosts. (Runs on several hosts are
// in run/conducted_run.h.) Each agent executes a part, reports its progress and then its result.
// Parts, progress and results are texts of the command.
#pragma once

#include <cstddef>

#include "cli/hosts_option.h"
#include "cli/option/database_option.h"
#include "coro/task.h"
#include "ranks/member.h"

namespace drover::cli {

// The coordinator's side. Belongs to one worker.
class DistributedWork {
 public:
  // `on_note` takes lines for the user.
  DistributedWork(std::shared_ptr<run::Conducting> conducting,
                  std::function<void(std::string_view)> on_note)
      : conducting_(std::move(conducting)), on_note_(std::move(on_note)) {}

  std::size_t ranks() const { return conducting_->shares.size(); }
  const load::Share& share(std::size_t rank) const { return conducting_->shares[rank]; }

  // Returns the rank of each of `count` equal pieces of work, in turns by the weights of the hosts.
  std::vector<std::size_t> turns(std::size_t count) const;

  // Throws UsageError if a host would have none of the `--connections` of all hosts. None: auto.
  void require_connection_for_each(std::optional<std::size_t> of_all) const;

  // Makes agents refuse to work on a database with another identity.
  void set_identity(run::IdentityOfDatabase identity) { identity_ = std::move(identity); }

  // Runs `work` with every agent connected. Throws ranks::RankLost as soon as an agent is lost
  // before the parts are distributed. Disconnects and stops all agents when `work` ends, fails or
  // is cancelled.
  coro::Task<void> with_agents(coro::Task<void> work);

  // Sends each agent its part. Returns the results of all agents. Throws ranks::RankLost as soon as
  // an agent is lost; the other agents end then. Called once, within with_agents().
  coro::Task<std::vector<std::string>> distribute(
      std::vector<std::string> parts,
      std::function<void(std::size_t rank, const std::string& progress)> on_progress);

 private:
  coro::Task<void> when_connected(coro::Task<void> work);
  // Cancels `work` as soon as an agent is lost, and throws ranks::RankLost with all losses. Within
  // `work`, another call takes over: a later loss does not cancel the outer `work`.
  coro::Task<void> unless_lost(coro::Task<void> work);

  std::shared_ptr<run::Conducting> conducting_;
  std::function<void(std::string_view)> on_note_;
  run::IdentityOfDatabase identity_ = {};
};

// A command that loads or checks data, on this host or on several.
class DataCommand {
 public:
  // `connections`: --connections of all hosts; none: auto. `own_connections`: those that this host
  // would open without other hosts. Throws UsageError, and the errors of DatabaseTarget.
  DataCommand(const HostsArguments& arguments, const DatabaseOption& database,
              std::optional<std::size_t> connections, std::size_t own_connections);
  DataCommand(const DataCommand&) = delete;
  DataCommand& operator=(const DataCommand&) = delete;

  // Returns the exit code. If a host is lost, throws std::runtime_error that ends with
  // `after_loss`.
  int run(coro::Task<void> work, std::string_view after_loss);

  const DatabaseTarget& target() const { return target_; }
  DistributedWork* hosts() { return hosts_ ? &*hosts_ : nullptr; }  // null: this host alone

 private:
  std::optional<DistributedWork> hosts_;
  DatabaseTarget target_;
};

// The agent's side. Executes a part and returns the result; `report` takes the progress.
using PartWork = std::function<coro::Task<std::string>(
    std::string part, std::function<void(const std::string&)> report)>;

// Executes the part that the coordinator sends. Cancels `work` when the other agents end. Returns
// the exit code. Throws the errors of `work`.
int perform_part(ranks::Member& member, const PartWork& work,
                 const run::IdentityOfDatabase& identity = {});

// The same on the coordinator's database, by `connections` of this host.
int perform_part(ranks::Member& member, const DatabaseTarget& target, std::size_t connections,
                 const PartWork& work);

}  // namespace drover::cli
