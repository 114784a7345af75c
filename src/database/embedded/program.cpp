#include "database/embedded/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/close_range.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <ranges>
#include <system_error>
#include <tuple>

#include "file/file_descriptor.h"

namespace drover::database::embedded {

namespace {

constexpr size_t entry_bytes_max = 64 * 1024;

// `look` is getpwnam_r or getpwuid_r.
template <class Look, class Key>
std::optional<Account> find(Look look, Key key) {
  std::vector<char> buffer(entry_bytes_max);
  passwd entry{};
  passwd* found = nullptr;
  const int error = look(key, &entry, buffer.data(), buffer.size(), &found);
  if (error != 0 || found == nullptr) return std::nullopt;
  return Account{found->pw_uid, found->pw_gid, found->pw_name};
}

struct Pipe {
  file::FileDescriptor read_end;
  file::FileDescriptor write_end;
};

// Duplicates the descriptor to a number above the standard ones. If Drover was started with closed
// standard files, new files get these numbers, and the child's dup2() would overwrite them.
file::FileDescriptor above_standard(int file) {
  file::FileDescriptor above(::fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!above) throw system_failure(errno, "cannot duplicate a file descriptor");
  return above;
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_failure(errno, "cannot make a pipe");
  const file::FileDescriptor read_end(ends[0]);
  const file::FileDescriptor write_end(ends[1]);
  return Pipe{above_standard(read_end.get()), above_standard(write_end.get())};
}

// The failure of a child before its exec, sent to the parent over a pipe that exec closes.
struct StartFailure {
  enum class Step : int { drop_privileges, execute };
  Step step;
  int error_number;
};

// The child's data, prepared before the fork: after the fork of a process with threads, only
// async-signal-safe calls are allowed, and no memory may be allocated.
struct PreparedChild {
  const char* executable;
  char* const* arguments;
  char* const* environment;
  const Account* account;
  int input;
  int output;
  int failure;
  int death_signal;  // 0: the child outlives its parent
  bool own_session;
  pid_t parent;
};

void reset_signals() noexcept {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &action, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void fail(const PreparedChild& child, StartFailure::Step step, int error) noexcept {
  const StartFailure failure{step, error};
  [[maybe_unused]] const ssize_t written = ::write(child.failure, &failure, sizeof failure);
  ::_exit(127);
}

[[noreturn]] void run_child(const PreparedChild& child) noexcept {
  reset_signals();
  if (child.own_session) ::setsid();
  if (::dup2(child.input, STDIN_FILENO) < 0 || ::dup2(child.output, STDOUT_FILENO) < 0 ||
      ::dup2(child.output, STDERR_FILENO) < 0) {
    fail(child, StartFailure::Step::execute, errno);
  }
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  ::umask(077);
  const int error = become(*child.account);
  if (error != 0) fail(child, StartFailure::Step::drop_privileges, error);
  if (::chdir("/") != 0) fail(child, StartFailure::Step::execute, errno);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (child.death_signal != 0) {
    // A change of user clears the death signal. The parent may have died before this line.
    ::prctl(PR_SET_PDEATHSIG, child.death_signal);
    if (::getppid() != child.parent) ::_exit(127);
  }
  ::execve(child.executable, child.arguments, child.environment);
  fail(child, StartFailure::Step::execute, errno);
}

// The variables of PostgreSQL (PGDATA, PGPORT, PGOPTIONS ...) are meant for the user's own servers.
std::vector<std::string> clean_environment() {
  std::vector<std::string> environment = {"LC_ALL=C", "PATH=/usr/local/bin:/usr/bin:/bin"};
  for (const char* name : {"TZ", "LD_LIBRARY_PATH"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) environment.push_back(fmt::format("{}={}", name, value));
  }
  return environment;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string read_to_end(int file) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t count = ::read(file, buffer.data(), buffer.size());
    if (count > 0) {
      text.append(buffer.data(), static_cast<size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return text;
    }
  }
}

// The exit code of a child that has not become the program.
constexpr int exit_not_started = 127;

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    // The status is lost: SIGCHLD is ignored.
    if (errno != EINTR) return exit_not_started;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

pid_t start(const Program& program, PreparedChild child) {
  std::vector<std::string> arguments = {program.executable.string()};
  arguments.insert(arguments.end(), program.arguments.begin(), program.arguments.end());
  std::vector<std::string> environment = clean_environment();
  const std::vector<char*> argument_pointers = pointers_to(arguments);
  const std::vector<char*> environment_pointers = pointers_to(environment);

  assert(program.input.size() <= program_input_bytes_max);
  Pipe input = make_pipe();
  // The input fits into the pipe's buffer, so the write does not block.
  if (!program.input.empty() &&
      ::write(input.write_end.get(), program.input.data(), program.input.size()) < 0) {
    throw system_failure(errno, "cannot write to a pipe");
  }
  input.write_end.reset();
  Pipe failures = make_pipe();

  child.executable = program.executable.c_str();
  child.arguments = argument_pointers.data();
  child.environment = environment_pointers.data();
  child.account = &program.account;
  child.input = input.read_end.get();
  child.failure = failures.write_end.get();
  child.parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw system_failure(errno, "cannot start {}", program.executable.string());
  if (pid == 0) run_child(child);

  failures.write_end.reset();
  const std::string report = read_to_end(failures.read_end.get());
  if (report.size() < sizeof(StartFailure)) return pid;
  StartFailure failure{};
  report.copy(reinterpret_cast<char*>(&failure), sizeof failure);
  wait_for(pid);
  if (failure.step == StartFailure::Step::drop_privileges) {
    throw system_failure(failure.error_number, "cannot run {} as the user '{}'",
                         program.executable.string(), program.account.name);
  }
  throw system_failure(failure.error_number, "cannot start {}", program.executable.string());
}

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

// Parses "postgres (PostgreSQL) 15.8 (Debian 15.8-0)" or "postgres (PostgreSQL) 17beta1".
std::optional<Installation> read_version(const fs::path& bin_folder, const std::string& text) {
  constexpr std::string_view before = "(PostgreSQL) ";
  const size_t found = text.find(before);
  if (found == std::string::npos) return std::nullopt;
  const char* begin = text.data() + found + before.size();
  const char* end = text.data() + text.size();
  Installation installation;
  installation.bin_folder = bin_folder;
  auto [after, error] = std::from_chars(begin, end, installation.major);
  if (error != std::errc()) return std::nullopt;
  if (after != end && *after == '.') {
    after = std::from_chars(after + 1, end, installation.minor).ptr;
  }
  installation.version = fmt::format("{}.{}", installation.major, installation.minor);
  return installation;
}

std::optional<Installation> installation_in(const fs::path& bin_folder) {
  if (!is_program(bin_folder / "postgres") || !is_program(bin_folder / "initdb")) {
    return std::nullopt;
  }
  const ProgramResult result =
      run_to_end({bin_folder / "postgres", {"--version"}, account_for_new_server()});
  if (!result.succeeded()) return std::nullopt;
  return read_version(bin_folder, result.output);
}

// Adds the folders <parent>/<prefix>*/bin.
void add_versions_in(const fs::path& parent, std::string_view prefix,
                     std::vector<fs::path>& folders) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, error)) {
    if (entry.path().filename().string().starts_with(prefix)) {
      folders.push_back(entry.path() / "bin");
    }
  }
}

