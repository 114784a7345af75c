#include "simulation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "benchmark/tpcc/tpcc_benchmark.h"
#include "coro/block_on.h"
#include "coro/deadline.h"
#include "coro/sleep.h"
#include "load/run.h"
#include "report/audit/audit.h"
#include "run/measured_run.h"
#include "run_record.h"
#include "scenario.h"
#include "server.h"
#include "simulated_backend.h"
#include "standing_clock.h"
#include "witness.h"

namespace drover::simulation {
namespace {

using coro::Duration;
using coro::Instant;
using coro::Scope;
using coro::Task;
using coro::Worker;

using std::chrono::milliseconds;
using std::chrono::seconds;

// What a run takes from the machine: always the same here.
load::Surroundings surroundings() {
  load::Surroundings same;
  same.own_threads = false;
  same.unix_time = [] { return 1.7e9; };
  same.process_usage = [] { return measure::ProcessUsage{}; };
  same.run_queue_times = [](pid_t) { return std::optional<measure::RunQueueTimes>{}; };
  return same;
}

std::set<std::size_t> attempts_of(const Tables& tables) {
  std::set<std::size_t> attempts;
  for (const Change& change : tables.log()) attempts.insert(change.attempt);
  return attempts;
}

// One run and what comes after it, as `drover tpcc run` does it.
class Simulation {
 public:
  Simulation(const Scenario& scenario, Witness& witness, Watcher& watcher, RunRecord& record,
             Scope& scope)
      : scenario_(scenario),
        witness_(witness),
        watcher_(watcher),
        record_(record),
        scope_(scope),
        server_(scenario, witness, scope) {}

  Task<void> go() {
    for (const Fault& fault : scenario_.faults) scope_.start(server_.strike(fault));
    if (scenario_.interrupt) scope_.start(interrupt_at(*scenario_.interrupt));
    scope_.start(watch_the_end());
    before_ = server_.tables().sums();
    co_await run();
    record_.run_ended = Worker::current().now();
    co_await read_ledger(patience());
    ended_ = true;
    co_await come_to_rest();
    record_.in_data_at_end = attempts_of(server_.tables());
    make_result();
  }

 private:
  Task<void> interrupt_at(Instant instant) {
    co_await coro::sleep_until(instant);
    witness_.note("interrupt");
    if (record_.run_ended == Instant{}) record_.interrupted = Worker::current().now();
    stop_.request();
  }

  // Nobody can get out of a run that hangs.
  Task<void> watch_the_end() {
    co_await coro::sleep_for(scenario_.longest());
    if (ended_) co_return;
    fmt::print("{}the run did not end within {:.0f} s; again by: simulation --seed {} --trace\n",
               describe(scenario_), std::chrono::duration<double>(scenario_.longest()).count(),
               scenario_.seed);
    std::fflush(stdout);
    std::_Exit(EXIT_FAILURE);
  }

  Task<void> run() {
    const auto backends = [this](std::size_t index) -> std::unique_ptr<tpcc::Backend> {
      return std::make_unique<SimulatedBackend>(scenario_, index, server_, witness_);
    };
    try {
      record_.outcome = co_await load::run(
          scenario_.plan, tpcc::make_terminals(scenario_.plan, backends, record_.records), watcher_,
          stop_, surroundings());
    } catch (const database::Error& error) {
      record_.refusal = error.what();
    }
  }

  Duration patience() const {
    Duration patience = scenario_.wait_for_server ? seconds(60) : seconds(5);
    if (stop_.requested()) patience = std::min<Duration>(patience, seconds(5));
    if (record_.outcome && record_.outcome->failure) {
      patience = std::min<Duration>(patience, seconds(1));
    }
    return patience;
  }

  Task<void> read_ledger_once() {
    const ConnectionPointer connection = co_await server_.connect();
    Server::abandon(*connection);
    co_await server_.require_answers();
    after_ = server_.tables().sums();
    record_.in_data_at_read = attempts_of(server_.tables());
    record_.ledger_read = true;
  }

