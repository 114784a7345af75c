// `drover lab switch`: coroutines against threads.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <vector>

#include "cli/lab.h"
#include "cli/lab_factors.h"
#include "cli/lab_output.h"
#include "lab/switch_experiment.h"

namespace drover::cli {
namespace {

constexpr std::size_t flows_most = 10'000'000;
constexpr std::size_t workers_most = 1'024;

struct Arguments {
  std::vector<std::size_t> workers = {1, 2};
  std::size_t flows = 256;
  bool multi = false;
  std::int64_t work_ns = 1'000;
  double warm_up_s = 1;
  double interval_s = 5;
  std::vector<std::string> models = {"coroutine", "thread"};
  LabOutput output;
};

coro::Duration duration_of(double seconds) {
  return coro::Duration(static_cast<std::int64_t>(seconds * 1'000'000'000));
}

std::string command_line(const Arguments& arguments) {
  return fmt::format(
      "drover lab switch -t {} -w {}{} --work {} --warm-up {} -i {} --model {} --repeat {}",
      fmt::join(arguments.workers, ","), arguments.flows, arguments.multi ? " --multi" : "",
      arguments.work_ns, arguments.warm_up_s, arguments.interval_s,
      fmt::join(arguments.models, ","), arguments.output.rounds);
}

int perform(const Arguments& arguments) {
  lab::SwitchOptions options;
  options.models = parse_models(arguments.models, lab::switch_models, lab::switch_model);
  options.workers = arguments.workers;
  options.flows = arguments.multi ? doubling(arguments.flows) : std::vector{arguments.flows};
  options.work = coro::Duration(arguments.work_ns);
  options.warm_up = duration_of(arguments.warm_up_s);
  options.duration = duration_of(arguments.interval_s);
  options.rounds = arguments.output.rounds;
  const auto report_one = [&](const lab::Cell& cell, std::size_t,
                              const std::vector<double>& figures) {
    const auto flows = static_cast<std::size_t>(cell.settings[0]);
    std::string line = cell.subject;
    if (cell.settings[1] != lab::no_setting) line += fmt::format(", workers: {}", cell.settings[1]);
    line += figures.empty() ? fmt::format(", flows: {}: {}", flows, cell.note)
                            : ", " + lab::switch_line(flows, figures);
    say(arguments.output, line);
  };
  return run_lab(arguments.output, command_line(arguments),
                 [&](lab::Experiment& experiment, const std::function<bool()>& interrupted) {
                   lab::measure_switch(experiment, options, report_one, interrupted);
                 });
}

void add_sizes(CLI::App& command, Arguments& arguments) {
  command
      .add_option("-t,--max-threads", arguments.workers,
                  "Workers, a thread with an event loop each; several numbers, separated by\n"
                  "commas, are measured beside each other; the model thread has none")
      ->capture_default_str()
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(std::size_t{1}, workers_most))
      ->type_name("N,...");
  command.add_option("-w,--max-flows", arguments.flows, "Flows")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, flows_most))
      ->type_name("N");
  command.add_flag("--multi", arguments.multi, "1, 2, 4, ... flows, up to -w");
  command
      .add_option("--work", arguments.work_ns,
                  "How long a flow computes before it lets the others run, in nanoseconds of an\n"
                  "undisturbed processor")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}))
      ->type_name("NS");
  command
      .add_option("--warm-up", arguments.warm_up_s, "Runs so long before it measures, in seconds")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 3600.0))
      ->type_name("SECONDS");
  command
      .add_option("-i,--interval", arguments.interval_s, "How long each is measured, in seconds")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 3600.0))
      ->type_name("SECONDS");
}

}  // namespace

void add_lab_switch(CLI::App& lab, std::function<int()>& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = lab.add_subcommand(
      "switch",
      "Coroutines against threads: each flow computes for a microsecond, then lets\n"
      "the others run; such a loop is an operation. Prints operations a second, CPU\n"
      "time and how long it takes from the start to the end.");
  command->footer(
      "Examples:\n"
      "  drover lab switch -w 4096\n"
      "  drover lab switch -w 65536 --multi --repeat 3 -o switch.html\n"
      "  drover lab switch -t 1 -w 65536 --work 100 --model coroutine,machine,steps");
  add_sizes(*command, *arguments);
  command
      ->add_option("--model", arguments->models,
                   "How a flow is written: some of coroutine, steps, machine, future, thread,\n"
                   "separated by commas")
      ->capture_default_str()
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("MODEL,...");
  add_lab_output(*command, arguments->output);
  command->callback([arguments, &chosen] { chosen = [arguments] { return perform(*arguments); }; });
}

}  // namespace drover::cli
