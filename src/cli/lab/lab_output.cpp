#include "cli/lab/lab_output.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>

#include "cli/program.h"
#include "cli/standard_output.h"
#include "lab/experiment.h"

namespace drover::cli {
namespace {

volatile std::sig_atomic_t was_interrupted = 0;

// While it lives, Ctrl-C and SIGTERM are noted; the measurement's own process, which has its own
// copy of this, is ended by them.
class NotedInterrupts {
 public:
  NotedInterrupts() {
    was_interrupted = 0;
    struct sigaction action{};
    action.sa_handler = [](int) { was_interrupted = 1; };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &interrupt_before_);
    sigaction(SIGTERM, &action, &terminate_before_);
  }
  NotedInterrupts(const NotedInterrupts&) = delete;
  NotedInterrupts& operator=(const NotedInterrupts&) = delete;
  ~NotedInterrupts() {
    sigaction(SIGINT, &interrupt_before_, nullptr);
    sigaction(SIGTERM, &terminate_before_, nullptr);
  }

 private:
  struct sigaction interrupt_before_{};
  struct sigaction terminate_before_{};
};

void fill_origin(lab::Experiment& experiment, const std::string& command_line) {
  const report::Tool self = tool();
  experiment.command = command_line;
  experiment.tool =
      fmt::format("{} {} ({}, {})", self.name, self.version, self.commit, self.compiler);
  experiment.host = measure::describe_host();
  experiment.started_at = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace

void add_lab_output(Command& command, LabOutput& output) {
  command.add_options(
      {{"--repeat", &output.rounds, "N",
        "Number of rounds. Each measures everything once, and the output shows medians and spread",
        in_range(1, 1000)}});
  command.add_options(
      output_group,
      {{"-o,--output", &output.html, "FILE", "Write a page with charts to FILE as HTML"},
       {"--json", &output.json, "FILE",
        "Write all rounds to FILE as JSON. -: JSON to the standard output, text to the error "
        "stream"}});
}

int run_lab(const LabOutput& output, const std::string& command_line,
            const std::function<std::string(const lab::Cell&, const std::vector<double>&)>& line,
            const std::function<lab::Study()>& begin) {
  const OutputFile json{output.json};
  const OutputFile html{output.html, "HTML file", false};
  json.check();
  html.check();
  const auto say = [&](const std::string& text) {
    print(json.for_people(), text + "\n", "the experiment");
  };
  lab::Experiment experiment;
  {
    const NotedInterrupts interrupts;
    lab::Study study = begin();
    fill_origin(study.experiment, command_line);
    experiment = lab::measure_study(
        std::move(study), output.rounds,
        [&](const lab::Cell& cell, const std::vector<double>& figures) {
          say(line(cell, figures));
        },
        [] { return was_interrupted != 0; });
  }
  experiment.interrupted = was_interrupted != 0;
  write_each({[&] { json.write([&] { return lab::experiment_json(experiment); }); },
              [&] { html.write([&] { return lab::experiment_html(experiment); }); },
              [&] { say("\n" + lab::experiment_text(experiment)); }});
  if (experiment.interrupted) return exit_interrupted;
  const bool is_whole = std::ranges::all_of(
      experiment.cells, [](const lab::Cell& cell) { return cell.note.empty(); });
  return is_whole ? exit_success : exit_failure;
}

}  // namespace drover::cli
