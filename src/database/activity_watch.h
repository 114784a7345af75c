// What a server does for a run while it goes on, as its own views tell it: what the sessions wait for, and what their
// statements cost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"

namespace drover::database {

// How many sessions of the run were found in each event. Those without a transaction are in none.
struct ActivitySample {
  coro::Instant time;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sessions;  // by the index of the event
};

struct StatementCost {
  std::string text;
  std::uint64_t calls = 0;
  double total_ms = 0;
  std::uint64_t rows = 0;
};

struct ObservedActivity {
  std::vector<std::string> events;      // "CPU", "LWLock:WALWrite"
  std::vector<ActivitySample> samples;  // in the order of time
  // What took longest since the watch began, the longest first; none where the server does not count.
  std::optional<std::vector<StatementCost>> statements;
};

// Belongs to the worker that runs it.
class ActivityWatch {
 public:
  virtual ~ActivityWatch() = default;

  // Until it is cancelled, or there is nothing to see.
  virtual coro::Task<void> run() = 0;

  // Reads what is to be read when the sessions of the run have ended. Throws nothing but Cancelled.
  virtual coro::Task<void> finish(coro::Duration patience) = 0;

  // None where the server never told what its sessions do.
  virtual std::optional<ObservedActivity> observed() const = 0;
};

}  // namespace drover::database
