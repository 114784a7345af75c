#include "lab/switch/switch_experiment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <ranges>
#include <stdexcept>
#include <thread>
#include <utility>

#include "measure/median.h"
#include "measure/process.h"
#include "text/plain_text.h"

namespace drover::lab {
namespace {

using Clock = std::chrono::steady_clock;

using coro::seconds_of;

// A run is long compared with reading the clock, and short compared with the time between two
// interruptions.
constexpr std::uint64_t steps_a_run = 10'000;
constexpr int short_runs = 2'000;

coro::Duration fastest_run() {
  coro::Duration fastest = coro::Duration::max();
  std::uint64_t value = 1;
  for (int i = 0; i < short_runs; ++i) {
    const coro::Instant begun = Clock::now();
    asm volatile("" : "+r"(value)::"memory");  // keeps the computation inside of the measured time
    value = compute(steps_a_run, value);
    asm volatile("" : "+r"(value)::"memory");
    fastest = std::min(fastest, Clock::now() - begun);
  }
  return std::max(fastest, coro::Duration(1));
}

std::string work_text(coro::Duration work) {
  return work.count() % 1000 == 0 ? fmt::format("{} µs", work.count() / 1000)
                                  : fmt::format("{} ns", work.count());
}

// Counts, time and CPU time at one instant. A measuring thread that wakes late thus measures a
// longer interval, not a higher rate.
struct Reading {
  explicit Reading(const FlowGroups<SwitchGroup>& groups)
      : instant(Clock::now()),
        operations(groups.total(
            std::uint64_t{0},
            [](std::uint64_t& sum, const SwitchGroup& group) { sum += group.operations.get(); })),
        cpu_seconds(measure::process_cpu_seconds()),
        taken(Clock::now() - instant) {}

