// Conductor: the process that gathers what several hosts do as one: who belongs to the run, what each of them (a rank) says,
// and which of them is lost. It makes no load itself.
//
// A rank is lost when its connection ends before its time, when it says nothing for `silence_most`, or when it says
// itself that it cannot go on. What is awaited of a lost rank throws RankLost at once.
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

// Each side says that often that it is there, and takes the other for gone after that silence.
inline constexpr coro::Duration alive_every = std::chrono::milliseconds(500);
inline constexpr coro::Duration silence_most = std::chrono::seconds(5);

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
  std::vector<std::string>
      names;  // of the hosts, by rank; an empty one is called as it calls itself
  Endpoint listen = {};
  std::string program;  // version and commit: a rank that is of another one is refused
};

class Conductor {
 public:
  // Listens from then on. Throws std::system_error.
  explicit Conductor(ConductorSettings settings);

  // What a rank needs to know to come.
  std::vector<Endpoint> endpoints() const { return listener_.endpoints(); }
  const std::string& secret() const noexcept { return secret_; }

  // Takes ranks in, reads what they say, and watches them; until it is cancelled.
  coro::Task<void> attend();

  std::size_t ranks() const noexcept { return peers_.size(); }
  const std::string& name(std::size_t rank) const { return peers_[rank]->name; }
  void call(std::size_t rank, std::string name) { peers_[rank]->name = std::move(name); }

  // Throws RankLost when one is lost before it has come.
  coro::Task<void> all_here();

  // Nothing if it is lost.
  void tell(std::size_t rank, const Message& message);
  void tell_all(const Message& message);

  // The next message of this kind; one task a kind.
  coro::Task<Message> next(std::size_t rank, std::string kind);

  // Called with messages of these kinds, which nobody may wait for.
  void on_message(std::vector<std::string> kinds,
                  std::function<void(std::size_t rank, const Message&)> action);
  // Called once for each.
  void on_lost(std::function<void(std::size_t rank)> action) { on_lost_ = std::move(action); }

  const std::optional<Loss>& loss(std::size_t rank) const { return peers_[rank]->loss; }
  bool is_lost(std::size_t rank) const { return peers_[rank]->loss.has_value(); }
  bool any_lost() const;
  bool all_have_come() const;
  bool has_come(std::size_t rank) const { return peers_[rank]->come.is_set(); }
  // Throws the RankLost of one that is.
  [[noreturn]] void throw_loss(std::size_t rank) const;
  void lose(std::size_t rank, const std::string& reason);
  // Those that have not come.
  void lose_missing(const std::string& reason);

  // By some round trips. Throws RankLost.
  coro::Task<std::optional<ClockDifference>> compare_clocks(std::size_t rank);

  // It has said all that it has to say: it may end.
  void release(std::size_t rank);
  // Until what all were told last is sent, and those who were released have gone, or the time is over.
  coro::Task<void> all_gone(coro::Duration patience);

 private:
  struct Slot {
    std::vector<Message> messages;
    coro::Notification arrived;
  };
  struct Peer {
    std::string name;
    Link* link = nullptr;  // once it has come, until it has gone
    coro::Event come;      // or lost
    coro::Event gone;
    coro::Instant heard{};
    bool released = false;
    std::optional<Loss> loss;
    std::map<std::string, Slot> slots;
  };

  coro::Task<void> accept(coro::Scope& scope);
  coro::Task<void> serve(file::FileDescriptor socket);
  coro::Task<void> serve_rank(Link& link, std::size_t rank);
  coro::Task<void> read(Link& link, std::size_t rank);
  coro::Task<void> watch();
  // Why it is not taken in; empty: it is.
  std::string refusal_of(const Message& hello) const;
  std::string title(std::size_t rank) const;

  const ConductorSettings settings_;
  const std::string secret_;
  Listener listener_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::map<std::string, std::function<void(std::size_t, const Message&)>> actions_;
  std::function<void(std::size_t)> on_lost_;
};

}  // namespace drover::ranks
