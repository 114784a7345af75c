// `drover lab scheduler`: spawning in the work-stealing pool, without and with the relay.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/lab.h"
#include "cli/lab_output.h"
#include "lab/scheduler_experiment.h"

namespace drover::cli {
namespace {

constexpr std::size_t threads_most = 1'024;
constexpr std::size_t tasks_most = 1'000'000;

struct Arguments {
  lab::SchedulerOptions options{.spawners = {2, 4, 8, 16, 32}, .workers = {2, 4, 8, 16}};
  LabOutput output;
};

std::string command_line(const Arguments& arguments) {
  const lab::SchedulerOptions& options = arguments.options;
  return fmt::format(
      "drover lab scheduler --spawners {} --workers {} --tasks {}{} --seconds {} --repeat {}",
      fmt::join(options.spawners, ","), fmt::join(options.workers, ","), options.tasks,
      options.outside ? " --outside" : "", options.seconds, arguments.output.rounds);
}

int perform(const Arguments& arguments) {
  lab::SchedulerOptions options = arguments.options;
  options.rounds = arguments.output.rounds;
  const auto report_one = [&](const lab::Cell& cell, std::size_t,
                              const std::vector<double>& figures) {
    say(arguments.output, lab::scheduler_line(cell, figures));
  };
  return run_lab(arguments.output, command_line(arguments),
                 [&](lab::Experiment& experiment, const std::function<bool()>& interrupted) {
                   lab::measure_scheduler(experiment, options, report_one, interrupted);
                 });
}

void add_counts(CLI::App& command, const char* name, std::vector<std::size_t>& counts,
                const char* description) {
  command.add_option(name, counts, description)
      ->capture_default_str()
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(std::size_t{1}, threads_most))
      ->type_name("N,...");
}

}  // namespace

void add_lab_scheduler(CLI::App& lab, std::function<int()>& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = lab.add_subcommand(
      "scheduler",
      "Spawning empty tasks in the work-stealing pool, with all tasks that overflow in one\n"
      "locked list (direct), and with a lock-free queue between that list and the workers\n"
      "(relay). Prints tasks a second of both and their ratio.");
  command->footer(
      "Examples:\n"
      "  drover lab scheduler --spawners 2,32 --workers 2,16\n"
      "  drover lab scheduler --seconds 0.4 --repeat 9 -o scheduler.html --json scheduler.json\n"
      "  drover lab scheduler --outside --spawners 2,8 --workers 2");
  lab::SchedulerOptions& options = arguments->options;
  add_counts(*command, "--spawners", options.spawners,
             "How many spawn at once; several numbers, separated by commas");
  add_counts(*command, "--workers", options.workers,
             "Threads of the pool; several numbers, separated by commas");
  command->add_option("--tasks", options.tasks, "Empty tasks that each spawner spawns")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, tasks_most))
      ->type_name("N");
  command->add_flag("--outside", options.outside,
                    "Spawners are threads outside of the pool, whose tasks all go through the\n"
                    "locked list; else they are tasks of the pool themselves");
  command
      ->add_option("--seconds", options.seconds,
                   "How long each of both is measured, in two halves; rounds are ended")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 3600.0))
      ->type_name("SECONDS");
  arguments->output.rounds = 5;  // the fewest whose interval is 90% sure
  add_lab_output(*command, arguments->output);
  command->callback([arguments, &chosen] { chosen = [arguments] { return perform(*arguments); }; });
}

}  // namespace drover::cli
