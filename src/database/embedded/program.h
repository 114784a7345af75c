// Runs the programs of PostgreSQL: straight by fork and exec, never through a shell, as a given
// account, with a clean environment, default signals and none of our file descriptors.
//
// Every function may be called from any thread. With `dies_with_caller` the program is tied to
// the calling thread, not to the process: the kernel knows no better.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "database/embedded/account.h"

namespace drover::database::embedded {

struct Program {
  std::filesystem::path executable;
  std::vector<std::string> arguments;  // without the program's own name
  Account account;
  std::string input;  // its standard input; at most program_input_bytes_max
};

inline constexpr size_t program_input_bytes_max = 4096;

struct ProgramResult {
  int exit_code = 0;   // 128 + number when a signal ended it
  std::string output;  // standard output and standard error, as they came
  bool succeeded() const { return exit_code == 0; }
};

// Runs the program to its end; it is killed if the calling thread dies meanwhile.
// Throws ServerError when it cannot be started.
ProgramResult run_to_end(const Program& program);

struct LaunchOptions {
  int output_file = -1;           // receives standard output and standard error
  bool dies_with_caller = false;  // SIGQUIT at the death of the calling thread
};

// Starts the program in a session of its own, so that no Ctrl-C of our terminal reaches it, and
// returns its process id at once. Throws ServerError when it cannot be started.
pid_t launch(const Program& program, const LaunchOptions& options);

// Whether the account may make files in the folder.
bool may_write_to(const Account& account, const std::filesystem::path& folder);

}  // namespace drover::database::embedded
