// Benchmark: the interface of a run to its workload. One object is one run. The functions are
// called on the main thread, in the order of their declarations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/server.h"
#include "load/plan.h"
#include "load/run.h"
#include "load/snapshot.h"
#include "load/workload.h"
#include "report/document/result.h"
#include "settings/run_settings.h"

namespace drover::run {

class Benchmark {
 public:
  Benchmark() = default;
  Benchmark(const Benchmark&) = delete;
  Benchmark& operator=(const Benchmark&) = delete;
  virtual ~Benchmark() = default;

  // Returns the plan as the options describe it. The run sets threads, connections and permits, and
  // prepare() what the database tells.
  virtual load::Plan& plan() noexcept = 0;

  // Reads from the database what the run needs. Throws if the run cannot begin.
  virtual coro::Task<database::ServerFacts> prepare() = 0;

  // Returns the transactions per second that the terminals start; none: limited by the database.
  virtual std::optional<double> transactions_a_second() const = 0;
  // Returns the number of connections to use if the server has room for them.
  virtual double connections_wanted() const = 0;
  // Returns the number of threads above which some have nothing to do.
  virtual std::size_t threads_most() const = 0;
  // Returns the number of threads that a closed loop keeps busy.
  virtual std::size_t threads_without_rate() const = 0;

  // Returns the number of terminals of the host with this share.
  virtual std::uint64_t terminals_of(const load::Share& share) const = 0;

  // Completes the plan, and the settings of the workload, when the threads are known.
  virtual void complete(settings::RunSettings& settings) = 0;

  // "batched, read committed"; may be empty.
  virtual std::string title() const = 0;
  // Returns lines for people that are printed before the run.
  virtual std::vector<std::string> notes() const = 0;

  // The backends call `on_note` with lines for people, on the threads of their workers. The result
  // refers to the benchmark.
  virtual load::WorkloadFactory workload(std::function<void(std::string_view)> on_note) = 0;
  // Returns the benchmark's own observer of the run, or null.
  virtual load::Observer* observer() { return nullptr; }
  // Returns the server whose checkpoints and activity the run observes, or null.
  virtual const database::ObservedServer* server() const { return nullptr; }

  // Reads from the database after the terminals have ended, for at most `timeout`.
  virtual coro::Task<void> ask_afterwards(coro::Duration timeout) = 0;

  // On the coordinator of a run on several hosts, which executes no transactions: what prepare()
  // has found, as a text for the agents, so that they need not look for it.
  virtual std::string found_for_all() const { return {}; }
  // Reads from the database after all hosts have ended.
  virtual coro::Task<void> ask_what_all_wrote(coro::Duration /*timeout*/) { co_return; }
  // Completes the merged result by what ask_what_all_wrote() has read.
  virtual void complete_accounts(report::Result& /*merged*/) const {}

  // Sets what a host's part of the result says about its share of the data.
  virtual void describe_share(const load::Share& /*share*/, report::Result& /*part*/) const {}

  // Adds the sections of the benchmark to the result, which lacks only these and the audit.
  virtual void add_to(const load::Outcome& outcome, report::Result& result) const = 0;
};

}  // namespace drover::run
