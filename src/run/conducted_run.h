// A run that several hosts make together, as the host sees it that gathers what they do: it brings them to begin at one
// instant, shows them as one, and makes one result of their parts. When one is lost, the others end in order, and the
// result says what is missing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/conducting.h"
#include "run/measured_run.h"

namespace drover::run {

// On what it is made, for people.
struct ConductedPlace {
  std::string description;
  std::vector<std::string> notes;  // of the server
  std::string kind_name;           // "PostgreSQL"; empty: transactions are simulated
};

// Requires: run.conducting, and a plan of all hosts that is complete. Ctrl-C ends all ranks, with the result so far;
// nothing if the run had not begun. Throws std::runtime_error where it could not begin.
std::optional<MeasuredRun> conduct(const RunPlan& run, Benchmark& benchmark, RunFacts facts,
                                   const ConductedPlace& place);

}  // namespace drover::run
