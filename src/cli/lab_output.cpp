#include "cli/lab_output.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>

#include "cli/standard_output.h"
#include "cli/usage_error.h"
#include "cli/version.h"
#include "lab/experiment_html.h"
#include "lab/experiment_json.h"
#include "lab/experiment_text.h"
#include "report/atomic_file.h"

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

std::string tool_text() {
  const report::Tool self = tool();
  return fmt::format("{} {} ({}, {})", self.name, self.version, self.commit, self.compiler);
}

lab::Experiment begun(const std::string& command_line) {
  lab::Experiment experiment;
  experiment.command = command_line;
  experiment.tool = tool_text();
  experiment.host = measure::describe_host();
  experiment.started_at = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
  return experiment;
}

void write_all(const LabOutput& output, const lab::Experiment& experiment) {
  const auto write_json = [&] {
    if (output.json.empty()) return;
    const std::string document = lab::experiment_json(experiment);
    if (json_to_stdout(output)) return print(document, "the JSON document");
    report::write_atomically({output.json, "JSON file"}, document);
  };
  const auto write_page = [&] {
    if (output.html.empty()) return;
    report::write_atomically({output.html, "HTML file"}, lab::experiment_html(experiment));
  };
  write_each(
      {write_json, write_page, [&] { say(output, "\n" + lab::experiment_text(experiment)); }});
}

}  // namespace

bool json_to_stdout(const LabOutput& output) {
  return output.json == "-";
}

void say(const LabOutput& output, const std::string& line) {
  print(json_to_stdout(output) ? stderr : stdout, line + "\n", "the experiment");
}

void add_lab_output(CLI::App& command, LabOutput& output) {
  command
      .add_option("--repeat", output.rounds,
                  "Rounds; each measures everything once, and medians and spread are shown")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  command.add_option("-o,--output", output.html, "Writes a page with charts to this file, as HTML")
      ->type_name("FILE")
      ->group("Output");
  command
      .add_option("--json", output.json,
                  "Writes all rounds to this file as JSON; '-': to the standard output, and the\n"
                  "table for people to the error stream")
      ->type_name("FILE")
      ->group("Output");
}

int run_lab(const LabOutput& output, const std::string& command_line,
            const std::function<void(lab::Experiment&, const std::function<bool()>&)>& measure) {
  if (!output.json.empty() && !json_to_stdout(output)) {
    report::check_can_write({output.json, "JSON file"});
  }
  if (!output.html.empty()) report::check_can_write({output.html, "HTML file"});
  lab::Experiment experiment = begun(command_line);
  {
    const NotedInterrupts interrupts;
    measure(experiment, [] { return was_interrupted != 0; });
  }
  experiment.interrupted = was_interrupted != 0;
  write_all(output, experiment);
  if (experiment.interrupted) return exit_interrupted;
  const bool is_whole = std::ranges::all_of(
      experiment.cells, [](const lab::Cell& cell) { return cell.note.empty(); });
  return is_whole ? exit_success : exit_failure;
}

}  // namespace drover::cli
