// What all experiments of the lab have in common on the command line: how often, where the results
// go, Ctrl-C.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "coro/clock.h"
#include "lab/experiment.h"

namespace drover::cli {

struct LabOutput {
  std::size_t rounds = 1;
  std::string json = {};
  std::string html = {};
};

// Adds --repeat, --json and -o/--output to an experiment's command.
void add_lab_output(CLI::App& command, LabOutput& output);

// Whether the standard output is the JSON document's.
bool json_to_stdout(const LabOutput& output);

// Checks that the files can be written, fills what every experiment says of itself, calls `measure`
// with the question whether Ctrl-C was pressed, then writes the documents and prints the table.
// Hands back the exit code: exit_failure if a cell could not be measured, exit_interrupted after
// Ctrl-C, with what there is up to then.
int run_lab(const LabOutput& output, const std::string& command_line,
            const std::function<void(lab::Experiment&, const std::function<bool()>&)>& measure);

// A line of progress: on the error stream if the standard output is for the JSON document.
void say(const LabOutput& output, const std::string& line);

}  // namespace drover::cli
