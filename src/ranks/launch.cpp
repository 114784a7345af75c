#include "ranks/launch.h"

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
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "coro/deadline.h"
#include "coro/fd_watch.h"
#include "coro/scope.h"
#include "coro/worker.h"

namespace drover::ranks {
namespace {

constexpr size_t address_bytes_max = 253;  // of a name in DNS

bool is_address(std::string_view text) {
  const auto is_usual = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '.' || letter == '-' || letter == '_';
  };
  return text.size() <= address_bytes_max && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), is_usual);
}

void check_address(std::string_view address, std::string_view all) {
  if (address.empty()) {
    throw std::invalid_argument(fmt::format(
        "a host's name is empty in '{}'; expected names with commas between, such as a,b,c", all));
  }
  if (!is_address(address)) {
    throw std::invalid_argument(
        fmt::format("'{}' is no host's name: expected letters, digits, '.', '-' and '_'; a user, "
                    "a port or an address of IPv6 belongs into ~/.ssh/config, "
                    "and a host that has two ranks is named twice",
                    address));
  }
}

}  // namespace

std::vector<Host> parse_hosts(std::string_view text) {
  std::vector<Host> hosts;
  std::map<std::string, int> times;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string address(text.substr(begin, end - begin));
    check_address(address, text);
    const int time = ++times[address];
    hosts.push_back({address, time == 1 ? address : fmt::format("{}#{}", address, time)});
    begin = end + 1;
  }
  if (hosts.size() > hosts_max) {
    throw std::invalid_argument(
        fmt::format("{} hosts are named; at most {} can be", hosts.size(), hosts_max));
  }
  return hosts;
}

namespace {

void add_setting(std::vector<std::string>& words, const char* name, const std::string& value) {
  if (std::getenv(fmt::format("OMPI_MCA_{}", name).c_str()) != nullptr) return;
  words.insert(words.end(), {"--mca", name, value});
}

void add_settings(std::vector<std::string>& words, const std::string& run) {
  // On each host, and gone at the end. By default all launches of a user have one, and of two that begin together one
  // may end: it looked whether it is there, and made it when the other had.
  const char* base = std::getenv("OMPI_MCA_orte_tmpdir_base");
  add_setting(words, "orte_top_session_dir",
              fmt::format("{}/drover-mpi.{}", base != nullptr ? base : "/tmp", run));
  // Each daemon is started by mpirun and talks to it alone. Else those of more than 64 hosts are a tree, in which a host
  // that is lost takes others with it, and each needs an ssh to others.
  add_setting(words, "routed", "direct");
  add_setting(words, "plm_rsh_no_tree_spawn", "1");
  // A host without an answer is given up after 25 s: when the members, which see it sooner, have ended in order.
  add_setting(words, "oob_tcp_keepalive_time", "10");
  add_setting(words, "oob_tcp_keepalive_intvl", "5");
  add_setting(words, "oob_tcp_keepalive_probes", "3");
  // From being asked to end to SIGTERM, and from that to SIGKILL.
  add_setting(words, "odls_base_sigkill_timeout", "3");
  // Nobody is there to be asked for a password. A host without an answer is to end ssh, too.
  if (std::getenv("OMPI_MCA_plm_rsh_agent") == nullptr) {
    add_setting(
        words, "plm_rsh_args",
        "-o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=5 -o ServerAliveCountMax=3");
  }
}

}  // namespace

std::vector<std::string> mpirun_words(const LaunchRequest& request) {
  std::string hosts;
  for (const Host& host : request.hosts) hosts += (hosts.empty() ? "" : ",") + host.address;
  std::vector<std::string> words = {"mpirun", "--host",    hosts,  "--map-by",
                                    "seq",    "--bind-to", "none", "--enable-recovery"};
  if (::geteuid() == 0) words.emplace_back("--allow-run-as-root");
  add_settings(words, request.run);
  // What it makes of the names by default has no "_", and then it starts nothing.
  if (hosts.find('_') != std::string::npos) add_setting(words, "regx", "reverse");
  for (const std::string& name : request.environment) words.insert(words.end(), {"-x", name});
  words.push_back(request.program.string());
  words.insert(words.end(), request.words.begin(), request.words.end());
  return words;
}

namespace {

struct Pipe {
  file::FileDescriptor ours;
  file::FileDescriptor its;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  }
  return {file::FileDescriptor(ends[0]), file::FileDescriptor(ends[1])};
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> environment = variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    const bool is_replaced = std::any_of(
        variables.begin(), variables.end(),
        [&](std::string_view added) { return added.substr(0, added.find('=')) == name; });
    if (!is_replaced) environment.emplace_back(text);
  }
  return environment;
}

