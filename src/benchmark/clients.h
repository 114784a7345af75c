// What runs of clients (load/clients.h) say alike, whatever they execute.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "load/plan.h"
#include "run/benchmark.h"
#include "settings/run_settings.h"

namespace drover::benchmark {

// What is said of a run that has a part of the clients only.
inline void note_share(const load::Plan& plan, std::vector<std::string>& notes) {
  if (plan.share.is_whole()) return;
  notes.push_back(fmt::format(
      "this host runs {1} of {0} clients, starting at number {2} (the first client has number 0)",
      plan.clients, plan.terminal_count, plan.first_client()));
}

// How many there are and how they begin. There are no pauses but those of a schedule. Of a part of a run: its own.
inline void complete_client_settings(const load::Plan& plan, settings::RunSettings& settings) {
  settings.no_delays = true;
  settings.clients = plan.terminal_count;
  settings.rate = plan.own_rate();
  settings.arrivals = plan.rate <= 0 ? "" : plan.poisson ? "poisson" : "constant";
  settings.operations = plan.own_operations();
}

// Returns the number of threads for a closed loop in which a transaction costs the client about as
// much as the server. A second thread serves some clients while the first one waits for a
// processor; with fewer clients per thread, threads only wake up more often.
inline std::size_t threads_of_closed_loop(const load::Plan& plan) {
  constexpr std::size_t clients_a_thread = 16;
  return (plan.terminal_count + clients_a_thread - 1) / clients_a_thread;
}

// What they want by themselves: none in a closed loop.
inline std::optional<double> rate_of(const load::Plan& plan) {
  return plan.rate > 0 ? std::optional(plan.own_rate()) : std::nullopt;
}

}  // namespace drover::benchmark
