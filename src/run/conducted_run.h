// A run that several hosts make together, as the host sees it that gathers what they do: it brings them to begin at one
// instant, shows them as one, and makes one result of their parts. When one is lost, the others end in order, and the
// result says what is missing.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "load/share.h"
#include "ranks/conductor.h"
#include "run/measured_run.h"

namespace drover::run {

struct Conducting {
  std::shared_ptr<ranks::Conductor> conductor;
  std::vector<load::Share> shares;  // by rank
  std::string run;                  // by which its parts are known
  // What all ranks are told to do: the message "work", to which each one's share is added.
  ranks::Message work;
  // Starts the processes of the ranks, where they do not come by themselves, and waits for their end. When it is
  // cancelled it ends them. `on_note` takes lines for people.
  std::function<coro::Task<void>(std::function<void(std::string_view)> on_note)> launch;
};

// Waits until all ranks have come. Throws ranks::RankLost: one has not.
coro::Task<void> all_here(ranks::Conductor& conductor);

// What a rank is told to do.
ranks::Message work_for(const Conducting& conducting, std::size_t rank);

// Launches the processes; those that have not come when they have ended are lost. Until it is cancelled, or they have ended.
coro::Task<void> launched(const Conducting& conducting,
                          std::function<void(std::string_view)> on_note);

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
