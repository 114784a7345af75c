#include "database/embedded/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "database/embedded/file_descriptor.h"
#include "database/embedded/server_error.h"

namespace drover::database::embedded {
namespace {

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

// Another number for the same file, beyond the three standard ones: a process called with those
// closed gets them for its next files, and the child would overwrite one by another.
FileDescriptor above_standard(int file) {
  FileDescriptor above(::fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!above) throw system_error("cannot duplicate a file descriptor", errno);
  return above;
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  const FileDescriptor read_end(ends[0]);
  const FileDescriptor write_end(ends[1]);
  return Pipe{above_standard(read_end.get()), above_standard(write_end.get())};
}

// Where a child failed before its program ran; sent to us over a pipe that exec closes.
struct StartFailure {
  enum class Step : int { drop_privileges, execute };
  Step step;
  int error_number;
};

// All that the child needs, made before the fork: after it, in a process that had threads, only
// async-signal-safe calls are allowed, and memory must not be allocated.
struct PreparedChild {
  const char* executable;
  char* const* arguments;
  char* const* environment;
  const Account* account;
  int input;
  int output;
  int failure;
  int death_signal;  // 0: outlives us
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
    // A change of user clears it, hence only now; and the parent may have died before this line.
    ::prctl(PR_SET_PDEATHSIG, child.death_signal);
    if (::getppid() != child.parent) ::_exit(127);
  }
  ::execve(child.executable, child.arguments, child.environment);
  fail(child, StartFailure::Step::execute, errno);
}

// What the caller's environment says of PostgreSQL (PGDATA, PGPORT, PGOPTIONS ...) is meant for
// another server than ours.
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

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    // Somebody else (SIGCHLD ignored) took the status.
    if (errno != EINTR) return 127;
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
  // It fits into the pipe's own buffer, so that this does not block.
  if (!program.input.empty() &&
      ::write(input.write_end.get(), program.input.data(), program.input.size()) < 0) {
    throw system_error("cannot write to a pipe", errno);
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
  if (pid < 0) {
    throw system_error(fmt::format("cannot start {}", program.executable.string()), errno);
  }
  if (pid == 0) run_child(child);

  failures.write_end.reset();
  const std::string report = read_to_end(failures.read_end.get());
  if (report.size() < sizeof(StartFailure)) return pid;
  StartFailure failure{};
  report.copy(reinterpret_cast<char*>(&failure), sizeof failure);
  wait_for(pid);
  if (failure.step == StartFailure::Step::drop_privileges) {
    throw system_error(fmt::format("cannot run {} as the user '{}'", program.executable.string(),
                                   program.account.name),
                       failure.error_number);
  }
  throw system_error(fmt::format("cannot start {}", program.executable.string()),
                     failure.error_number);
}

}  // namespace

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
  const FileDescriptor output = above_standard(options.output_file);
  PreparedChild child{};
  child.output = output.get();
  child.own_session = true;
  child.death_signal = options.dies_with_caller ? SIGQUIT : 0;
  return start(program, child);
}

bool may_write_to(const Account& account, const std::filesystem::path& folder) {
  const char* path = folder.c_str();
  const pid_t pid = ::fork();
  if (pid < 0) throw system_error("cannot start a process", errno);
  if (pid == 0) {
    const bool may = become(account) == 0 && ::access(path, W_OK | X_OK) == 0;
    ::_exit(may ? 0 : 1);
  }
  return wait_for(pid) == 0;
}

}  // namespace drover::database::embedded
