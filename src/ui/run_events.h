// RunEvents: the events of a run for the log: phases, outages, stalls, errors, exceeded latency
// limits, an overloaded client, lost hosts. Compares each snapshot with the previous one. Errors of
// a known kind are summed up in a line per `errors_every`. For one thread.
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

// Returns "OUTAGE for 4.0 s", "STALL for 4.0 s", or an empty text.
std::string trouble_text(const load::Sample& sample);

class RunEvents {
 public:
  static constexpr coro::Duration errors_every = std::chrono::seconds(10);
  // A worker thread above this load delays transactions. The delay ends below `load_calm`.
  static constexpr double load_most = 0.8;
  static constexpr double load_calm = 0.7;
  // Number of transactions from which a percentile is compared with its limit.
  static constexpr std::uint64_t latencies_least = 20;

  // `plan` must outlive this object.
  explicit RunEvents(const load::Plan& plan);

  // Returns the events since the last call. Requires: snapshots come in order.
  std::vector<RunEvent> observe(const load::Snapshot& snapshot);

 private:
  using ClassCounts = std::array<std::uint64_t, database::error_class_count>;
  // The outages or stalls that were reported, by their starts.
  struct Reported {
    coro::Instant begin{};  // the last one whose begin was reported
    coro::Instant end{};    // the last one whose end was reported
  };

  template <class Spans>
  void observe_spans(const Spans& spans, Reported& reported, auto begin_text, auto end_text);
  void observe_phase(const load::Snapshot& snapshot);
  void observe_outages(const load::Snapshot& snapshot);
  void observe_sessions(const load::Snapshot& snapshot);
  void observe_errors(const load::Snapshot& snapshot);
  void observe_limits(const load::Snapshot& snapshot);
  void observe_client(const load::Snapshot& snapshot);
  void observe_ranks(const load::Snapshot& snapshot);
  void say(Level level, std::string text) { events_.push_back({level, std::move(text)}); }

  const load::Plan& plan_;
  std::vector<RunEvent> events_;
  load::Phase phase_ = load::Phase::done;
  Reported outages_;
  Reported stalls_;
  std::uint64_t interruptions_ = 0;
  ClassCounts errors_reported_{};
  coro::Duration errors_reported_at_{};
  std::vector<bool> broken_;  // by type: the latency limit is exceeded
  std::vector<bool> lost_;    // by host of the run
  bool busy_ = false;
};

}  // namespace drover::ui
