// --password-command: asks a command of the user for the password at each connect, such as for a
// token that expires (access.h).

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "coro/deadline.h"
#include "coro/event.h"
#include "coro/fd_watch.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "database/postgres/access.h"
#include "file/file_descriptor.h"
#include "text/plain_text.h"

namespace drover::database::postgres {
namespace {

using coro::Task;

Error password_failure(const std::string& what) {
  return {ErrorClass::unavailable, "", "--password-command: " + what};
}

struct OutputPipe {
  file::FileDescriptor read_end;  // non-blocking
  file::FileDescriptor write_end;
};

OutputPipe make_output_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw password_failure(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  OutputPipe pipe{file::FileDescriptor(ends[0]), file::FileDescriptor(ends[1])};
  ::fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

// The running command. The destructor kills its process group unless it has ended.
class RunningCommand {
 public:
  explicit RunningCommand(const std::string& command) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output.write_end.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, complaints.write_end.get(), STDERR_FILENO);
    // The command must not inherit blocked and ignored signals.
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    std::string shell = "sh";
    std::string option = "-c";
    std::string text = command;
    std::array<char*, 4> words = {shell.data(), option.data(), text.data(), nullptr};
    const int error =
        ::posix_spawn(&process_, "/bin/sh", &files, &attributes, words.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) {
      process_ = 0;
      throw password_failure(std::string("cannot start /bin/sh: ") + std::strerror(error));
    }
    output.write_end = {};
    complaints.write_end = {};
  }
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;
  ~RunningCommand() {
    if (process_ == 0) return;
    ::kill(-process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  // Waits for the end, and returns the status of waitpid().
  Task<int> ended() {
    constexpr coro::Duration longest = std::chrono::milliseconds(50);
    coro::Duration pause = std::chrono::microseconds(500);
    for (;;) {
      int status = 0;
      const pid_t found = ::waitpid(process_, &status, WNOHANG);
      if (found != 0) process_ = 0;
      if (found > 0) co_return status;
      if (found < 0)
        throw password_failure(
            "its exit code is not available. Do not start drover with SIGCHLD ignored");
      co_await coro::sleep_for(pause);
      pause = std::min(2 * pause, longest);
    }
  }

  OutputPipe output = make_output_pipe();
  OutputPipe complaints = make_output_pipe();

 private:
  pid_t process_ = 0;  // 0: ended
};

// Reads a pipe to its end, and keeps the first `most` bytes.
Task<void> read_to_end(const file::FileDescriptor& pipe, std::string& text, std::size_t most) {
  coro::FdWatch watch(pipe.get());
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t count = ::read(pipe.get(), piece.data(), piece.size());
    if (count == 0) co_return;
    if (count > 0) {
      const auto bytes = static_cast<std::size_t>(count);
      text.append(piece.data(), std::min(bytes, most - std::min(most, text.size())));
    } else if (errno == EAGAIN) {
      co_await watch.ready(coro::Readiness::read);
    } else if (errno != EINTR) {
      throw password_failure(std::string("cannot read its output: ") + std::strerror(errno));
    }
  }
}

// Returns ". Its output: …", or nothing if the last complaint repeats a line of `output`, which
// may be the password.
std::string complaint_text(std::string_view complaints, std::string_view output) {
  constexpr std::size_t shown_bytes_max = 200;
  const std::string_view all = text::trimmed(complaints);
  const std::string_view last = text::trimmed(all.substr(all.rfind('\n') + 1));
  while (!output.empty()) {
    const std::string_view line = output.substr(0, output.find('\n'));
    if (!line.empty() && last.find(line) != std::string_view::npos) return {};
    output.remove_prefix(std::min(line.size() + 1, output.size()));
  }
  if (last.empty()) return {};
  return ". Its output: " + database::one_line(last.substr(0, shown_bytes_max));
}

std::string status_text(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("the command was ended by signal {}", WTERMSIG(status));
  return fmt::format("the command ended with exit code {}", WEXITSTATUS(status));
}

Task<std::string> answer_of(const std::string& command) {
  RunningCommand running(command);
  std::string output;
  std::string complaints;
  auto read_both = [&](coro::Scope& scope) -> Task<void> {
    scope.start(read_to_end(running.output.read_end, output, password_bytes_max + 1));
    scope.start(read_to_end(running.complaints.read_end, complaints, message_bytes_max));
    co_return;
  };
  co_await coro::with_scope(read_both);
  const int status = co_await running.ended();
  if (status != 0) {
    throw password_failure(status_text(status) + complaint_text(complaints, output));
  }
  std::string password = output.substr(0, output.find('\n'));
  if (password.empty()) {
    throw password_failure("the first line of its output is empty. Expected the password" +
                           complaint_text(complaints, output));
  }
  if (password.size() > password_bytes_max || password.find('\0') != std::string::npos) {
    throw password_failure(fmt::format(
        "the first line of its output is not a password: it has a zero byte, or more than {} bytes",
        password_bytes_max));
  }
  co_return password;
}

Task<std::string> answer_in_time(std::string command, coro::Duration timeout) {
  try {
    co_return co_await coro::with_deadline(coro::Worker::current().now() + timeout,
                                           answer_of(command));
  } catch (const coro::DeadlineExceeded&) {
    throw password_failure(fmt::format("the command has not ended within {} s (connect_timeout)",
                                       coro::seconds_of(timeout)));
  }
}

// One execution, for all tasks that wait for it.
struct Round {
  coro::Event ended;
  std::string password;
  std::exception_ptr error;  // null without a password: the executing task was cancelled
};

std::map<std::string, std::shared_ptr<Round>>& rounds_of_thread() {
  thread_local std::map<std::string, std::shared_ptr<Round>> rounds;
  return rounds;
}

// Ends the round in its destructor, also after an exception.
class OpenRound {
 public:
  explicit OpenRound(const std::string& command) : command_(command) {
    rounds_of_thread()[command_] = round;
  }
  OpenRound(const OpenRound&) = delete;
  OpenRound& operator=(const OpenRound&) = delete;
  ~OpenRound() {
    rounds_of_thread().erase(command_);
    round->ended.set();
  }

  const std::shared_ptr<Round> round = std::make_shared<Round>();

 private:
  const std::string& command_;
};

}  // namespace

Task<std::string> ask_password(std::string command, coro::Duration timeout) {
  while (const auto found = rounds_of_thread().contains(command) ? rounds_of_thread().at(command)
                                                                 : std::shared_ptr<Round>()) {
    co_await found->ended.wait();
    if (found->error) std::rethrow_exception(found->error);
    if (!found->password.empty()) co_return found->password;
  }
  const OpenRound open(command);
  try {
    open.round->password = co_await answer_in_time(command, timeout);
  } catch (const std::exception&) {
    open.round->error = std::current_exception();
    throw;
  }
  co_return open.round->password;
}

}  // namespace drover::database::postgres
