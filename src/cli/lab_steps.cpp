// `drover lab steps`: coroutines, trees of steps and fibers at the same three tests.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/lab.h"
#include "cli/lab_factors.h"
#include "cli/lab_output.h"
#include "cli/usage_error.h"
#include "lab/steps_experiment.h"

namespace drover::cli {
namespace {

constexpr std::size_t flows_most = 1'000'000'000;
constexpr std::size_t wave_most = 10'000'000;
constexpr std::uint64_t waits_most = 100'000'000'000;

struct Arguments {
  std::vector<std::string> models;  // empty: those of this build
  std::vector<std::string> tests = {"simple", "parallel", "waits"};
  std::size_t flows = 1'000'000;
  std::size_t wave = 30'000;
  std::uint64_t waits = 10'000'000;
  LabOutput output;
};

std::vector<lab::StepsModel> models_of_this_build() {
  std::vector<lab::StepsModel> models;
  for (const lab::StepsModel model : lab::steps_models) {
    if (lab::why_missing(model).empty()) models.push_back(model);
  }
  return models;
}

std::vector<lab::StepsTest> parse_tests(const std::vector<std::string>& names) {
  std::vector<lab::StepsTest> tests;
  for (const std::string& name : names) {
    const auto test = lab::steps_test(name);
    if (!test) {
      throw UsageError(fmt::format("--test {}: expected some of simple, parallel, waits", name));
    }
    tests.push_back(*test);
  }
  return tests;
}

std::string command_line(const Arguments& arguments, const lab::StepsOptions& options) {
  std::vector<std::string_view> models;
  for (const lab::StepsModel model : options.models) models.push_back(lab::name_of(model));
  return fmt::format(
      "drover lab steps --model {} --test {} --flows {} --wave {} --waits {} --repeat {}",
      fmt::join(models, ","), fmt::join(arguments.tests, ","), arguments.flows, arguments.wave,
      arguments.waits, arguments.output.rounds);
}

// Which models were left out, and why: a build without them is no failure.
void say_what_is_missing(lab::Experiment& experiment) {
  for (const lab::StepsModel model : lab::steps_models) {
    if (lab::why_missing(model).empty()) continue;
    experiment.findings.push_back(
        fmt::format("{}: {}.", lab::name_of(model), lab::why_missing(model)));
  }
}

int perform(const Arguments& arguments) {
  lab::StepsOptions options;
  options.models = arguments.models.empty()
                       ? models_of_this_build()
                       : parse_models(arguments.models, lab::steps_models, lab::steps_model);
  options.tests = parse_tests(arguments.tests);
  options.flows = arguments.flows;
  options.wave = arguments.wave;
  options.waits = arguments.waits;
  options.rounds = arguments.output.rounds;
  const auto report_one = [&](const lab::Cell& cell, std::size_t,
                              const std::vector<double>& figures) {
    say(arguments.output, fmt::format("{}: {}", cell.subject,
                                      figures.empty() ? cell.note : lab::steps_line(figures)));
  };
  return run_lab(arguments.output, command_line(arguments, options),
                 [&](lab::Experiment& experiment, const std::function<bool()>& interrupted) {
                   lab::measure_steps(experiment, options, report_one, interrupted);
                   if (arguments.models.empty()) say_what_is_missing(experiment);
                 });
}

void add_sizes(CLI::App& command, Arguments& arguments) {
  command.add_option("--flows", arguments.flows, "Flows in all, of the tests simple and parallel")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, flows_most))
      ->type_name("N");
  command
      .add_option("--wave", arguments.wave,
                  "Flows that live at the same time, of the tests parallel and waits")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, wave_most))
      ->type_name("N");
  command.add_option("--waits", arguments.waits, "Waits of all flows together, of the test waits")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, waits_most))
      ->type_name("N");
}

}  // namespace

void add_lab_steps(CLI::App& lab, std::function<int()>& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = lab.add_subcommand(
      "steps",
      "Coroutines against trees of steps and fibers, on one thread: flows made and run one\n"
      "by one, flows in waves that each wait for an event, and flows that wait again and\n"
      "again. Prints flows or waits a second, CPU time and memory.");
  command->footer(
      "Examples:\n"
      "  drover lab steps --repeat 5 -o steps.html\n"
      "  drover lab steps --model coroutine,fiber-pooled --test waits\n"
      "  drover lab steps --model asyncsteps,nitrosteps --flows 100000 --waits 1000000");
  command
      ->add_option("--model", arguments->models,
                   "How a flow is written: some of coroutine, asyncsteps, nitrosteps,\n"
                   "nitrosteps-default, fiber-protected, fiber-pooled, separated by commas\n"
                   "(default: all that this build has; fibers are those of Boost)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("MODEL,...");
  command
      ->add_option("--test", arguments->tests,
                   "Some of simple, parallel, waits, separated by commas")
      ->capture_default_str()
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("TEST,...");
  add_sizes(*command, *arguments);
  add_lab_output(*command, arguments->output);
  command->callback([arguments, &chosen] { chosen = [arguments] { return perform(*arguments); }; });
}

}  // namespace drover::cli