  Task<void> read_ledger(Duration patience) {
    if (!record_.outcome) co_return;
    const Instant give_up = Worker::current().now() + patience;
    while (!record_.ledger_read && Worker::current().now() < give_up) {
      try {
        co_await coro::with_deadline(give_up, read_ledger_once());
        co_return;
      } catch (const database::Error&) {
        // Tried again below.
      } catch (const coro::DeadlineExceeded&) {
        co_return;
      }
      co_await coro::sleep_for(milliseconds(200));
    }
  }

  // Until no process of the server's is left.
  Task<void> come_to_rest() {
    const Instant give_up = Worker::current().now() + std::chrono::hours(1);
    while (server_.processes() > 0 && Worker::current().now() < give_up) {
      co_await coro::sleep_for(milliseconds(500));
    }
    if (server_.processes() > 0) {
      witness_.fault(fmt::format("{} sessions were never closed", server_.processes()));
    }
  }

  void make_result() {
    if (!record_.outcome) return;
    run::RunPlan run;
    tpcc::Plan plan = scenario_.plan;
    plan.complete();
    run.tool = {.name = "simulation", .version = {}, .commit = {}, .compiler = {}};
    run.settings.statements = scenario_.batched ? "batched" : "single";
    run.settings.schema = "public";
    run.settings.isolation = "read committed";
    run.settings.on_db_loss = scenario_.wait_for_server ? "wait" : "fail";
    run.settings.statement_timeout_s =
        std::chrono::duration<double>(scenario_.statement_timeout).count();
    run.settings.max_inflight_chosen = scenario_.plan.max_inflight > 0;
    run::complete_settings(run.settings, plan);
    benchmark::complete_settings(plan, run.settings);
    run::RunFacts facts;
    facts.server.emplace();
    report::Result result = run::make_result(run, plan, facts, *record_.outcome);
    benchmark::add_records(plan, record_.records, result);
    if (record_.ledger_read) result.ledger_in_data = benchmark::ledger_between(before_, after_);
    result.audit = report::audit(result);
    record_.result = std::move(result);
  }

  const Scenario& scenario_;
  Witness& witness_;
  Watcher& watcher_;
  RunRecord& record_;
  Scope& scope_;
  Server server_;
  load::StopRequest stop_;
  tpcc::LedgerSums before_;
  tpcc::LedgerSums after_;
  bool ended_ = false;
};

void note_result(Witness& witness, const report::Result& result) {
  const auto count = [](std::uint64_t number) { return static_cast<std::int64_t>(number); };
  for (const report::TransactionResult& one : result.transactions) {
    witness.note(one.name, count(one.ok_count), count(one.failed_count));
    witness.note("attempts, latencies", count(one.attempts), count(one.latency.sum_ns()));
  }
  witness.note("New-Orders, cents", count(result.ledger.new_orders), result.ledger.payment_cents);
  const report::Availability& availability = result.availability;
  witness.note("outages, stalls", count(availability.outages.size()),
               count(availability.stalls.size()));
}

}  // namespace

Verdict simulate(std::uint64_t seed, bool prints) {
  const Scenario scenario = draw_scenario(seed);
  if (prints) fmt::print("{}", describe(scenario));
  StandingClock clock(scenario.standstills);
  Worker worker(clock);
  Witness witness(prints);
  Watcher watcher(witness);
  tpcc::RunRecords counts(scenario.plan);
  RunRecord record{.scenario = scenario,
                   .witness = witness,
                   .watcher = watcher,
                   .records = counts,
                   .outcome = {},
                   .result = {},
                   .refusal = {},
                   .in_data_at_read = {},
                   .in_data_at_end = {},
                   .ledger_read = false,
                   .interrupted = {},
                   .run_ended = {}};
  const auto all = [&]() -> Task<void> {
    coro::CancelSource& source = co_await coro::current_source();
    Scope scope(source);
    Simulation simulation(scenario, witness, watcher, record, scope);
    co_await simulation.go();
    if (record.result) note_result(witness, *record.result);
    scope.cancel();
    co_await scope.join();
  };
  coro::block_on(worker, all());
  return {witness.hash(), witness.attempts().size(), check(record)};
}

}  // namespace drover::simulation
