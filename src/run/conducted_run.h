// A run on several hosts, on its coordinator. Internal to src/run.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "load/sampler.h"
#include "load/snapshot.h"
#include "ranks/clocks.h"
#include "report/document/result.h"
#include "run/conducting.h"
#include "run/measured_run.h"

namespace drover::run {

// Texts about the place of a run.
struct ConductedPlace {
  std::string description;
  std::vector<std::string> notes;  // about the server
  std::string kind_name;           // "PostgreSQL"; empty: transactions are simulated
};

// Starts the run on all hosts at one instant, shows their figures as one run, and merges their
// parts. Ctrl-C ends all hosts with the result so far. After the loss of a host, the other hosts
// end in order, and the result says what is missing. Returns none if the run was ended before its
// begin. Requires: run.conducting, and a complete plan of all hosts. Throws std::runtime_error if
// the run cannot begin.
std::optional<MeasuredRun> conduct(const RunPlan& run, Benchmark& benchmark, RunFacts facts,
                                   const ConductedPlace& place);

// The figures that the coordinator has received from an agent during the run.
struct ReceivedFigures {
  // Number of points, of about 0.7 KB each, that the coordinator keeps for all agents together.
  static constexpr std::size_t points_of_all_ranks = 100'000;
  static constexpr std::size_t points_least = 16;

  // `ranks`: number of agents, which share points_of_all_ranks.
  ReceivedFigures(coro::Duration warmup, std::size_t ranks);

  // Throws nlohmann::json::exception or ranks::LinkError if the message is no valid "live".
  void take(const ranks::Message& live);

  std::optional<ranks::ClockDifference> clock_at_start;
  load::Snapshot last;
  load::SampleSeries seconds;  // used if the host is lost
  bool has_begun = false;
};

// Returns the part of a lost host, made of the figures that the coordinator has received. `empty`
// is the result of the run without figures, with the host's number of terminals. `start` and
// `unix_start` are the start of the phases by the coordinator's clocks. Takes the seconds out of
// `received`. Requires: the host is lost.
report::Result part_of_lost(const Conducting& conducting, std::size_t rank,
                            const Benchmark& benchmark, ReceivedFigures& received,
                            report::Result empty, const load::Plan& plan, coro::Instant start,
                            double unix_start);

}  // namespace drover::run
