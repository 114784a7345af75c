#include "scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "workload/tpcc/backend.h"
#include "workload/tpcc/input.h"
#include "workload/tpcc/random.h"

namespace drover::simulation {
namespace {

using coro::Duration;
using coro::Instant;
using coro::seconds_of;
using tpcc::Rng;

using std::chrono::milliseconds;
using std::chrono::seconds;

// Each order of magnitude is as likely as another.
double log_uniform(Rng& rng, double low, double high) {
  return low * std::pow(high / low, rng.unit());
}

Duration duration_of(double seconds_long) {
  return Duration(static_cast<std::int64_t>(seconds_long * 1e9));
}

Duration between(Rng& rng, double low_s, double high_s) {
  return duration_of(log_uniform(rng, low_s, high_s));
}

Instant instant_before(Rng& rng, Duration end) {
  return Instant{} +
         Duration(static_cast<std::int64_t>(static_cast<double>(end.count()) * rng.unit()));
}

// So many transactions at most are worth their time.
constexpr double transactions_most = 1'500;

void draw_load(Rng& rng, Scenario& scenario) {
  tpcc::Plan& plan = scenario.plan;
  plan.seed = rng.next();
  plan.first_mark = static_cast<std::uint32_t>(rng.uniform(0, tpcc::Trace::marks - 1));
  plan.constants = tpcc::load_constants(plan.seed);
  plan.warehouses = rng.uniform(1, 4);
  plan.threads = static_cast<std::size_t>(rng.uniform(1, std::min(plan.warehouses, 3)));
  const auto threads = static_cast<std::int32_t>(plan.threads);
  plan.connections = static_cast<std::size_t>(rng.uniform(threads, 12));
  const auto connections = static_cast<std::int32_t>(plan.connections);
  if (rng.one_in(2))
    plan.max_inflight = static_cast<std::size_t>(rng.uniform(threads, connections));
  plan.no_delays = rng.one_in(3);
  plan.deferred_delivery = rng.one_in(4);
  if (plan.no_delays && rng.one_in(2)) {
    plan.terminals_most = static_cast<std::size_t>(rng.uniform(plan.warehouses, 12));
  } else {
    plan.terminals_per_warehouse = rng.uniform(1, 10);
  }
  if (rng.one_in(2)) plan.warmup = between(rng, 0.01, 5);
  plan.duration = between(rng, 0.3, 40);
  plan.drain_patience = rng.one_in(2) ? Duration(seconds(5)) : between(rng, 0.001, 5);
  plan.retry.attempts_max = rng.one_in(2) ? 20 : rng.uniform(1, 5);
}

// A database slow enough, or terminals slow enough, that the run has no more than it is to have.
void draw_pace(Rng& rng, Scenario& scenario) {
  tpcc::Plan& plan = scenario.plan;
  const double run_s = std::chrono::duration<double>(plan.warmup + plan.duration).count();
  const double in_flight = static_cast<double>(std::min(plan.connections, plan.terminals()));
  double statement_s = log_uniform(rng, 0.0005, 0.05);
  if (plan.no_delays) {
    statement_s = std::max(statement_s, run_s * in_flight / transactions_most / 2);
  } else {
    const double slowest_s = std::chrono::duration<double>(tpcc::mean_cycle()).count();
    const double fastest = run_s * static_cast<double>(plan.terminals()) / transactions_most;
    plan.pace = slowest_s / log_uniform(rng, std::max(fastest, 0.005), std::max(fastest, 3.0));
  }
  scenario.statement_time = duration_of(statement_s);
  scenario.connect_time = between(rng, 0.001, 0.2);
}

void draw_client(Rng& rng, Scenario& scenario) {
  scenario.wait_for_server = !rng.one_in(8);
  scenario.batched = rng.one_in(2);
  if (!rng.one_in(3)) scenario.statement_timeout = between(rng, 0.2, 60);
  scenario.resolve_patience = scenario.wait_for_server ? seconds(60) : seconds(5);
  scenario.undelivered = rng.uniform(0, 20);
}

void draw_request_faults(Rng& rng, RequestFaults& faults) {
  const auto sometimes = [&rng](std::int32_t seldom) {
    return rng.one_in(3) ? static_cast<std::int32_t>(log_uniform(rng, 4, 400)) * seldom : 0;
  };
  faults.deadlock = sometimes(1);
  faults.serialization_failure = sometimes(1);
  faults.overloaded = sometimes(4);
  faults.unique_violation = sometimes(2);
  faults.disk_full = sometimes(4);
  faults.cancelled = sometimes(4);
  faults.no_permission = rng.one_in(50) ? 200 : 0;
  faults.slow = sometimes(4);
  faults.cut_before_commit = sometimes(2);
  faults.cut_after_commit = sometimes(2);
  faults.commit_on_its_own = sometimes(2);
  faults.commit_fails = sometimes(1);
  faults.commit_rolls_back = sometimes(2);
}

Fault draw_fault(Rng& rng, Duration end) {
  constexpr std::int32_t deny_seldom = 8;
  Fault fault;
  do {
    fault.kind = static_cast<FaultKind>(rng.uniform(0, fault_kind_count - 1));
  } while (fault.kind == FaultKind::deny && !rng.one_in(deny_seldom));
  fault.start = instant_before(rng, end);
  fault.length = between(rng, 0.005, 20);
  if (fault.kind == FaultKind::failover) fault.lost = between(rng, 0.001, 2);
  return fault;
}

void draw_standstills(Rng& rng, Duration end, std::vector<Standstill>& standstills) {
  const std::int32_t count = rng.one_in(6) ? rng.uniform(1, 3) : 0;
  for (std::int32_t i = 0; i < count; ++i) {
    standstills.push_back({instant_before(rng, end), between(rng, 0.05, 8)});
  }
  std::ranges::sort(standstills, {}, &Standstill::start);
}

}  // namespace

Scenario draw_scenario(std::uint64_t seed) {
  Rng rng = Rng::stream(seed, tpcc::RandomPurpose::Test);
  Scenario scenario;
  scenario.seed = seed;
  draw_load(rng, scenario);
  draw_pace(rng, scenario);
  draw_client(rng, scenario);
  if (rng.one_in(12)) {  // calm: no lock is waited for so long that it is an error
    scenario.statement_timeout = {};
    return scenario;
  }
  const Duration end = scenario.plan.warmup + scenario.plan.duration + seconds(2);
  if (!rng.one_in(3)) draw_request_faults(rng, scenario.requests);
  const std::int32_t faults = rng.one_in(3) ? 0 : rng.uniform(1, 5);
  for (std::int32_t i = 0; i < faults; ++i) scenario.faults.push_back(draw_fault(rng, end));
  draw_standstills(rng, end, scenario.standstills);
  if (rng.one_in(6)) scenario.interrupt = instant_before(rng, end);
  return scenario;
}

bool Scenario::is_calm() const noexcept {
  const RequestFaults& r = requests;
  const std::array rates = {r.deadlock,          r.serialization_failure,
                            r.overloaded,        r.unique_violation,
                            r.disk_full,         r.cancelled,
                            r.no_permission,     r.slow,
                            r.cut_before_commit, r.cut_after_commit,
                            r.commit_on_its_own, r.commit_fails,
                            r.commit_rolls_back};
  return std::ranges::all_of(rates, [](std::int32_t rate) { return rate == 0; }) &&
         faults.empty() && standstills.empty() && !interrupt &&
         statement_timeout == Duration::zero();
}

Duration Scenario::longest() const noexcept {
  Duration sum = plan.warmup + plan.duration + plan.drain_patience;
  for (const Standstill& one : standstills) sum += one.length;
  for (const Fault& fault : faults) sum += fault.length;
  constexpr int resolution = 12;  // the wait for the database, and ten times that for the answer
  const Duration opening = seconds(60);
  return opening + sum + resolution * resolve_patience;
}

std::string_view fault_name(FaultKind kind) noexcept {
  constexpr std::array<std::string_view, fault_kind_count> names = {
      "crash",  "failover", "standby", "freeze", "freeze_some",
      "refuse", "cut_some", "cut_all", "deny",   "slow"};
  return names[static_cast<std::size_t>(kind)];
}

namespace {}  // namespace

std::string describe(const Scenario& scenario) {
  const tpcc::Plan& plan = scenario.plan;
  std::string text = fmt::format(
      "seed {}: {} warehouses, {} terminals, {} workers, {} connections, {} in flight, {}, "
      "warm-up {:.3f} s, {:.3f} s, {} attempts, {}, {}, statement timeout {:.3f} s, {}{}\n",
      scenario.seed, plan.warehouses, plan.terminals(), plan.threads, plan.connections,
      plan.max_inflight, plan.no_delays ? "no delays" : fmt::format("pace {:.1f}", plan.pace),
      seconds_of(plan.warmup), seconds_of(plan.duration), plan.retry.attempts_max,
      scenario.batched ? "batched" : "single", scenario.wait_for_server ? "wait" : "fail",
      seconds_of(scenario.statement_timeout),
      fmt::format("statement {:.4f} s", seconds_of(scenario.statement_time)),
      plan.deferred_delivery ? ", deferred" : "");
  const RequestFaults& r = scenario.requests;
  text += fmt::format(
      "  one in: deadlock {}, 40001 {}, overloaded {}, 23505 {}, 53100 {}, 57014 {}, 42501 {}, "
      "slow "
      "{}, cut before commit {}, after {}, commit on its own {}, commit fails {}, rolls back {}\n",
      r.deadlock, r.serialization_failure, r.overloaded, r.unique_violation, r.disk_full,
      r.cancelled, r.no_permission, r.slow, r.cut_before_commit, r.cut_after_commit,
      r.commit_on_its_own, r.commit_fails, r.commit_rolls_back);
  for (const Fault& fault : scenario.faults) {
    text += fmt::format("  {:.6f} {} for {:.3f} s", seconds_of(fault.start - Instant{}),
                        fault_name(fault.kind), seconds_of(fault.length));
    text += fault.lost > Duration::zero()
                ? fmt::format(", loses {:.3f} s\n", seconds_of(fault.lost))
                : "\n";
  }
  for (const Standstill& one : scenario.standstills) {
    text += fmt::format("  {:.6f} the client stands still for {:.3f} s\n",
                        seconds_of(one.start - Instant{}), seconds_of(one.length));
  }
  if (scenario.interrupt) {
    text += fmt::format("  {:.6f} interrupt\n", seconds_of(*scenario.interrupt - Instant{}));
  }
  return text;
}

}  // namespace drover::simulation
