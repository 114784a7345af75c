#include "ranks/starter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "coro/fd_watch.h"
#include "coro/scope.h"
#include "text/plain_text.h"
#include "text/wrapped_text.h"

namespace drover::ranks {
namespace {

constexpr std::size_t address_bytes_max = 253;  // of a name in DNS
constexpr std::string_view loopback_six = "::1";
// Exit codes of a shell that did not find the program, and of an ssh that did not reach the host.
constexpr int code_program_missing = 127;
constexpr int code_ssh_failed = 255;

bool is_address(std::string_view text) {
  const auto is_usual = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '.' || letter == '-' || letter == '_' ||
           letter == '@';
  };
  return text == loopback_six || (text.size() <= address_bytes_max && text.front() != '-' &&
                                  std::all_of(text.begin(), text.end(), is_usual));
}

void check_address(std::string_view address, std::string_view all) {
  if (address.empty()) {
    throw std::invalid_argument(fmt::format(
        "a host name in '{}' is empty. Expected names separated by commas, such as a,b,c", all));
  }
  if (!is_address(address)) {
    throw std::invalid_argument(fmt::format(
        "'{}' is not a host name. Expected letters, digits, '.', '-', '_' and '@'. Set a port, a "
        "jump host or an IPv6 address in ~/.ssh/config. To run two agents on a host, name it twice",
        address));
  }
}

// Quotes a word for the shell of the other host.
std::string quoted(const std::string& word) {
  return "'" + text::replaced(word, "'", "'\\''") + "'";
}

}  // namespace

bool Host::is_local() const {
  return address == "localhost" || address == "127.0.0.1" || address == loopback_six;
}

std::vector<Host> parse_hosts(std::string_view text) {
  std::vector<Host> hosts;
  std::map<std::string, int> times;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string address(text.substr(begin, end - begin));
    check_address(address, text);
    const int time = ++times[address];
    hosts.push_back({address, time == 1 ? address : fmt::format("{}#{}", address, time)});
    begin = end + 1;
  }
  if (hosts.size() > hosts_max) {
    throw std::invalid_argument(
        fmt::format("{} hosts are named. Expected at most {}", hosts.size(), hosts_max));
  }
  return hosts;
}

std::vector<std::string> start_words(const Host& host, std::string_view ssh,
                                     const std::vector<std::string>& words) {
  if (host.is_local()) return words;
  std::vector<std::string> all = text::parts(std::string(ssh), ' ');
  std::erase(all, "");
  // ssh gets no terminal and must not ask questions. A host that does not answer must not delay the
  // others for minutes.
  all.insert(all.end(), {"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", host.address});
  std::string command = "exec";
  for (const std::string& word : words) command += " " + quoted(word);
  all.push_back(std::move(command));
  return all;
}

namespace {

struct Pipe {
  file::FileDescriptor reading;
  file::FileDescriptor writing;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  }
  return {file::FileDescriptor(ends[0]), file::FileDescriptor(ends[1])};
}

// Prepared before the fork, because no memory may be allocated between fork and exec.
struct Child {
  char* const* words;
  int input;
  int output;
  int failure;  // closed by exec, or gets an errno
  bool dies_with_parent;
  pid_t parent;
};

[[noreturn]] void run_child(const Child& child) noexcept {
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &usual, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::setsid();
  ::dup2(child.input, STDIN_FILENO);
  ::dup2(child.output, STDOUT_FILENO);
  ::dup2(child.output, STDERR_FILENO);
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  if (child.dies_with_parent) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() == child.parent) ::execvp(child.words[0], child.words);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(child.failure, &error, sizeof error);
  ::_exit(code_program_missing);
}

