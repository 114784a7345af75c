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

namespace drover::database::embedded {

// The user of the system as whom the programs run. PostgreSQL refuses to run as root, so that root
// needs another one.
struct Account {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string name;
};

// The caller's own account.
Account own_account();

// As whom a new server runs: the caller, or, when that is root, `postgres` if it exists, else
// `nobody`. Throws ServerError when root finds neither.
Account account_for_new_server();

// The account of a number, named by the number itself when the system does not know it.
Account account_of(uid_t uid, gid_t gid);

// Makes the calling process that account for good, with no groups but its own. Returns 0 or an
// errno. Calls only what is safe between fork and exec; nothing is done when it is that account.
int become(const Account& account) noexcept;

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

// Runs psql for a person: with our account, terminal, environment and standard files. Waits for its
// end and returns its exit code, 128 + number after a signal. Ctrl-C meanwhile is psql's alone. To
// be called from a process without other threads. Throws ServerError when psql cannot be started.
int run_psql(const std::filesystem::path& psql, const std::string& conninfo,
             const std::vector<std::string>& arguments);

}  // namespace drover::database::embedded
