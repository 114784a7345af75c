// What a person should know of a run that its figures do not say by themselves: phases, outages,
// errors of a new kind, limits that break, a client that is too busy. Found by comparing each
// snapshot with the one before.
//
// For one thread; snapshots come in order. Errors that go on are summed up: at most a line in
// `errors_every`.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "load/plan.h"
#include "load/snapshot.h"
#include "ui/log_book.h"

namespace drover::ui {

struct RunEvent {
  Level level = Level::note;
  std::string text;
};

// "DATABASE AWAY for 4.0 s", "NO ANSWER for 4.0 s", or nothing.
std::string trouble_text(const load::Sample& sample);

class RunEvents {
 public:
  static constexpr coro::Duration errors_every = std::chrono::seconds(10);
  // A worker that is busier than this makes latencies of its own; it is well again below `calm`.
  static constexpr double load_most = 0.8;
  static constexpr double load_calm = 0.7;
  // A percentile of fewer transactions says little.
  static constexpr std::uint64_t latencies_least = 20;

  // `plan` must outlive it.
  explicit RunEvents(const load::Plan& plan);

  std::vector<RunEvent> observe(const load::Snapshot& snapshot);

 private:
  using ClassCounts = std::array<std::uint64_t, database::error_class_count>;

  void observe_phase(const load::Snapshot& snapshot);
  void observe_outages(const load::Snapshot& snapshot);
  void observe_stalls(const load::Snapshot& snapshot);
  void observe_sessions(const load::Snapshot& snapshot);
  void observe_errors(const load::Snapshot& snapshot);
  void observe_limits(const load::Snapshot& snapshot);
  void observe_client(const load::Snapshot& snapshot);
  void observe_ranks(const load::Snapshot& snapshot);
  void say(Level level, std::string text) { events_.push_back({level, std::move(text)}); }

  const load::Plan& plan_;
  std::vector<RunEvent> events_;
  load::Phase phase_ = load::Phase::done;
  coro::Instant outage_begun_{};  // the last one that was told
  coro::Instant outage_ended_{};
  coro::Instant stall_begun_{};
  coro::Instant stall_ended_{};
  std::uint64_t interruptions_ = 0;
  ClassCounts errors_told_{};
  coro::Duration errors_told_at_{};
  std::vector<bool> broken_;  // by type: its limit
  std::vector<bool> lost_;    // by rank: it was told
  bool busy_ = false;
};

}  // namespace drover::ui
