// Conductor: the coordinator's side of a distributed run. It accepts the agents of the run, one for
// each host (rank), receives their messages, and detects lost agents. It makes no load itself.
//
// A rank is lost if its connection ends before it has sent everything, if it sends nothing for
// ConductorSettings::silence_most, or if it reports that it has failed. Waiting for a message of a
// lost rank throws RankLost at once.
//
// Lives on one worker.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "coro/event.h"
#include "coro/scope.h"
#include "coro/task.h"
#include "ranks/clocks.h"
#include "ranks/link.h"

namespace drover::ranks {

// The interval at which each side sends a sign of life.
inline constexpr coro::Duration alive_every = std::chrono::milliseconds(500);

struct Loss {
  std::string reason;
  coro::Instant at;
};

// "host b: the connection was closed"
class RankLost : public std::runtime_error {
 public:
  RankLost(std::size_t rank, const std::string& message)
      : std::runtime_error(message), rank(rank) {}
  std::size_t rank;
};

struct ConductorSettings {
  // Names of the hosts by rank. A host with an empty name is named as its agent says.
  std::vector<std::string> names;
  Endpoint listen = {};
  std::string program;      // version and commit. Agents with another one are refused
  std::string secret = {};  // shared by all ranks; empty: 128 random bits
  // A rank that sends nothing for this long is lost. A rank applies the same limit to the
  // conductor's host.
  coro::Duration silence_most = std::chrono::seconds(5);
  // The time in which all ranks must join.
  coro::Duration join_most = std::chrono::minutes(2);
};

class Conductor {
 public:
  // Listens from now on. Throws std::system_error.
  explicit Conductor(ConductorSettings settings);

  // Returns the addresses and the secret with which agents join.
  std::vector<Endpoint> endpoints() const { return listener_.endpoints(); }
  const std::string& secret() const noexcept { return settings_.secret; }
  coro::Duration silence_most() const noexcept { return settings_.silence_most; }
  coro::Duration join_most() const noexcept { return settings_.join_most; }

  // Accepts agents, reads their messages and detects lost ones, until it is cancelled.
  coro::Task<void> attend();

  std::size_t ranks() const noexcept { return peers_.size(); }
  const std::string& name(std::size_t rank) const { return peers_[rank]->name; }
  void call(std::size_t rank, std::string name) { peers_[rank]->name = std::move(name); }

  // Waits until every rank has joined. Throws RankLost if one is lost before that.
  coro::Task<void> all_here();

  // Sends a message, unless the rank is lost.
  void tell(std::size_t rank, const Message& message);
  void tell_all(const Message& message);

  // Waits for the next message of this kind. Only one task may wait for a kind of a rank.
  coro::Task<Message> next(std::size_t rank, std::string kind);

  // Sets the action for messages of these kinds. next() does not return them.
  void on_message(std::vector<std::string> kinds,
                  std::function<void(std::size_t rank, const Message&)> action);
  // Sets the action that is called once for each lost rank.
  void on_lost(std::function<void(std::size_t rank)> action) { on_lost_ = std::move(action); }

  const std::optional<Loss>& loss(std::size_t rank) const { return peers_[rank]->loss; }
  bool is_lost(std::size_t rank) const { return peers_[rank]->loss.has_value(); }
  bool any_lost() const;
  bool all_have_come() const;
  bool has_come(std::size_t rank) const { return peers_[rank]->come.is_set(); }
  bool is_released(std::size_t rank) const { return peers_[rank]->released; }
  // Throws RankLost for a lost rank.
  [[noreturn]] void throw_loss(std::size_t rank) const;
  // Waits a moment for other ranks to fail for the same reason. Then throws one RankLost that names
  // each reason once, with its hosts. Requires: a rank is lost.
  coro::Task<void> throw_losses() const;
  void lose(std::size_t rank, const std::string& reason);
  // Loses all ranks that have not joined.
  void lose_missing(const std::string& reason);

  // Compares the clocks by 25 round trips, or fewer on a slow network. Throws RankLost.
  coro::Task<std::optional<ClockDifference>> compare_clocks(std::size_t rank);

  // Refuses the ranks that have not joined. Returns when all of them except rank 0 have tried to
  // join, or after `timeout`.
  coro::Task<void> refuse_all(std::string reason, coro::Duration timeout);

  // Lets the agent of a rank end, which has sent everything.
  void release(std::size_t rank);
  // Waits until all messages are sent and all released agents have disconnected, or for `timeout`.
  coro::Task<void> all_gone(coro::Duration timeout);

 private:
  struct Slot {
    std::vector<Message> messages;
    coro::Notification arrived;
  };
  struct Peer {
    std::string name;
    Link* link = nullptr;  // while connected
    coro::Event come;      // joined or lost
    coro::Event gone;
    coro::Instant heard{};
    bool released = false;
    bool has_said_all = false;  // it sent its last message, so the connection may end
    std::optional<Loss> loss;
    std::map<std::string, Slot> slots;
  };

  coro::Task<void> accept(coro::Scope& scope);
  coro::Task<void> serve(file::FileDescriptor socket);
  coro::Task<void> serve_rank(Link& link, std::size_t rank);
  coro::Task<void> read(Link& link, std::size_t rank);
  coro::Task<void> watch();
  // Returns why the sender of `hello` is refused, or an empty text.
  std::string refusal_of(const Message& hello) const;
  // Returns the rank that `hello` names, or the first free one. Returns ranks() if there is none.
  std::size_t rank_of(const Message& hello) const;
  // Returns why the connection of a rank ended too early: `end`, and a standstill of this process.
  std::string loss_reason(const std::string& end) const;
  // Returns a name that no other host has: the second host called "a" is "a#2".
  std::string unique_name(const std::string& host) const;
  std::string title(std::size_t rank) const;

  const ConductorSettings settings_;
  Listener listener_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::map<std::string, std::function<void(std::size_t, const Message&)>> actions_;
  std::function<void(std::size_t)> on_lost_;
  std::size_t refused_ = 0;
  // The time of watch()'s last turn, and how long this process had stood still before it.
  coro::Instant last_watch_{};
  coro::Duration stood_still_{};
};

}  // namespace drover::ranks
