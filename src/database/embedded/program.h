// The programs of PostgreSQL: finds them on this machine and runs them by fork and exec, never
// through a shell, as a given account, with a clean environment, default signals and none of
// Drover's file descriptors.
//
// Thread safety: any thread. A program that dies with its caller is tied to the calling thread, not
// to the process, because this is how PR_SET_PDEATHSIG works.
#pragma once

#include <fmt/format.h>
#include <sys/types.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace drover::database::embedded {

// The error of the private server. The message is complete and is printed as it is: what was wrong,
// what was expected, what to do.
class ServerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns the error "<what>: <text of error_number>".
template <class... Arguments>
ServerError system_failure(int error_number, fmt::format_string<Arguments...> what,
                           Arguments&&... arguments) {
  return ServerError(fmt::format("{}: {}", fmt::format(what, std::forward<Arguments>(arguments)...),
                                 std::generic_category().message(error_number)));
}

inline constexpr std::string_view another_data_folder =
    "name another folder in DROVER_DATA_HOME or, for the commands of 'drover pg', with --data-dir";

// Returns system_failure() with the advice to use another data folder, unless the machine lacks
// memory or file descriptors.
template <class... Arguments>
ServerError folder_failure(int error_number, fmt::format_string<Arguments...> what,
                           Arguments&&... arguments) {
  const ServerError error =
      system_failure(error_number, what, std::forward<Arguments>(arguments)...);
  const bool is_of_machine =
      error_number == EMFILE || error_number == ENFILE || error_number == ENOMEM;
  return is_of_machine ? error
                       : ServerError(fmt::format("{}; {}", error.what(), another_data_folder));
}

// The user account that executes the programs. PostgreSQL refuses to run as root.
struct Account {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string name;
};

// Returns the account of the calling process.
Account own_account();

// Returns the account for a new server: the caller's, or for root `postgres` if it exists, else
// `nobody`. Throws ServerError if root finds neither.
Account account_for_new_server();

// Returns the account of these numbers, named by the user's number if the system does not know it.
Account account_of(uid_t uid, gid_t gid);

// Changes the calling process to the account for good, without other groups. Returns 0 or an errno.
// Async-signal-safe. Does nothing if the process has this account.
int become(const Account& account) noexcept;

struct Program {
  std::filesystem::path executable;
  std::vector<std::string> arguments;  // without the program's own name
  Account account;
  std::string input = {};  // standard input; at most program_input_bytes_max
};

inline constexpr size_t program_input_bytes_max = 4096;

struct ProgramResult {
  int exit_code = 0;   // 128 + number if a signal ended the program
  std::string output;  // standard output and standard error, interleaved
  bool succeeded() const { return exit_code == 0; }
};

// Runs the program to its end. The program is killed if the calling thread dies meanwhile. Throws
// ServerError if it cannot be started.
ProgramResult run_to_end(const Program& program);

struct LaunchOptions {
  int output_file = -1;           // receives standard output and standard error
  bool dies_with_caller = false;  // SIGQUIT at the death of the calling thread
};

// Starts the program in a session of its own, so that no Ctrl-C reaches it, and returns its process
// id. Throws ServerError if it cannot be started.
pid_t launch(const Program& program, const LaunchOptions& options);

// Returns true if the account may create files in the folder.
bool may_write_to(const Account& account, const std::filesystem::path& folder);

// Runs psql interactively, with the caller's account, terminal, environment and standard files.
// Waits for its end and returns its exit code, 128 + number after a signal. Only psql reacts to
// Ctrl-C meanwhile. Requires a process without other threads. Throws ServerError if psql cannot be
// started.
int run_psql(const std::filesystem::path& psql, const std::string& conninfo,
             const std::vector<std::string>& arguments);

// A PostgreSQL on this machine.
struct Installation {
  std::filesystem::path bin_folder;
  int major = 0;
  int minor = 0;
  std::string version;  // "15.8"

  std::filesystem::path program(std::string_view name) const { return bin_folder / name; }
};

// Returns the newest installation of these folders; of equal versions the first. Throws
// ServerError, which names the package to install, if no folder has `postgres` and `initdb`.
Installation newest_installation(const std::vector<std::filesystem::path>& bin_folders);

// Returns the PostgreSQL in $DROVER_PG_BINDIR if this is set, else the newest one of this machine.
// Throws ServerError.
Installation find_installation();

// Returns the psql of the installation, or another psql of this machine: some installations have
// none, and each psql can connect to servers of any version. Throws ServerError.
std::filesystem::path find_psql(const Installation& installation);

}  // namespace drover::database::embedded
