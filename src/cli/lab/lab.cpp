// `drover lab` and its experiments: their options, and the command line that repeats a result.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "cli/lab/lab_output.h"
#include "lab/queues/queues_experiment.h"
#include "lab/scheduler/scheduler_experiment.h"
#include "lab/steps/steps_experiment.h"
#include "lab/switch/switch_experiment.h"
#include "lab/terminals/terminals_experiment.h"

namespace drover::cli {
namespace {

using Counts = std::vector<std::size_t>;
using Figures = std::vector<double>;

constexpr double flows_most = 10'000'000;
constexpr double seconds_most = 3600;

// An experiment's command: it holds `Arguments` and calls perform() with them.
template <class Arguments>
void add_experiment(Command& lab, const char* name, const char* description, const char* examples,
                    const std::shared_ptr<Arguments>& arguments, std::vector<Option> options) {
  Command& command = lab.add_command(name, description, std::string("Examples:\n") + examples);
  command.add_options(std::move(options));
  add_lab_output(command, arguments->output);
  command.action = [arguments] { return perform(*arguments); };
}

// Numbers of threads, separated by commas.
const OptionDetails thread_counts{.range = Range{1, 1'024}, .delimiter = ','};

template <class Kind>
Choices<Kind> choices() {
  Choices<Kind> choices;
  for (const Kind kind : lab::all_of<Kind>()) choices.emplace_back(lab::name_of(kind), kind);
  return choices;
}

// "coroutine,thread"
template <class Kind>
std::string names_of(const std::vector<Kind>& kinds) {
  std::vector<std::string_view> names;
  for (const Kind kind : kinds) names.push_back(lab::name_of(kind));
  return fmt::format("{}", fmt::join(names, ","));
}

// Returns the models or queues that this build contains.
template <class Kind, class Has>
std::vector<Kind> all_built(Has has) {
  std::vector<Kind> kinds;
  std::ranges::copy_if(lab::all_of<Kind>(), std::back_inserter(kinds), has);
  return kinds;
}

// `most`, or with --multi 1, 2, 4, ... up to `most`, and `most` itself.
Counts counts_up_to(std::size_t most, bool multi) {
  Counts counts;
  for (std::size_t count = 1; multi && count < most; count *= 2) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

coro::Duration duration_of(double seconds) {
  return coro::Duration(static_cast<std::int64_t>(seconds * 1'000'000'000));
}

// ---- terminals

struct TerminalsArguments {
  Counts workers;  // none: one for each processor
  std::size_t terminals = 10;
  double interval_s = 10;
  bool multi = false;
  std::vector<lab::FlowModel> models = {lab::FlowModel::coroutine};
  LabOutput output;
};

int perform(TerminalsArguments arguments) {
  if (arguments.workers.empty()) {
    arguments.workers = {std::max(1U, std::thread::hardware_concurrency())};
  }
  const lab::TerminalsOptions options{
      .models = arguments.models,
      .workers = arguments.workers,
      .terminals = counts_up_to(arguments.terminals, arguments.multi),
      .duration = duration_of(arguments.interval_s)};
  const bool names_cells = options.models.size() > 1 || options.workers.size() > 1;
  const auto line = [names_cells](const lab::Cell& cell, const Figures& figures) {
    const auto terminals = static_cast<std::size_t>(cell.settings[0]);
    const std::string text = figures.empty()
                                 ? fmt::format("terminals: {}: {}", terminals, cell.note)
                                 : lab::terminals_line(terminals, figures);
    if (!names_cells) return text;
    return fmt::format("{}, threads: {}, {}", cell.subject, cell.settings[1], text);
  };
  return run_lab(arguments.output,
                 fmt::format("drover lab terminals -t {} -w {}{} -i {} --model {} --repeat {}",
                             fmt::join(arguments.workers, ","), arguments.terminals,
                             arguments.multi ? " --multi" : "", arguments.interval_s,
                             names_of(arguments.models), arguments.output.rounds),
                 line, std::bind_front(lab::terminals_study, options));
}

void add_terminals(Command& lab) {
  const auto arguments = std::make_shared<TerminalsArguments>();
  add_experiment(
      lab, "terminals",
      "Measure simulated terminals without a database. A task is a pause and four asynchronous\n"
      "requests in turn, 0.2 ms in all. Prints tasks per second, CPU time, memory per terminal\n"
      "and timer lag.",
      "  drover lab terminals -t 1 -w 65536 -i 5\n"
      "  drover lab terminals -t 1 -w 65536 -i 5 --multi --repeat 5 -o terminals.html\n"
      "  drover lab terminals -t 1 -w 4096 --model coroutine,machine,future,thread",
      arguments,
      {{"-t,--max-threads", &arguments->workers, "N,…",
        "Number of worker threads, each with an event loop (default: one per processor). Each "
        "number in the list is measured. The model 'thread' has a thread per terminal instead",
        thread_counts},
       {"-w,--max-terminals", &arguments->terminals, "N",
        "Number of simulated terminals. With --multi: the largest number to measure",
        in_range(1, flows_most)},
       {"-i,--interval", &arguments->interval_s, "SECONDS", "Seconds per measurement",
        in_range(0.01, seconds_most)},
       {"--multi", &arguments->multi, "", "Measure 1, 2, 4, … terminals, up to -w"},
       {"--model", one_of(&arguments->models, choices<lab::FlowModel>()), "MODEL,…",
        "Implementations of a terminal: coroutine, steps, machine, future, thread", comma_list}});
}

// ---- switch

struct SwitchArguments {
  Counts workers = {1, 2};
  std::size_t flows = 256;
  bool multi = false;
  std::int64_t work_ns = 1'000;
  double warm_up_s = 1;
  double interval_s = 5;
  std::vector<lab::FlowModel> models = {lab::FlowModel::coroutine, lab::FlowModel::thread};
  LabOutput output;
};

int perform(const SwitchArguments& arguments) {
  const lab::SwitchOptions options{.models = arguments.models,
                                   .workers = arguments.workers,
                                   .flows = counts_up_to(arguments.flows, arguments.multi),
                                   .work = coro::Duration(arguments.work_ns),
                                   .warm_up = duration_of(arguments.warm_up_s),
                                   .duration = duration_of(arguments.interval_s)};
  const auto line = [](const lab::Cell& cell, const Figures& figures) {
    const auto flows = static_cast<std::size_t>(cell.settings[0]);
    std::string text = cell.subject;
    if (cell.settings[1] != lab::no_setting) text += fmt::format(", workers: {}", cell.settings[1]);
    return text + (figures.empty() ? fmt::format(", flows: {}: {}", flows, cell.note)
                                   : ", " + lab::switch_line(flows, figures));
  };
  return run_lab(
      arguments.output,
      fmt::format("drover lab switch -t {} -w {}{} --work {} --warm-up {} -i {} --model {} "
                  "--repeat {}",
                  fmt::join(arguments.workers, ","), arguments.flows,
                  arguments.multi ? " --multi" : "", arguments.work_ns, arguments.warm_up_s,
                  arguments.interval_s, names_of(arguments.models), arguments.output.rounds),
      line, std::bind_front(lab::switch_study, options));
}

void add_switch(Command& lab) {
  const auto arguments = std::make_shared<SwitchArguments>();
  add_experiment(
      lab, "switch",
      "Compare coroutines with threads: the cost of a switch. In an operation, a flow computes "
      "for\n"
      "a microsecond and then lets the other flows run. Prints operations per second, CPU time\n"
      "and the time from start to end.",
      "  drover lab switch -w 4096\n"
      "  drover lab switch -w 65536 --multi --repeat 3 -o switch.html\n"
      "  drover lab switch -t 1 -w 65536 --work 100 --model coroutine,machine,steps",
      arguments,
      {{"-t,--max-threads", &arguments->workers, "N,...",
        "Number of worker threads, each with an event loop. Each number in the list is measured. "
        "The model 'thread' has a thread per flow instead",
        thread_counts},
       {"-w,--max-flows", &arguments->flows, "N",
        "Number of flows (concurrent tasks). With --multi: the largest number to measure",
        in_range(1, flows_most)},
       {"--multi", &arguments->multi, "", "Measure 1, 2, 4, … flows, up to -w"},
       {"--work", &arguments->work_ns, "NS",
        "Duration of the computation before each switch on an idle processor, in nanoseconds",
        in_range(1, 1'000'000'000)},
       {"--warm-up", &arguments->warm_up_s, "SECONDS", "Seconds to run before measuring",
        in_range(0, seconds_most)},
       {"-i,--interval", &arguments->interval_s, "SECONDS", "Seconds per measurement",
        in_range(0.01, seconds_most)},
       {"--model", one_of(&arguments->models, choices<lab::FlowModel>()), "MODEL,...",
        "Implementations of a flow: coroutine, steps, machine, future, thread", comma_list}});
}

// ---- queues

struct QueuesArguments {
  std::vector<lab::QueueRatio> ratios = {{1, 1}, {2, 2}, {4, 4}, {8, 8},
                                         {1, 2}, {2, 1}, {4, 8}, {8, 4}};
  std::vector<lab::QueueKind> queues;  // empty: all in this build
  lab::QueueLoad load{.measured_s = 0.5};
  bool unbalanced = false;
  LabOutput output{.rounds = 5};  // the fewest whose interval is 90% sure
};

Syntax<lab::QueueRatio> ratio_syntax() {
  return {.read =
              [](const Option& option, const std::string& word) {
                if (const auto ratio = lab::queue_ratio(word)) return *ratio;
                throw UsageError(fmt::format(
                    "{} {}: expected producers:consumers, both from 1 to {}, such as 4:8",
                    option.name(), word, lab::queue_threads_most));
              },
          .text =
              [](const lab::QueueRatio& ratio) {
                return fmt::format("{}:{}", ratio.producers, ratio.consumers);
              }};
}

int perform(const QueuesArguments& arguments) {
  const auto& queues = arguments.queues;
  lab::QueuesOptions options{.ratios = arguments.ratios, .load = arguments.load};
  options.queues = queues.empty() ? all_built<lab::QueueKind>(lab::is_built) : queues;
  options.load.balanced = !arguments.unbalanced;
  std::vector<std::string> ratios;
  std::ranges::transform(arguments.ratios, std::back_inserter(ratios), ratio_syntax().text);
  return run_lab(
      arguments.output,
      fmt::format("drover lab queues --ratios {}{} --batch {} --work {}{} --seconds {} --repeat {}",
                  fmt::join(ratios, ","), queues.empty() ? "" : " --queues " + names_of(queues),
                  options.load.batch, options.load.work_mean,
                  arguments.unbalanced ? " --unbalanced" : "", options.load.measured_s,
                  arguments.output.rounds),
      lab::queues_line, std::bind_front(lab::queues_study, options));
}

void add_queues(Command& lab) {
  const auto arguments = std::make_shared<QueuesArguments>();
  add_experiment(
      lab, "queues",
      "Compare queues between threads: the runtime's queues, a deque with a mutex,\n"
      "moodycamel's queue if it was built in, and the same loop without a queue. Prints items\n"
      "per second, CPU time per item and the share of empty pops.",
      "  drover lab queues --ratios 1:1,8:8 --queues ticket,locked,moodycamel\n"
      "  drover lab queues --seconds 1 --repeat 9 -o queues.html --json queues.json",
      arguments,
      {{"--ratios", OptionTarget(&arguments->ratios, ratio_syntax()), "P:C,...",
        "Numbers of producers and consumers", comma_list},
       {"--queues", one_of(&arguments->queues, choices<lab::QueueKind>()), "QUEUE,...",
        "Queues to measure: none, segment, array-epochs, array-hazard-pointers, batch, ticket, "
        "locked, moodycamel (default: all in this build)",
        comma_list},
       {"--batch", &arguments->load.batch, "N",
        "Number of items per push, and largest number per pop", in_range(1, 100'000)},
       {"--work", &arguments->load.work_mean, "STEPS",
        "Mean number of steps of work after each batch. A step takes about a nanosecond",
        in_range(0, 1e9)},
       {"--unbalanced", &arguments->unbalanced, "",
        "Give each thread the same work per batch. Without this option, the work is divided so "
        "that all producers together take as long for a batch as all consumers"},
       {"--seconds", &arguments->load.measured_s, "SECONDS",
        "Time to measure each queue, after a tenth of a second of warm-up",
        in_range(0.001, seconds_most)}});
}

// ---- scheduler

struct SchedulerArguments {
  lab::SchedulerOptions options{.spawners = {2, 4, 8, 16, 32}, .workers = {2, 4, 8, 16}};
  LabOutput output{.rounds = 5};  // the fewest whose interval is 90% sure
};

int perform(const SchedulerArguments& arguments) {
  const lab::SchedulerOptions& options = arguments.options;
  return run_lab(
      arguments.output,
      fmt::format(
          "drover lab scheduler --spawners {} --workers {} --tasks {}{} --seconds {} --repeat {}",
          fmt::join(options.spawners, ","), fmt::join(options.workers, ","), options.tasks,
          options.outside ? " --outside" : "", options.seconds, arguments.output.rounds),
      lab::scheduler_line, std::bind_front(lab::scheduler_study, options));
}

void add_scheduler(Command& lab) {
  const auto arguments = std::make_shared<SchedulerArguments>();
  lab::SchedulerOptions& options = arguments->options;
  add_experiment(
      lab, "scheduler",
      "Measure how fast the work-stealing pool spawns empty tasks. direct: overflowing tasks go\n"
      "through a locked list; relay: a lock-free queue stands between that list and the workers.\n"
      "Prints tasks per second of both, and their ratio.",
      "  drover lab scheduler --spawners 2,32 --workers 2,16\n"
      "  drover lab scheduler --seconds 0.4 --repeat 9 -o scheduler.html --json scheduler.json\n"
      "  drover lab scheduler --outside --spawners 2,8 --workers 2",
      arguments,
      {{"--spawners", &options.spawners, "N,...",
        "Numbers of spawners (tasks that spawn the measured tasks), one measurement per number",
        thread_counts},
       {"--workers", &options.workers, "N,...", "Numbers of threads in the pool", thread_counts},
       {"--tasks", &options.tasks, "N", "Empty tasks per spawner", in_range(1, 1'000'000)},
       {"--outside", &options.outside, "",
        "Spawn tasks from threads that do not belong to the pool. The default is to spawn them "
        "from "
        "tasks of the pool"},
       {"--seconds", &options.seconds, "SECONDS",
        "Seconds to measure each of the two variants, 'direct' and 'relay'",
        in_range(0.001, seconds_most)}});
}

// ---- steps

struct StepsArguments {
  std::vector<lab::StepsModel> models;  // empty: all in this build
  std::vector<lab::StepsTest> tests = {lab::StepsTest::simple, lab::StepsTest::parallel,
                                       lab::StepsTest::waits};
  lab::StepsOptions options;
  LabOutput output;
};

bool is_built(lab::StepsModel model) {
  return lab::why_missing(model).empty();
}

// Which models were left out, and why: a build without them is no failure.
void say_what_is_missing(lab::Experiment& experiment) {
  for (const lab::StepsModel model : lab::all_of<lab::StepsModel>()) {
    if (is_built(model)) continue;
    experiment.findings.push_back(
        fmt::format("{}: {}.", lab::name_of(model), lab::why_missing(model)));
  }
}

int perform(const StepsArguments& arguments) {
  lab::StepsOptions options = arguments.options;
  const bool all = arguments.models.empty();
  options.models = all ? all_built<lab::StepsModel>(is_built) : arguments.models;
  options.tests = arguments.tests;
  const auto line = [](const lab::Cell& cell, const Figures& figures) {
    return fmt::format("{}: {}", cell.subject,
                       figures.empty() ? cell.note : lab::steps_line(figures));
  };
  const auto begin = [&] {
    lab::Study study = lab::steps_study(options);
    if (all) {
      study.conclude = [conclude = study.conclude](lab::Experiment& experiment) {
        conclude(experiment);
        say_what_is_missing(experiment);
      };
    }
    return study;
  };
  return run_lab(
      arguments.output,
      fmt::format(
          "drover lab steps --model {} --test {} --flows {} --wave {} --waits {} --repeat {}",
          names_of(options.models), names_of(options.tests), options.flows, options.wave,
          options.waits, arguments.output.rounds),
      line, begin);
}

void add_steps(Command& lab) {
  const auto arguments = std::make_shared<StepsArguments>();
  lab::StepsOptions& options = arguments->options;
  add_experiment(
      lab, "steps",
      "Compare coroutines with step trees and fibers. On one thread, measures flows that run one\n"
      "by one, waves of flows that each wait for an event, and flows that wait repeatedly.\n"
      "Prints flows or waits per second, CPU time and memory.",
      "  drover lab steps --repeat 5 -o steps.html\n"
      "  drover lab steps --model coroutine,fiber-pooled --test waits\n"
      "  drover lab steps --model asyncsteps,nitrosteps --flows 100000 --waits 1000000",
      arguments,
      {{"--model", one_of(&arguments->models, choices<lab::StepsModel>()), "MODEL,...",
        "Implementations of a flow: coroutine, asyncsteps, nitrosteps, nitrosteps-default, "
        "fiber-protected, fiber-pooled (Boost) (default: all in this build)",
        comma_list},
       {"--test", one_of(&arguments->tests, choices<lab::StepsTest>()), "TEST,...",
        "Tests to run: simple, parallel, waits", comma_list},
       {"--flows", &options.flows, "N",
        "Total number of flows (asynchronous tasks) in the tests 'simple' and 'parallel'",
        in_range(1, 1'000'000'000)},
       {"--wave", &options.wave, "N",
        "Number of flows (asynchronous tasks) that run at the same time in the tests 'parallel' "
        "and "
        "'waits'",
        in_range(1, flows_most)},
       {"--waits", &options.waits, "N", "Total number of waits in the test 'waits'",
        in_range(1, 100'000'000'000)}});
}

}  // namespace

void add_lab(Command& app) {
  Command& lab = app.add_command("lab", "Run experiments with Drover's own runtime",
                                 "Example:\n"
                                 "  drover lab terminals -t 1 -w 65536 --multi -o terminals.html\n"
                                 "\n"
                                 "docs/lab.md describes the experiments and shows results.");
  add_terminals(lab);
  add_switch(lab);
  add_queues(lab);
  add_scheduler(lab);
  add_steps(lab);
}

}  // namespace drover::cli
