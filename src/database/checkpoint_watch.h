// What a server does by itself while a run goes on: it writes checkpoints.
#pragma once

#include <optional>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"

namespace drover::database {

struct ObservedCheckpoint {
  coro::Instant start;
  std::optional<coro::Instant> end;  // none: it has not been seen to end
  // By the amount of WAL or by a command, not by the clock. False too of one that was under way
  // before the watch began.
  bool requested = false;
};

// Belongs to the worker that runs it.
class CheckpointWatch {
 public:
  virtual ~CheckpointWatch() = default;

  // Until it is cancelled, or there is nothing to see.
  virtual coro::Task<void> run() = 0;

  // None where the server does not tell of them.
  virtual std::optional<std::vector<ObservedCheckpoint>> observed() const = 0;
};

}  // namespace drover::database
