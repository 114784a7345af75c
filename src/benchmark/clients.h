// ClientBenchmark: the common part of the benchmarks whose clients execute one transaction at a
// time (load/clients.h): YCSB and scripts.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "database/server.h"
#include "load/plan.h"
#include "run/benchmark.h"
#include "settings/run_settings.h"

namespace drover::benchmark {

// `Options` has a `plan` that derives from load::Plan. `Database` is the interface of the workload
// to its database.
template <class Options, class Database>
class ClientBenchmark : public run::Benchmark {
 public:
  load::Plan& plan() noexcept final { return options_.plan; }
  std::optional<double> transactions_a_second() const final {
    return options_.plan.rate > 0 ? std::optional(options_.plan.own_rate()) : std::nullopt;
  }
  double connections_wanted() const final {
    return static_cast<double>(options_.plan.terminal_count);
  }
  std::size_t threads_most() const final { return options_.plan.terminal_count; }
  // A transaction costs the client about as much as the server. A second thread serves some clients
  // while the first one waits for a processor; with fewer clients per thread, threads only wake up
  // more often.
  std::size_t threads_without_rate() const final {
    constexpr std::size_t clients_a_thread = 16;
    return (options_.plan.terminal_count + clients_a_thread - 1) / clients_a_thread;
  }
  std::uint64_t terminals_of(const load::Share& share) const final {
    return share.of(options_.plan.clients);
  }
  const database::ObservedServer* server() const final { return &database_; }

 protected:
  // The database must outlive the benchmark.
  ClientBenchmark(Options options, const Database& database)
      : options_(std::move(options)), database_(database) {
    options_.plan.set_clients(options_.plan.clients);
  }

  // Adds a note to a run that has only a share of the clients.
  void note_share(std::vector<std::string>& notes) const {
    const load::Plan& plan = options_.plan;
    if (plan.share.is_whole()) return;
    notes.push_back(fmt::format(
        "this host runs {1} of {0} clients, starting at number {2} (the first client has number 0)",
        plan.clients, plan.terminal_count, plan.first_client()));
  }

  // Sets the settings of the clients of this host, who pause only for a schedule.
  void complete_client_settings(settings::RunSettings& settings) const {
    const load::Plan& plan = options_.plan;
    settings.no_delays = true;
    settings.clients = plan.terminal_count;
    settings.rate = plan.own_rate();
    settings.arrivals = plan.rate <= 0 ? "" : plan.poisson ? "poisson" : "constant";
    settings.operations = plan.own_operations();
  }

  // Sets the fields that the backend settings of all workloads have in common.
  void complete_backend_settings(std::size_t worker, const database::ServerFacts& server,
                                 auto& settings) const {
    const load::Plan& plan = options_.plan;
    settings.connections = plan.share_of_worker(worker, plan.connections);
    settings.pooling = server.pooling;
    settings.server_dialect = server.dialect;
    settings.upkeep = plan.upkeep_of_worker(worker);
    settings.seed = plan.seed + plan.number_of_worker(worker);
  }

  Options options_;
  const Database& database_;
  settings::RunSettings settings_;
};

}  // namespace drover::benchmark
