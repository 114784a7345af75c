// What all experiments of the lab have in common on the command line: how often, where the results
// go, Ctrl-C.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cli/option/command.h"
#include "lab/rounds.h"

namespace drover::cli {

struct LabOutput {
  std::size_t rounds = 1;
  std::string json = {};
  std::string html = {};
};

// Adds --repeat, --json and -o/--output to an experiment's command.
void add_lab_output(Command& command, LabOutput& output);

// Checks that the files can be written, fills what every experiment says of itself, and measures
// the study that `begin` makes. After each measurement `line` says what to print of a cell and its
// figures, or of its note if there are none: on the error stream if the standard output is for the
// JSON document. At the end writes the documents and prints the table. Hands back the exit code:
// exit_failure if a cell could not be measured, exit_interrupted after Ctrl-C, with what there is
// up to then.
int run_lab(const LabOutput& output, const std::string& command_line,
            const std::function<std::string(const lab::Cell&, const std::vector<double>&)>& line,
            const std::function<lab::Study()>& begin);

}  // namespace drover::cli
