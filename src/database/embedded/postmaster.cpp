#include "database/embedded/postmaster.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "database/embedded/program.h"

namespace drover::database::embedded {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// The lines of postmaster.pid, as PostgreSQL documents them: "Server lock file".
constexpr size_t line_of_pid = 0;
constexpr size_t line_of_status = 7;

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::optional<pid_t> parse_pid(std::string_view text) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc() || end != text.data() + text.size() || pid <= 0) return std::nullopt;
  return pid;
}

fs::path pid_file(const fs::path& data) {
  return data / "postmaster.pid";
}

std::optional<pid_t> recorded_pid(const fs::path& data) {
  const std::vector<std::string> lines = lines_of(pid_file(data));
  if (lines.size() <= line_of_pid) return std::nullopt;
  // The number has a minus sign in single-user mode.
  const std::string_view text = lines[line_of_pid];
  return parse_pid(text.starts_with('-') ? text.substr(1) : text);
}

bool is_same_folder(const fs::path& one, const fs::path& other) {
  struct stat first{};
  struct stat second{};
  return ::stat(one.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

// Each process of PostgreSQL has the data folder as its working folder.
bool works_in(pid_t pid, const fs::path& data) {
  return is_same_folder(fmt::format("/proc/{}/cwd", pid), data);
}

bool has_ended(const file::FileDescriptor& process, milliseconds limit) {
  pollfd waited{process.get(), POLLIN, 0};
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
    const int ready = ::poll(&waited, 1, static_cast<int>(std::max(left, milliseconds(0)).count()));
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR) throw system_failure(errno, "cannot wait for the server's process");
  }
}

// The header of the two pidfd calls cannot be used from C++ in glibc 2.36.
long send_signal(const file::FileDescriptor& process, int number) {
  return ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0);
}

// Returns an empty descriptor if there is no such process. The number of a thread gives EINVAL, or
// ENOENT since Linux 6.9.
file::FileDescriptor open_process(pid_t pid) {
  file::FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const bool nobody = errno == ESRCH || errno == EINVAL || errno == ENOENT;
  if (!process && !nobody) throw system_failure(errno, "cannot watch the process {}", pid);
  return process;
}

// Returns the processes named postgres that work in the folder.
std::vector<pid_t> processes_over(const fs::path& data) {
  std::vector<pid_t> pids;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const std::optional<pid_t> pid = parse_pid(entry.path().filename().string());
    if (!pid || !works_in(*pid, data)) continue;
    const std::vector<std::string> name = lines_of(entry.path() / "comm");
    if (!name.empty() && name.front() == "postgres") pids.push_back(*pid);
  }
  return pids;
}

}  // namespace

Postmaster::Postmaster(pid_t pid, file::FileDescriptor process, fs::path data)
    : pid_(pid), process_(std::move(process)), data_(std::move(data)) {}

std::optional<Postmaster> Postmaster::find(const fs::path& data) {
  struct stat status{};
  if (::stat(pid_file(data).c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    throw system_failure(errno, "cannot read {}", pid_file(data).string());
  }
  const std::optional<pid_t> pid = recorded_pid(data);
  if (!pid) return std::nullopt;
  // Identify the process only after the pidfd holds it.
  file::FileDescriptor process = open_process(*pid);
  if (!process) return std::nullopt;
  Postmaster server(*pid, std::move(process), data);
  // The wait also reaps a child that has ended.
  if (server.wait_for_end(milliseconds(0)) || !works_in(*pid, data)) return std::nullopt;
  return server;
}

Postmaster Postmaster::of_child(pid_t pid, const fs::path& data) {
  // A child keeps its number until it is reaped.
  return Postmaster(pid, open_process(pid), data);
}

bool Postmaster::is_ready() const {
  const std::vector<std::string> lines = lines_of(pid_file(data_));
  return lines.size() > line_of_status && parse_pid(lines[line_of_pid]) == pid_ &&
         lines[line_of_status].starts_with("ready");
}

bool Postmaster::wait_for_end(milliseconds limit) const {
  if (!has_ended(process_, limit)) return false;
  // Fails for the child of another process, which reaps it.
  ::waitpid(pid_, nullptr, WNOHANG);
  return true;
}

void Postmaster::signal(int number) const {
  if (send_signal(process_, number) != 0 && errno != ESRCH) {
    throw system_failure(errno, "cannot signal the server, process {}", pid_);
  }
}

void clear_after_crash(const fs::path& data) {
  for (const pid_t pid : processes_over(data)) {
    const file::FileDescriptor process = open_process(pid);
    if (!process || !works_in(pid, data)) continue;
    // An immediate shutdown of the server sends SIGQUIT, too.
    send_signal(process, SIGQUIT);
    if (has_ended(process, std::chrono::seconds(5))) continue;
    send_signal(process, SIGKILL);
    if (!has_ended(process, std::chrono::seconds(5))) {
      throw ServerError(
          fmt::format("the process {} of a crashed server still uses {} and has not ended after "
                      "SIGKILL. End the process or restart the machine",
                      pid, data.string()));
    }
  }
  const std::optional<pid_t> pid = recorded_pid(data);
  // The server itself removes the file if no process has the number.
  if (pid && ::kill(*pid, 0) == 0) {
    std::error_code error;
    fs::remove(pid_file(data), error);
    if (error) throw system_failure(error.value(), "cannot remove a stale postmaster.pid");
  }
}

}  // namespace drover::database::embedded
