// What a herd of terminals took of the machine: from its making to finish(). For one thread.
#pragma once

#include "lab/terminal_model.h"
#include "measure/process.h"

namespace drover::lab {

class TerminalsUsage {
 public:
  explicit TerminalsUsage(std::size_t terminals);

  coro::Instant begun() const { return begun_; }

  // Writes down time, CPU time and memory; to be called while the terminals still run.
  void finish(TerminalsOutcome& outcome) const;

 private:
  std::size_t terminals_;
  measure::ProcessUsage before_;
  coro::Instant begun_;
};

void set_lateness(TerminalsOutcome& outcome, const measure::HistogramSnapshot& lateness);

}  // namespace drover::lab