std::vector<fs::path> folders_of_path() {
  std::vector<fs::path> folders;
  const char* value = std::getenv("PATH");
  for (const auto part : std::views::split(std::string_view(value == nullptr ? "" : value), ':')) {
    const std::string_view folder(part.begin(), part.end());
    if (folder.starts_with('/')) folders.emplace_back(folder);
  }
  return folders;
}

std::vector<fs::path> candidate_folders() {
  std::vector<fs::path> folders;
  add_versions_in("/usr/lib/postgresql", "", folders);
  add_versions_in("/usr", "pgsql-", folders);
  add_versions_in("/opt/homebrew/opt", "postgresql", folders);
  folders.emplace_back("/opt/homebrew/bin");
  folders.emplace_back("/usr/local/pgsql/bin");
  for (const fs::path& folder : folders_of_path()) {
    folders.push_back(folder);
    if (!is_program(folder / "pg_config")) continue;
    const ProgramResult result =
        run_to_end({folder / "pg_config", {"--bindir"}, account_for_new_server()});
    if (result.succeeded()) {
      folders.emplace_back(result.output.substr(0, result.output.find('\n')));
    }
  }
  return folders;
}

}  // namespace

Account account_of(uid_t uid, gid_t gid) {
  const std::optional<Account> found = find(::getpwuid_r, uid);
  return {uid, gid, found ? found->name : fmt::format("{}", uid)};
}

Account own_account() {
  return account_of(::geteuid(), ::getegid());
}

Account account_for_new_server() {
  if (::geteuid() != 0) return own_account();
  for (const char* name : {"postgres", "nobody"}) {
    std::optional<Account> account = find(::getpwnam_r, name);
    if (account && account->uid != 0) return *account;
  }
  throw ServerError(
      "PostgreSQL refuses to run as root, and this machine has neither a user 'postgres' nor a "
      "user 'nobody' that could run it. Run drover as an ordinary user");
}

