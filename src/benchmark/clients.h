// What runs of clients (load/clients.h) say alike, whatever they execute.
#pragma once

#include "load/plan.h"
#include "run/benchmark.h"
#include "settings/run_settings.h"

namespace drover::benchmark {

// How many there are and how they begin. There are no pauses but those of a schedule.
inline void complete_client_settings(const load::Plan& plan, settings::RunSettings& settings) {
  settings.no_delays = true;
  settings.clients = plan.terminal_count;
  settings.rate = plan.rate;
  settings.arrivals = plan.rate <= 0 ? "" : plan.poisson ? "poisson" : "constant";
  settings.operations = plan.operations;
}

// What they want by themselves: none in a closed loop.
inline std::optional<double> rate_of(const load::Plan& plan) {
  return plan.rate > 0 ? std::optional(plan.rate) : std::nullopt;
}

}  // namespace drover::benchmark
