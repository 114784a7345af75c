// `drover lab terminals`: the terminals of TPC-C without a database.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <thread>
#include <vector>

#include "cli/lab.h"
#include "cli/lab_factors.h"
#include "cli/lab_output.h"
#include "lab/terminals_experiment.h"

namespace drover::cli {
namespace {

constexpr std::size_t terminals_most = 10'000'000;
constexpr std::size_t workers_most = 1'024;

struct Arguments {
  std::vector<std::size_t> workers = {std::max(1U, std::thread::hardware_concurrency())};
  std::size_t terminals = 10;
  double interval_s = 10;
  bool multi = false;
  std::vector<std::string> models = {"coroutine"};
  LabOutput output;
};

std::string command_line(const Arguments& arguments) {
  return fmt::format("drover lab terminals -t {} -w {}{} -i {} --model {} --repeat {}",
                     fmt::join(arguments.workers, ","), arguments.terminals,
                     arguments.multi ? " --multi" : "", arguments.interval_s,
                     fmt::join(arguments.models, ","), arguments.output.rounds);
}

int perform(const Arguments& arguments) {
  lab::TerminalsOptions options;
  options.models = parse_models(arguments.models, lab::terminal_models, lab::terminal_model);
  options.workers = arguments.workers;
  options.terminals =
      arguments.multi ? doubling(arguments.terminals) : std::vector{arguments.terminals};
  options.duration =
      coro::Duration(static_cast<std::int64_t>(arguments.interval_s * 1'000'000'000));
  options.rounds = arguments.output.rounds;
  const bool names_cells = options.models.size() > 1 || options.workers.size() > 1;
  const auto report_one = [&](const lab::Cell& cell, std::size_t,
                              const std::vector<double>& figures) {
    const auto terminals = static_cast<std::size_t>(cell.settings[0]);
    std::string line = figures.empty() ? fmt::format("terminals: {}: {}", terminals, cell.note)
                                       : lab::terminals_line(terminals, figures);
    if (names_cells) line = fmt::format("{}, threads: {}, ", cell.subject, cell.settings[1]) + line;
    say(arguments.output, line);
  };
  return run_lab(arguments.output, command_line(arguments),
                 [&](lab::Experiment& experiment, const std::function<bool()>& interrupted) {
                   lab::measure_terminals(experiment, options, report_one, interrupted);
                 });
}

}  // namespace

void add_lab_terminals(CLI::App& lab, std::function<int()>& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = lab.add_subcommand(
      "terminals",
      "Simulated terminals without a database: each pauses, then makes four asynchronous\n"
      "requests one after the other, all of 0.2 ms; such a loop is a task. Prints tasks a\n"
      "second, CPU time, memory of a terminal and how late timers are.");
  command->footer(
      "Examples:\n"
      "  drover lab terminals -t 1 -w 65536 -i 5\n"
      "  drover lab terminals -t 1 -w 65536 -i 5 --multi --repeat 5 -o terminals.html\n"
      "  drover lab terminals -t 1 -w 4096 --model coroutine,machine,future,thread");
  command
      ->add_option(
          "-t,--max-threads", arguments->workers,
          "Threads with an event loop each; several numbers, separated by commas, are\n"
          "measured beside each other; the model thread has one for each terminal in any case\n"
          "(default: one for each processor)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(std::size_t{1}, workers_most))
      ->type_name("N,…");
  command->add_option("-w,--max-terminals", arguments->terminals, "Terminals")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, terminals_most))
      ->type_name("N");
  command
      ->add_option("-i,--interval", arguments->interval_s, "How long each is measured, in seconds")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 3600.0))
      ->type_name("SECONDS");
  command->add_flag("--multi", arguments->multi, "1, 2, 4, … terminals, up to -w");
  command
      ->add_option("--model", arguments->models,
                   "How a terminal is written: some of coroutine, steps, machine, future, thread,\n"
                   "separated by commas")
      ->capture_default_str()
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("MODEL,…");
  add_lab_output(*command, arguments->output);
  command->callback([arguments, &chosen] { chosen = [arguments] { return perform(*arguments); }; });
}

}  // namespace drover::cli