int become(const Account& account) noexcept {
  if (::getuid() == account.uid && ::geteuid() == account.uid) return 0;
  if (::setgroups(1, &account.gid) != 0) return errno;
  if (::setresgid(account.gid, account.gid, account.gid) != 0) return errno;
  if (::setresuid(account.uid, account.uid, account.uid) != 0) return errno;
  // Makes sure that the process cannot become root again.
  if (account.uid != 0 && ::setuid(0) == 0) return EPERM;
  return 0;
}

ProgramResult run_to_end(const Program& program) {
  Pipe output = make_pipe();
  PreparedChild child{};
  child.output = output.write_end.get();
  child.death_signal = SIGKILL;
  const pid_t pid = start(program, child);
  output.write_end.reset();
  ProgramResult result;
  result.output = read_to_end(output.read_end.get());
  result.exit_code = wait_for(pid);
  return result;
}

pid_t launch(const Program& program, const LaunchOptions& options) {
  assert(options.output_file >= 0);
  const file::FileDescriptor output = above_standard(options.output_file);
  PreparedChild child{};
  child.output = output.get();
  child.own_session = true;
  child.death_signal = options.dies_with_caller ? SIGQUIT : 0;
  return start(program, child);
}

bool may_write_to(const Account& account, const std::filesystem::path& folder) {
  const char* path = folder.c_str();
  const pid_t pid = ::fork();
  if (pid < 0) throw system_failure(errno, "cannot start a process");
  if (pid == 0) {
    const bool may = become(account) == 0 && ::access(path, W_OK | X_OK) == 0;
    ::_exit(may ? 0 : 1);
  }
  return wait_for(pid) == 0;
}

namespace {}  // namespace

int run_psql(const std::filesystem::path& psql, const std::string& conninfo,
             const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {psql.string(), "--dbname=" + conninfo};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<char*> pointers = pointers_to(words);

  struct sigaction ignore{};
  struct sigaction interrupt{};
  struct sigaction quit{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGINT, &ignore, &interrupt);
  ::sigaction(SIGQUIT, &ignore, &quit);
  const pid_t pid = ::fork();
  const int fork_error = errno;
  const int exit_code = pid > 0 ? wait_for(pid) : exit_not_started;
  ::sigaction(SIGINT, &interrupt, nullptr);
  ::sigaction(SIGQUIT, &quit, nullptr);
  if (pid < 0) throw system_failure(fork_error, "cannot start psql");
  if (pid == 0) {
    ::signal(SIGXFSZ, SIG_DFL);  // main() ignores it, and exec would keep that
    ::execv(psql.c_str(), pointers.data());
    ::_exit(exit_not_started);
  }
  if (exit_code == exit_not_started) {
    throw ServerError(fmt::format("cannot start {}", psql.string()));
  }
  return exit_code;
}

Installation newest_installation(const std::vector<fs::path>& bin_folders) {
  std::optional<Installation> best;
  for (const fs::path& folder : bin_folders) {
    std::optional<Installation> found = installation_in(folder);
    if (!found) continue;
    if (!best || std::tie(found->major, found->minor) > std::tie(best->major, best->minor)) {
      best = found;
    }
  }
  if (best) return *best;
  throw ServerError(
      "no PostgreSQL server is installed here. Drover looked for the programs 'postgres' and "
      "'initdb' in /usr/lib/postgresql/*/bin, /usr/pgsql-*/bin, PATH and the folder that pg_config "
      "names. Install it with 'apt install postgresql', set DROVER_PG_BINDIR to the folder of its "
      "programs, or name a server of your own with --db");
}

Installation find_installation() {
  const char* chosen = std::getenv("DROVER_PG_BINDIR");
  if (chosen == nullptr || *chosen == '\0') return newest_installation(candidate_folders());
  if (const auto found = installation_in(fs::absolute(chosen))) return *found;
  throw ServerError(
      fmt::format("DROVER_PG_BINDIR is '{}', but this folder has no working programs 'postgres' "
                  "and 'initdb' of PostgreSQL. Correct the variable, or unset it so that drover "
                  "searches for the programs (to install them on Debian: 'apt install postgresql')",
                  chosen));
}

fs::path find_psql(const Installation& installation) {
  std::vector<fs::path> folders = {installation.bin_folder};
  std::ranges::move(candidate_folders(), std::back_inserter(folders));
  for (const fs::path& folder : folders) {
    if (is_program(folder / "psql")) return folder / "psql";
  }
  throw ServerError(
      fmt::format("psql is neither in {} nor elsewhere on this machine. Install it with 'apt "
                  "install postgresql-client'",
                  installation.bin_folder.string()));
}

}  // namespace drover::database::embedded
