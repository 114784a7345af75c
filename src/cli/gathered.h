// What several hosts do together that is no run: each gets a part, tells how far it is, and says what came of it. The
// parts and what is said are texts, which the command knows to read.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/hosts_option.h"
#include "coro/task.h"
#include "ranks/member.h"
#include "run/conducting.h"

namespace drover::cli {

// The conductor's side. Lives on one worker.
class Gathered {
 public:
  // `on_note` takes lines for people.
  Gathered(std::shared_ptr<run::Conducting> conducting,
           std::function<void(std::string_view)> on_note)
      : conducting_(std::move(conducting)), on_note_(std::move(on_note)) {}

  std::size_t ranks() const { return conducting_->shares.size(); }
  const load::Share& share(std::size_t rank) const { return conducting_->shares[rank]; }

  // Which rank gets each of so many things that cost alike: in turns, by the weights.
  std::vector<std::size_t> turns(std::size_t count) const;

  // Throws UsageError where a host would have none of `--connections`, which are those of all. None: each host has as many
  // as it finds right.
  void require_connection_for_each(std::optional<std::size_t> of_all) const;

  // Members refuse to work on another database than the one that this tells.
  void works_on(run::IdentityOfDatabase identity) { identity_ = std::move(identity); }

  // Runs `work` with every member connected. Throws ranks::RankLost as soon as a member is lost
  // before the parts are dealt out. Disconnects and stops all members when `work` ends, fails or is
  // cancelled.
  coro::Task<void> around(coro::Task<void> work);

  // Gives each its part; hands back what each says at its end. Throws ranks::RankLost as soon as one is lost; the others
  // end then. In around(), and once.
  coro::Task<std::vector<std::string>> deal(
      std::vector<std::string> parts,
      std::function<void(std::size_t rank, const std::string& said)> on_said);

 private:
  coro::Task<void> with_all(coro::Task<void> work);
  // Cancels `work` as soon as a member is lost, and throws ranks::RankLost with all losses. Within
  // `work`, another call takes over: a later loss does not cancel the outer `work`.
  coro::Task<void> unless_lost(coro::Task<void> work);

  std::shared_ptr<run::Conducting> conducting_;
  std::function<void(std::string_view)> on_note_;
  run::IdentityOfDatabase identity_ = {};
};

// None where no other hosts are named. Throws UsageError. Notes go to the error stream.
std::optional<Gathered> gathered(const HostsArguments& arguments, bool private_server);

// The member's side. `work` does the part, and returns what is to be said at the end; `say` tells how far it is. It is
// cancelled when the others end. Returns the exit code; throws what `work` throws.
using PartWork = std::function<coro::Task<std::string>(
    std::string part, std::function<void(const std::string&)> say)>;
int do_part(ranks::Member& member, const PartWork& work,
            const run::IdentityOfDatabase& identity = {});

}  // namespace drover::cli
