// This program as a process and a build: its setup, its path and its version.
#pragma once

#include <string>

#include "report/document/result.h"

namespace drover::cli {

// Prepares the process for all commands. Called once, at the beginning of main().
//
// - Closed standard files are opened, so that no other file gets their numbers. Writing to a closed
//   standard output still fails.
// - Writing beyond the limit of a file's size (ulimit -f) returns the error EFBIG. SIGPIPE still
// ends
//   the process.
// - If the system gives no more memory, the process ends with one line and exit code 1, because a
//   worker full of tasks cannot be unwound without memory.
// - The limit of file descriptors is raised to the hard limit.
// - Threads have a sufficient stack, whatever ulimit -s says. Throws std::runtime_error if the main
//   thread's stack is too small.
void set_up_process();

// Returns the path of this program, and its version and commit. The coordinator refuses agents of
// another version.
std::string own_program();
std::string own_version();

// The commit ends in "-dirty" if the sources have been changed since.
report::Tool tool();

// Returns the day of the commit in ISO 8601.
std::string commit_date();

// Returns the text of --version, with the libraries of the build. For libpq also the installed one.
std::string version_text();

}  // namespace drover::cli