// Waits for the end of the process without collecting its status.
coro::Task<void> process_ended(pid_t process) {
  const file::FileDescriptor file(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  coro::FdWatch watch(file.get());
  co_await watch.ready(coro::Readiness::read);
}

class Lines {
 public:
  Lines(int file, const std::function<void(std::string)>& on_line)
      : file_(file), on_line_(on_line) {}

  // Reads the available output. Returns false at its end.
  bool read_on() {
    std::array<char, 4096> piece{};
    for (;;) {
      const ssize_t count = ::read(file_, piece.data(), piece.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return count < 0 && errno == EAGAIN;
      add({piece.data(), static_cast<size_t>(count)});
    }
  }

  void finish() {
    if (!line_.empty()) on_line_(std::exchange(line_, {}));
  }

 private:
  void add(std::string_view text) {
    for (const char letter : text) {
      if (letter == '\n') {
        on_line_(std::exchange(line_, {}));
      } else if (letter != '\r' && line_.size() < Starter::line_bytes_max) {
        line_ += letter;
      }
    }
  }

  int file_;
  const std::function<void(std::string)>& on_line_;
  std::string line_;
};

coro::Task<void> read_lines(int file, Lines& lines) {
  coro::FdWatch watch(file);
  while (lines.read_on()) co_await watch.ready(coro::Readiness::read);
}

}  // namespace

Starter::Starter(const std::vector<std::string>& words, const std::string& input, Lifetime lifetime)
    : lifetime_(lifetime) {
  std::vector<std::string> own_words = words;
  std::vector<char*> pointers;
  for (std::string& word : own_words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  Pipe given = make_pipe();
  Pipe output = make_pipe();
  Pipe failure = make_pipe();
  // The input fits into the pipe's buffer, so the write does not wait for the child.
  [[maybe_unused]] const ssize_t written = ::write(given.writing.get(), input.data(), input.size());
  const Child child{pointers.data(),
                    given.reading.get(),
                    output.writing.get(),
                    failure.writing.get(),
                    lifetime == Lifetime::ends_with_starter,
                    ::getpid()};
  process_ = ::fork();
  if (process_ == 0) run_child(child);
  int error = process_ < 0 ? errno : 0;
  failure.writing.reset();
  if (process_ > 0 && ::read(failure.reading.get(), &error, sizeof error) > 0) {
    ::waitpid(std::exchange(process_, 0), nullptr, 0);
  }
  if (error != 0) {
    throw std::runtime_error(
        fmt::format("cannot start {}: {}", words.front(), std::strerror(error)));
  }
  output_ = std::move(output.reading);
  ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
}

Starter::~Starter() {
  if (process_ <= 0) return;
  if (lifetime_ == Lifetime::goes_on) {
    ::kill(process_, SIGCONT);
    return;
  }
  // The process group includes the ProxyCommand or jump host of an ssh.
  ::kill(-process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

coro::Task<int> Starter::ended(std::function<void(std::string)> on_line) {
  Lines lines(output_.get(), on_line);
  auto until_its_end = [&](coro::Scope& scope) -> coro::Task<void> {
    scope.start(read_lines(output_.get(), lines));
    co_await process_ended(process_);
    // Another process may keep the output open, such as an ssh that stays as the master of later
    // connections.
    scope.cancel();
  };
  co_await coro::with_scope(until_its_end);
  lines.read_on();
  lines.finish();
  int status = 0;
  ::waitpid(std::exchange(process_, 0), &status, 0);
  co_return status;
}

std::string end_reason(const Host& host, int status, const std::string& program,
                       const std::string& last_line) {
  if (WIFSIGNALED(status)) {
    return fmt::format("{} was ended by signal {}", host.is_local() ? "its agent" : "its ssh",
                       WTERMSIG(status));
  }
  const int code = WEXITSTATUS(status);
  if (code == code_program_missing) {
    return fmt::format("drover is missing on that host. Install it at {}, its path on this host",
                       program);
  }
  if (code == code_ssh_failed && !host.is_local()) {
    return last_line.empty() ? "ssh failed" : last_line;
  }
  return fmt::format("its agent ended with exit code {}{}", code,
                     last_line.empty() ? "" : ": " + last_line);
}

}  // namespace drover::ranks
