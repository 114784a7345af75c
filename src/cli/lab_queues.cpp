// `drover lab queues`: queues between producers and consumers, side by side.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cli/lab.h"
#include "cli/lab_output.h"
#include "cli/usage_error.h"
#include "lab/queues_experiment.h"

namespace drover::cli {
namespace {

struct Arguments {
  std::vector<std::string> ratios = {"1:1", "2:2", "4:4", "8:8", "1:2", "2:1", "4:8", "8:4"};
  std::vector<std::string> queues;  // none: all of this build
  lab::QueueLoad load{.measured_s = 0.5};
  bool unbalanced = false;
  LabOutput output;
};

std::vector<lab::QueueRatio> parse_ratios(const std::vector<std::string>& texts) {
  std::vector<lab::QueueRatio> ratios;
  for (const std::string& text : texts) {
    const auto ratio = lab::queue_ratio(text);
    if (!ratio) {
      throw UsageError(
          fmt::format("--ratios {}: expected producers:consumers, both from 1 to {}, such as 4:8",
                      text, lab::queue_threads_most));
    }
    ratios.push_back(*ratio);
  }
  return ratios;
}

std::vector<lab::QueueKind> parse_queues(const std::vector<std::string>& names) {
  std::vector<lab::QueueKind> queues;
  if (names.empty()) {
    std::ranges::copy_if(lab::queue_kinds, std::back_inserter(queues), lab::is_built);
    return queues;
  }
  for (const std::string& name : names) {
    const auto queue = lab::queue_kind(name);
    if (!queue) {
      std::vector<std::string_view> known;
      for (const auto one : lab::queue_kinds) known.push_back(lab::name_of(one));
      throw UsageError(
          fmt::format("--queues {}: expected some of {}", name, fmt::join(known, ", ")));
    }
    queues.push_back(*queue);
  }
  return queues;
}

std::string command_line(const Arguments& arguments) {
  std::string line = fmt::format("drover lab queues --ratios {}", fmt::join(arguments.ratios, ","));
  if (!arguments.queues.empty()) {
    line += fmt::format(" --queues {}", fmt::join(arguments.queues, ","));
  }
  const lab::QueueLoad& load = arguments.load;
  return line + fmt::format(" --batch {} --work {}{} --seconds {} --repeat {}", load.batch,
                            load.work_mean, arguments.unbalanced ? " --unbalanced" : "",
                            load.measured_s, arguments.output.rounds);
}

int perform(const Arguments& arguments) {
  lab::QueuesOptions options;
  options.ratios = parse_ratios(arguments.ratios);
  options.queues = parse_queues(arguments.queues);
  options.load = arguments.load;
  options.load.balanced = !arguments.unbalanced;
  options.rounds = arguments.output.rounds;
  const auto report_one = [&](const lab::Cell& cell, std::size_t,
                              const std::vector<double>& figures) {
    say(arguments.output, lab::queues_line(cell, figures));
  };
  return run_lab(arguments.output, command_line(arguments),
                 [&](lab::Experiment& experiment, const std::function<bool()>& interrupted) {
                   lab::measure_queues(experiment, options, report_one, interrupted);
                 });
}

void add_load(CLI::App& command, Arguments& arguments) {
  lab::QueueLoad& load = arguments.load;
  command.add_option("--batch", load.batch, "Items that are pushed, and popped at most, at a time")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}))
      ->type_name("N");
  command
      .add_option("--work", load.work_mean,
                  "Mean steps of work after each batch; a step is a fraction of a nanosecond to\n"
                  "a few")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e9))
      ->type_name("STEPS");
  command.add_flag("--unbalanced", arguments.unbalanced,
                   "The same work for each thread; else shared out so that both sides together\n"
                   "work equally long for a batch");
  command
      .add_option("--seconds", load.measured_s,
                  "How long each is measured; a tenth of a second before does not count")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 3600.0))
      ->type_name("SECONDS");
}

}  // namespace

void add_lab_queues(CLI::App& lab, std::function<int()>& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = lab.add_subcommand(
      "queues",
      "Queues that carry batches of items between threads: those of the runtime, a mutex\n"
      "around a deque, moodycamel's where the build has it, and the same loop without a\n"
      "queue. Prints items a second, CPU time of an item and how many pops get nothing.");
  command->footer(
      "Examples:\n"
      "  drover lab queues --ratios 1:1,8:8 --queues ticket,locked,moodycamel\n"
      "  drover lab queues --seconds 1 --repeat 9 -o queues.html --json queues.json");
  command->add_option("--ratios", arguments->ratios, "Producers:consumers, separated by commas")
      ->capture_default_str()
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("P:C,...");
  command
      ->add_option("--queues", arguments->queues,
                   "Some of none, segment, array-epochs, array-hazard-pointers, batch, ticket,\n"
                   "locked, moodycamel, separated by commas (default: all of this build)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("QUEUE,...");
  add_load(*command, *arguments);
  arguments->output.rounds = 5;  // the fewest whose interval is 90% sure
  add_lab_output(*command, arguments->output);
  command->callback([arguments, &chosen] { chosen = [arguments] { return perform(*arguments); }; });
}

}  // namespace drover::cli
