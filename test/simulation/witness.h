// Witness: stands between the engine and the simulated database and writes down what the one was
// told of the other: each attempt at a transaction and its end, each session lost, refused or
// opened. What the engine counts is held against it.
//
// It also keeps the trace of the simulation: a hash over all events, and their text if it is asked
// for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "database/error.h"
#include "workload/tpcc/backend.h"

namespace drover::simulation {

struct Attempt {
  enum class End : std::uint8_t { none, committed, rolled_back, error, cancelled };

  std::size_t worker = 0;
  tpcc::Input input;
  std::uint32_t mark = 0;
  coro::Instant begun;
  coro::Instant ended;
  End end = End::none;
  database::ErrorClass error_class{};  // of an error
  bool is_slow = false;                // of a retryable error: the next attempt is far away
  bool commit_sent = false;
  std::int32_t orders = 0;                // that a Delivery has taken, by its answer or its finding
  std::uint32_t asked = 0;                // how often the engine wanted to know whether it happened
  std::optional<tpcc::Resolution> found;  // what it was told then
  bool lost = false;                      // was in the data, and a failover took it away

  tpcc::TransactionType type() const noexcept {
    return static_cast<tpcc::TransactionType>(input.index());
  }
  bool is_retryable() const noexcept {
    return end == End::error && error_class == database::ErrorClass::retryable;
  }
  bool is_doubt() const noexcept {
    return (end == End::error && error_class == database::ErrorClass::ambiguous_commit) ||
           (end == End::cancelled && commit_sent);
  }
};

// What bears on whether the database is away, in the order in which the engine heard of it.
struct Sign {
  enum class Kind : std::uint8_t { lost, refused, opened, succeeded, answered };
  Kind kind{};
  coro::Instant at;
};

class Witness {
 public:
  explicit Witness(bool prints) : prints_(prints) {}

  // Its number is what the others take.
  std::size_t begin(std::size_t worker, const tpcc::Input& input, std::uint32_t mark);
  void committed(std::size_t attempt, std::int32_t orders);
  void rolled_back(std::size_t attempt);
  void failed(std::size_t attempt, const database::Error& error, bool commit_sent);
  void cancelled(std::size_t attempt, bool commit_sent);

  void session_lost(std::size_t worker);
  void session_refused(std::size_t worker);
  void session_opened(std::size_t worker);

  // The engine asks about it, and is told so. One that nobody knows is noted as a fault.
  void found(std::size_t worker, const tpcc::UnknownCommit& doubt, tpcc::ResolvedCommit finding);
  void asked(std::size_t worker, const tpcc::UnknownCommit& doubt);

  // An event of the simulation's own.
  void note(std::string_view what, std::int64_t first = 0, std::int64_t second = 0);

  // A fault of the engine that is seen on the spot.
  void fault(std::string text) { faults_.push_back(std::move(text)); }

  std::vector<Attempt>& attempts() noexcept { return attempts_; }
  const std::vector<Attempt>& attempts() const noexcept { return attempts_; }
  const std::vector<Sign>& signs() const noexcept { return signs_; }
  const std::vector<std::string>& faults() const noexcept { return faults_; }
  std::uint64_t sessions_lost() const noexcept { return sessions_lost_; }
  std::uint64_t sessions_opened() const noexcept { return sessions_opened_; }
  std::uint64_t hash() const noexcept { return hash_; }

 private:
  Attempt* find(std::size_t worker, const tpcc::UnknownCommit& doubt);
  void end(std::size_t attempt, Attempt::End how);

  const bool prints_;
  std::vector<Attempt> attempts_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> by_mark_;
  std::vector<Sign> signs_;
  std::vector<std::string> faults_;
  std::uint64_t sessions_lost_ = 0;
  std::uint64_t sessions_opened_ = 0;
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace drover::simulation
