// A command line that asks for something impossible: main prints the message and ends with 2.
#pragma once

#include <stdexcept>

namespace drover {

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What `drover` ends with.
enum ExitCode : int {
  exit_success = 0,
  exit_failure = 1,        // what was asked for could not be done, or a check does not hold
  exit_usage = 2,          // the command line is wrong
  exit_stopped = 3,        // pg status: the server does not run
  exit_interrupted = 130,  // by Ctrl-C or SIGTERM
};

}  // namespace drover
