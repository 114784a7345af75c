// Benchmark: what a run asks of what it measures. An object is one run.
//
// Called on the main thread, in the order in which the functions stand here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
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

  // What the options have said of it, and prepare() has found out. The threads, connections and permits are the run's.
  virtual load::Plan& plan() noexcept = 0;

  // Asks the database what has to be known before a run can begin. Throws what says why it cannot.
  virtual coro::Task<database::ServerFacts> prepare() = 0;

  // How many transactions a second its terminals want by themselves; none: as many as the database answers.
  virtual std::optional<double> transactions_a_second() const = 0;
  // For as many as there is room on the server.
  virtual double connections_wanted() const = 0;
  // More threads would have nothing to do.
  virtual std::size_t threads_most() const = 0;
  // Returns how many threads its transactions keep busy in a closed loop.
  virtual std::size_t threads_without_rate() const = 0;

  // How many terminals the host with this share of the plan has.
  virtual std::uint64_t terminals_of(const load::Share& share) const = 0;

  // The threads are known: completes the plan and what `settings` say of the workload.
  virtual void complete(settings::RunSettings& settings) = 0;

  // "batched, read committed"; empty if there is nothing to say.
  virtual std::string title() const = 0;
  // Lines for people, before it begins.
  virtual std::vector<std::string> notes() const = 0;

  // The backends of its workers call `on_note` with lines for people, from their threads. Refers to the benchmark.
  virtual load::WorkloadFactory workload(std::function<void(std::string_view)> on_note) = 0;
  // Who looks on besides the run's own: none, or one that lives as long as the benchmark.
  virtual load::Observer* observer() { return nullptr; }
  // Returns the server whose checkpoints and activity the run observes, or null.
  virtual const database::ObservedServer* server() const { return nullptr; }

  // When the terminals have ended: what is left to ask, for so long at most. May be cancelled.
  virtual coro::Task<void> ask_afterwards(coro::Duration patience) = 0;

  // Where several hosts make the run and this one only gathers, prepared here and executed there: what prepare() has
  // found out for all, since it takes long (a text; empty: nothing does); what is left to ask when all have ended, and
  // what that says of the sums of their counts.
  virtual std::string found_for_all() const { return {}; }
  virtual coro::Task<void> ask_what_all_wrote(coro::Duration /*patience*/) { co_return; }
  virtual void complete_accounts(report::Result& /*merged*/) const {}

  // Adds the benchmark's own sections to the result, which holds everything else but the audit.
  virtual void add_to(const load::Outcome& outcome, report::Result& result) const = 0;
};

}  // namespace drover::run