// Made before the fork: between that and exec no memory may be allocated.
struct Child {
  char* const* words;
  char* const* environment;
  int nothing;
  int output;
  int failure;  // closed by exec, or gets an errno
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
  ::dup2(child.nothing, STDIN_FILENO);
  ::dup2(child.output, STDOUT_FILENO);
  ::dup2(child.output, STDERR_FILENO);
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() == child.parent) ::execvpe(child.words[0], child.words, child.environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(child.failure, &error, sizeof error);
  ::_exit(127);
}

std::string end_text(int status) {
  if (WIFSIGNALED(status)) return fmt::format("was ended by signal {}", WTERMSIG(status));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

// Its end, whoever takes its status.
coro::Task<void> process_ended(pid_t process) {
  const file::FileDescriptor file(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  coro::FdWatch watch(file.get());
  co_await watch.ready(coro::Readiness::read);
}

class Lines {
 public:
  Lines(int file, const std::function<void(std::string)>& on_line)
      : file_(file), on_line_(on_line) {}

  // What is there now; false at the end of the file.
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
      } else if (line_.size() < Launch::line_bytes_max) {
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

// The session that a process is of; 0 if it has ended.
pid_t session_of(const std::filesystem::path& process) {
  std::ifstream file(process / "stat");
  const std::string stat{std::istreambuf_iterator<char>(file), {}};
  // Behind its name, which may hold anything: state, parent, group, session.
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(stat.substr(name_end + 1));
  char state = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  fields >> state >> parent >> group >> session;
  return state == 'Z' ? 0 : session;
}

// What mpirun leaves behind on this host if it is killed: a member, or an ssh to a host that does not answer.
void kill_session(pid_t session) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    const bool is_process = std::all_of(name.begin(), name.end(),
                                        [](char digit) { return digit >= '0' && digit <= '9'; });
    if (is_process && session_of(entry.path()) == session) ::kill(std::stoi(name), SIGKILL);
  }
}

}  // namespace

Launch::Launch(const std::vector<std::string>& words, const std::vector<std::string>& variables) {
  std::vector<std::string> own_words = words;
  std::vector<std::string> environment = environment_with(variables);
  const std::vector<char*> word_pointers = pointers_to(own_words);
  const std::vector<char*> environment_pointers = pointers_to(environment);
  const file::FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Pipe output = make_pipe();
  Pipe failure = make_pipe();
  const Child child{word_pointers.data(), environment_pointers.data(), nothing.get(),
                    output.its.get(),     failure.its.get(),           ::getpid()};
  process_ = ::fork();
  if (process_ == 0) run_child(child);
  int error = process_ < 0 ? errno : 0;
  failure.its.reset();
  if (process_ > 0 && ::read(failure.ours.get(), &error, sizeof error) > 0) {
    ::waitpid(std::exchange(process_, 0), nullptr, 0);
  }
  if (error != 0) {
    throw std::runtime_error(
        fmt::format("cannot start {}: {}; --hosts needs Open MPI on this host and on those "
                    "(Debian: apt install openmpi-bin)",
                    words.front(), std::strerror(error)));
  }
  output_ = std::move(output.ours);
  ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
}

Launch::~Launch() {
  if (process_ <= 0) return;
  kill_session(process_);
  ::waitpid(process_, nullptr, 0);
}

coro::Task<LaunchEnd> Launch::ended(std::function<void(std::string)> on_line) {
  const pid_t process = process_;
  Lines lines(output_.get(), on_line);
  auto until_its_end = [&](coro::Scope& scope) -> coro::Task<void> {
    scope.start(read_lines(output_.get(), lines));
    co_await process_ended(process);
    // Others may have its output open for longer: an ssh to a host that is lost.
    scope.cancel();
  };
  co_await coro::with_scope(until_its_end);
  lines.read_on();
  lines.finish();
  kill_session(process);
  int status = 0;
  ::waitpid(process, &status, 0);
  process_ = 0;
  co_return LaunchEnd{end_text(status), WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

coro::Task<void> Launch::end_by_itself(coro::Duration patience) {
  if (process_ == 0) co_return;
  try {
    co_await coro::with_deadline(coro::Worker::current().now() + patience, process_ended(process_));
  } catch (const coro::DeadlineExceeded&) {
  }
}

coro::Task<void> Launch::end(coro::Duration patience) {
  if (process_ == 0) co_return;
  const pid_t process = process_;
  ::kill(process, SIGTERM);
  try {
    co_await coro::with_deadline(coro::Worker::current().now() + patience, process_ended(process));
    co_return;
  } catch (const coro::DeadlineExceeded&) {
    if (process_ != 0) ::kill(process, SIGKILL);
  }
}

void end_daemon_of_launch() {
  const pid_t parent = ::getppid();
  std::ifstream file(fmt::format("/proc/{}/comm", parent));
  std::string name;
  std::getline(file, name);
  if (name == "orted" || name == "prted") ::kill(parent, SIGTERM);
}

}  // namespace drover::ranks