  coro::Instant instant;
  std::uint64_t operations;
  double cpu_seconds;
  coro::Duration taken;  // time between the first figure and the last
};

// Returns the fastest of several readings, because the thread may lose the processor between two
// figures when there are thousands of threads.
Reading read(const FlowGroups<SwitchGroup>& groups) {
  constexpr coro::Duration tight = std::chrono::milliseconds(1);
  constexpr int attempts = 8;
  Reading best(groups);
  for (int i = 1; i < attempts && best.taken > tight; ++i) {
    const Reading reading(groups);
    if (reading.taken < best.taken) best = reading;
  }
  return best;
}

void run(FlowModel model, SwitchGroup& group) {
  try {
    run_group(model, group);
  } catch (...) {
    group.note_started();  // the measuring thread must not wait for a failed group
    throw;
  }
}

void describe_method(Experiment& experiment, const SwitchOptions& options,
                     std::uint64_t work_steps) {
  experiment.method = {
      "A flow repeats an operation: it computes, then yields to all other flows. A coroutine, a "
      "machine, a future and a flow of steps yield through the queue of their worker, a thread "
      "yields by sched_yield().",
      fmt::format(
          "The computation is a chain of {} dependent steps of xorshift. It takes {} on this "
          "machine, as the fastest of 2,000 short runs before the experiment shows. The "
          "steps are counted and no clock is read, so a flow that gets less processor time "
          "completes fewer operations.",
          work_steps, work_text(options.work)),
      fmt::format("Each measurement runs in its own process. All flows are created before any of "
                  "them runs. After a warm-up of {:g} s, {:g} s are measured. Then the flows stop, "
                  "and the total time ends with the last of them. CPU time is user and system time "
                  "in the measured interval.",
                  seconds_of(options.warm_up), seconds_of(options.duration)),
      "Flows are divided among the workers and never move. A thread has a stack of 64 KiB and no "
      "worker, because the system divides the threads among the processors. If not all threads "
      "have started 10 s after the measurement should have ended, it is cancelled.",
      "A round measures every cell once. The rounds follow each other, so that a drift of the "
      "machine affects all cells.",
  };
}

void describe(Experiment& experiment, const SwitchOptions& options) {
  experiment.name = "switch";
  experiment.question =
      "How much does it cost to switch to another flow, with coroutines and with threads, and how "
      "does the cost depend on the number of flows?";
  experiment.round_seconds = seconds_of(options.duration);
  experiment.factors = {{"flows", "flows"}, {"workers", "workers"}};
  experiment.figures = {
      {"operations_per_second", "operations/s", "1/s"},
      {"operations", "operations", ""},
      {"seconds", "time", "s"},
      {"cpu_seconds", "CPU time", "s"},
      {"cpu_ns_per_operation", "CPU ns/operation", "ns"},
      {"start_ms", "start ms", "ms"},
      {"wall_seconds", "total s", "s"},
  };
  experiment.pictures = {
      {"Operations per second", index_of(SwitchFigure::operations_per_second)},
      {"CPU time per operation", index_of(SwitchFigure::cpu_ns_per_operation), true},
      {"Total time", index_of(SwitchFigure::wall_seconds), true},
  };
  experiment.published = {
      {"ydb-platform/tpcc-postgres-cpp, coroutines_vs_threads, slices of 1 µs, 256 flows, on a "
       "machine with two processors",
       "2.04M operations/s with threads, 1.41M with coroutines on one worker, 2.75M on two "
       "workers. An operation there is shorter than a slice"},
      {"The same program with more threads",
       "4,096 threads need 10.4 s for work of 2.5 s, and 16,384 threads do not finish"},
  };
}

// The medians of a figure by number of flows.
using Curve = std::map<std::int64_t, double>;
// The curve of each model and number of workers.
using Curves = std::map<std::pair<std::string, std::int64_t>, Curve>;

Curves curves_of(const Experiment& experiment, SwitchFigure figure) {
  Curves curves;
  for (const Cell& cell : experiment.cells) {
    const auto spread = spread_of(cell, index_of(figure));
    if (spread) curves[{cell.subject, cell.settings[1]}][cell.settings[0]] = spread->median;
  }
  return curves;
}

// Returns the ratios of two curves at the numbers of flows that both have, from `least` on.
Curve ratios(const Curve& above, const Curve& below, std::int64_t least) {
  Curve result;
  for (const auto& [flows, value] : above) {
    const auto other = below.find(flows);
    if (flows < least || other == below.end() || other->second == 0) continue;
    result[flows] = value / other->second;
  }
  return result;
}

double median_of(const Curve& curve) {
  const auto values = curve | std::views::values;
  return measure::median_of(std::vector(values.begin(), values.end()));
}

std::string listed(const Curve& curve) {
  std::vector<std::string> parts;
  for (const auto& [flows, value] : curve)
    parts.push_back(fmt::format("{}: {:.2f}", text::counted_of_plural(flows, "flows"), value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string of_workers(std::int64_t workers) {
  if (workers == no_setting) return "";
  return " on " + text::counted_of_plural(workers, "workers");
}

// Compares each number of workers with the smallest one of the same model.
void compare_workers(const Curves& curves, std::vector<std::string>& findings) {
  const std::pair<const std::pair<std::string, std::int64_t>, Curve>* fewest = nullptr;
  for (const auto& curve : curves) {
    if (fewest == nullptr || fewest->first.first != curve.first.first) {
      fewest = &curve;
      continue;
    }
    const std::int64_t workers = curve.first.second;
    const Curve ratio = ratios(curve.second, fewest->second, workers);
    if (ratio.empty()) continue;
    findings.push_back(fmt::format("{}{}: {:.2f} times the operations/s of {} (median; {}).",
                                   curve.first.first, of_workers(workers), median_of(ratio),
                                   text::counted_of_plural(fewest->first.second, "workers"),
                                   listed(ratio)));
  }
}

// Compares the rate at the most flows with the highest rate. The operations per CPU second also
// hold on a busy machine.
void compare_with_peak(const Curves& curves, const Curves& cpu_curves,
                       std::vector<std::string>& findings) {
  const auto is_less = [](const auto& one, const auto& other) { return one.second < other.second; };
  for (const auto& [name, curve] : curves) {
    if (curve.size() < 2) continue;
    const auto peak = std::ranges::max_element(curve, is_less);
    const auto last = std::prev(curve.end());
    const Curve& cpu = cpu_curves.at(name);
    const double least_cpu = std::ranges::min_element(cpu, is_less)->second;
    findings.push_back(fmt::format(
        "{}{}: the highest rate is {} operations/s, with {}. With {}, the rate is {:.1f}% of it, "
        "and the operations per CPU second are {:.1f}% of their maximum.",
        name.first, of_workers(name.second), short_number(peak->second),
        text::counted_of_plural(peak->first, "flows"),
        text::counted_of_plural(last->first, "flows"), 100 * last->second / peak->second,
        100 * least_cpu / std::prev(cpu.end())->second));
  }
}

// Compares coroutines on the largest number of workers with threads.
void compare_with_threads(const Curves& curves, std::vector<std::string>& findings) {
  const auto threads = curves.find({std::string(name_of(FlowModel::thread)), no_setting});
  if (threads == curves.end()) return;
  for (auto one = curves.rbegin(); one != curves.rend(); ++one) {
    if (one->first.first != name_of(FlowModel::coroutine)) continue;
    const Curve ratio = ratios(one->second, threads->second, one->first.second);
    if (ratio.empty()) return;
    findings.push_back(
        fmt::format("Coroutines{}: {:.2f} times the operations/s of the same number of threads "
                    "(median; {}).",
                    of_workers(one->first.second), median_of(ratio), listed(ratio)));
    return;
  }
}

// Adds the smallest number of threads above the measured ones that could not be measured. A smaller
// number may have failed because its interval was too short for an operation.
void report_thread_limit(const Experiment& experiment, std::vector<std::string>& findings) {
  std::map<std::int64_t, const Cell*> threads;
  for (const Cell& cell : experiment.cells) {
    if (cell.subject == name_of(FlowModel::thread)) threads[cell.settings[0]] = &cell;
  }
  const Cell* first = nullptr;
  for (const Cell* cell : threads | std::views::values | std::views::reverse) {
    if (!cell->rounds.empty()) break;
    if (!cell->note.empty()) first = cell;
  }
  if (first == nullptr) return;
  findings.push_back(
      fmt::format("{} threads and more were not measured: {}.", first->settings[0], first->note));
}

}  // namespace

[[gnu::noinline]] std::uint64_t compute(std::uint64_t steps, std::uint64_t value) noexcept {
  for (; steps > 0; --steps) {
    value ^= value << 13;
    value ^= value >> 7;
    value ^= value << 17;
  }
  return value;
}

std::uint64_t steps_in(coro::Duration duration) {
  const double run_ns = static_cast<double>(fastest_run().count());
  const double steps = static_cast<double>(duration.count()) / run_ns * steps_a_run;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(steps)));
}

SwitchOutcome run_switch(const SwitchPlan& plan) {
  SwitchOutcome outcome;
  const coro::Instant begun = Clock::now();
  SwitchSignals signals(group_count(plan.model, plan.flows, plan.workers));
  const auto open = [&signals] {
    signals.open = true;
    signals.open.notify_all();
  };
  const auto stop = [&] {
    signals.stopping.store(true, std::memory_order_relaxed);
    open();
  };
  FlowGroups<SwitchGroup> groups(plan.model, plan.flows, plan.workers, stop, plan, signals);
  groups.start([&plan](SwitchGroup& group) { run(plan.model, group); }, begun,
               plan.warm_up + plan.duration);
  signals.all_started.wait();
  open();
  outcome.start_seconds = seconds_of(Clock::now() - begun);
  std::this_thread::sleep_for(plan.warm_up);
  const Reading before = read(groups);
  std::this_thread::sleep_until(before.instant + plan.duration);
  const Reading after = read(groups);
  outcome.operations = after.operations - before.operations;
  outcome.seconds = seconds_of(after.instant - before.instant);
  outcome.cpu_seconds = after.cpu_seconds - before.cpu_seconds;
  groups.stop();
  outcome.wall_seconds = seconds_of(Clock::now() - begun);
  groups.throw_error();
  outcome.operations_in_all = Reading(groups).operations;
  outcome.residue = groups.total(
      std::uint64_t{0}, [](std::uint64_t& all, const SwitchGroup& group) { all ^= group.residue; });
  return outcome;
}

std::vector<double> switch_figures(const SwitchOutcome& outcome) {
  if (outcome.operations == 0) {
    throw std::runtime_error(
        fmt::format("no operation ended in {:.3g} s. Increase --interval", outcome.seconds));
  }
  const auto operations = static_cast<double>(outcome.operations);
  return {operations / outcome.seconds,
          operations,
          outcome.seconds,
          outcome.cpu_seconds,
          1e9 * outcome.cpu_seconds / operations,
          1e3 * outcome.start_seconds,
          outcome.wall_seconds};
}

std::string switch_line(std::size_t flows, const std::vector<double>& figures) {
  const auto figure = [&](SwitchFigure which) { return figures.at(index_of(which)); };
  return fmt::format(
      "flows: {}, operations/s: {}, operations: {:.0f}, measured: {:.3g} s, CPU: {:.2f} s, CPU "
      "ns/operation: {}, start: {:.3g} ms, total: {:.3g} s",
      flows, short_number(figure(SwitchFigure::operations_per_second)),
      figure(SwitchFigure::operations), figure(SwitchFigure::seconds),
      figure(SwitchFigure::cpu_seconds), short_number(figure(SwitchFigure::cpu_ns_per_operation)),
      figure(SwitchFigure::start_ms), figure(SwitchFigure::wall_seconds));
}

std::vector<std::string> switch_findings(const Experiment& experiment) {
  const Curves curves = curves_of(experiment, SwitchFigure::operations_per_second);
  std::vector<std::string> findings;
  compare_workers(curves, findings);
  compare_with_peak(curves, curves_of(experiment, SwitchFigure::cpu_ns_per_operation), findings);
  compare_with_threads(curves, findings);
  report_thread_limit(experiment, findings);
  return findings;
}

Study switch_study(const SwitchOptions& options) {
  Study study;
  describe(study.experiment, options);
  const std::uint64_t work_steps = steps_in(options.work);
  describe_method(study.experiment, options, work_steps);
  for (const FlowModel model : options.models) {
    const bool has_workers = model != FlowModel::thread;
    for (const std::size_t workers : has_workers ? options.workers : std::vector<std::size_t>{0}) {
      for (const std::size_t flows : options.flows) {
        const SwitchPlan plan{model, flows, workers, work_steps, options.warm_up, options.duration};
        study.measurements.push_back(
            {{std::string(name_of(model)),
              {static_cast<std::int64_t>(flows),
               has_workers ? static_cast<std::int64_t>(workers) : no_setting}},
             [plan] { return switch_figures(run_switch(plan)); }});
      }
    }
  }
  study.conclude = [work = options.work, work_steps](Experiment& experiment) {
    experiment.findings = {
        fmt::format("{} = {} steps of computation.", work_text(work), work_steps)};
    std::ranges::move(switch_findings(experiment), std::back_inserter(experiment.findings));
  };
  return study;
}

}  // namespace drover::lab
