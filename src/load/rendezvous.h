// Rendezvous: where a run waits for others, so that several hosts begin as one. A run alone waits for nobody.
//
// Awaited on the main worker, in this order. May be cancelled.
#pragma once

#include "coro/clock.h"
#include "coro/task.h"

namespace drover::load {

class Rendezvous {
 public:
  virtual ~Rendezvous() = default;

  // All sessions of this run are open: when those of the others are.
  virtual coro::Task<void> sessions_open() = 0;

  // All terminals of this run are up: the instant at which the phases begin, when the others have said the same. It is
  // waited for; where it has passed already they begin at once, and Outcome::start_late says by how much.
  virtual coro::Task<coro::Instant> terminals_up() = 0;
};

}  // namespace drover::load
