#include "database/embedded/private_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "database/embedded/program.h"
#include "file/file_descriptor.h"

namespace drover::database::embedded {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::minutes;

// Recovery reads up to max_wal_size of WAL, and a fast stop writes all shared buffers, which may
// take minutes on a slow disk.
constexpr minutes start_limit{10};
constexpr minutes stop_limit{10};

// The interval between the questions whether the server is ready. Its death is noticed at once.
constexpr milliseconds ready_interval{20};

// A cluster is created in a folder with this prefix, which is renamed when the cluster is complete.
// The next start removes the folder of a killed initdb.
constexpr std::string_view unfinished_prefix = "data.new-";

void remove_unfinished(const Layout& layout) {
  for (const fs::directory_entry& entry : fs::directory_iterator(layout.base)) {
    if (!entry.path().filename().string().starts_with(unfinished_prefix)) continue;
    std::error_code error;
    fs::remove_all(entry.path(), error);
    if (error) {
      throw system_failure(error.value(),
                           "cannot remove {}, an incomplete folder of an earlier initdb",
                           entry.path().string());
    }
  }
}

fs::path make_unfinished(const Layout& layout, const Account& account) {
  std::string folder = (layout.base / fmt::format("{}XXXXXX", unfinished_prefix)).string();
  if (::mkdtemp(folder.data()) == nullptr ||
      (account.uid != ::geteuid() && ::chown(folder.c_str(), account.uid, account.gid) != 0)) {
    throw system_failure(errno, "cannot make a folder in {}", layout.base.string());
  }
  return folder;
}

void run_or_throw(const Program& program, std::string_view doing) {
  const ProgramResult result = run_to_end(program);
  if (result.succeeded()) return;
  throw ServerError(fmt::format("cannot {}: {} ended with exit code {}. Its output:\n{}", doing,
                                program.executable.string(), result.exit_code, result.output));
}

// The socket's folder is closed to other users, so that local connections need no password.
// Locale C sorts in the same way on each machine.
void run_initdb(const Installation& installation, const fs::path& folder, const Account& account,
                bool durable) {
  Program initdb{installation.program("initdb"),
                 {"--pgdata=" + folder.string(), "--username=drover", "--auth-local=trust",
                  "--auth-host=reject", "--locale=C", "--encoding=UTF8"},
                 account};
  // Published figures of other tools are without checksums. Older versions have none by default.
  if (installation.major >= 18) initdb.arguments.emplace_back("--no-data-checksums");
  if (!durable) initdb.arguments.emplace_back("--no-sync");
  run_or_throw(initdb, "create the data folder of the private server");
}

void make_database(const Installation& installation, const fs::path& folder, const Account& account,
                   bool durable) {
  Program single{installation.program("postgres"),
                 {"--single", "-D", folder.string(), "-c", "exit_on_error=on", "-c",
                  fmt::format("fsync={}", durable ? "on" : "off"), "postgres"},
                 account,
                 "CREATE DATABASE drover;\n"};
  run_or_throw(single, "create the database of the private server");
}

void include_our_configuration(const fs::path& folder) {
  const fs::path path = folder / "postgresql.conf";
  const file::FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
  // A relative path, so that the folder may be moved.
  constexpr std::string_view text = "\n# The settings of drover.\ninclude = '../drover.conf'\n";
  if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      ::fsync(file.get()) != 0) {
    throw system_failure(errno, "cannot write {}", path.string());
  }
}

void give_its_name(const fs::path& folder, const Layout& layout) {
  if (::rename(folder.c_str(), layout.data().c_str()) != 0) {
    throw system_failure(errno, "cannot rename {} to {}", folder.string(), layout.data().string());
  }
  const file::FileDescriptor base(::open(layout.base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (base) ::fsync(base.get());
}

// Creates the cluster unless it exists. Requires the lock of the layout and its folders. Without
// `durable`, nothing is flushed to disk. Throws ServerError.
void ensure_cluster(const Installation& installation, const Layout& layout, const Account& account,
                    bool durable) {
  remove_unfinished(layout);
  if (fs::exists(layout.data())) {
    if (fs::exists(layout.data() / "PG_VERSION")) return;
    throw ServerError(
        fmt::format("the folder {} exists but has no PostgreSQL data. Move the folder away, and "
                    "drover creates a new one",
                    layout.data().string()));
  }
  const fs::path folder = make_unfinished(layout, account);
  try {
    run_initdb(installation, folder, account, durable);
    make_database(installation, folder, account, durable);
    include_our_configuration(folder);
    give_its_name(folder, layout);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    throw;
  }
}

void write_whole(const file::FileDescriptor& file, const fs::path& path, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw system_failure(errno, "cannot write {}", path.string());
    text.remove_prefix(static_cast<size_t>(count));
  }
}

// Each start appends to the log. A log that is longer than this is renamed first.
constexpr uintmax_t log_bytes_max = 16 * 1024 * 1024;
constexpr size_t tail_lines_max = 20;
constexpr uintmax_t tail_bytes_max = 16 * 1024;

uintmax_t log_size(const Layout& layout) {
  std::error_code error;
  const uintmax_t size = fs::file_size(layout.log(), error);
  return error ? 0 : size;
}

file::FileDescriptor open_log(const Layout& layout) {
  std::error_code ignored;
  if (log_size(layout) > log_bytes_max) fs::rename(layout.log(), layout.previous_log(), ignored);
  file::FileDescriptor log(
      ::open(layout.log().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!log) throw folder_failure(errno, "cannot open the server's log {}", layout.log().string());
  return log;
}

// Returns the last lines of the log after the offset.
std::string log_tail(const Layout& layout, uintmax_t from) {
  const uintmax_t size = log_size(layout);
  std::ifstream file(layout.log());
  file.seekg(static_cast<std::streamoff>(std::max(from, size - std::min(size, tail_bytes_max))));
  std::deque<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
    if (lines.size() > tail_lines_max) lines.pop_front();
  }
  std::string text;
  for (const std::string& line : lines) text += "  " + line + "\n";
  if (!text.empty()) text.pop_back();
  return text.empty() ? "  (nothing)" : text;
}

void mark_on_demand(const Layout& layout) {
  const fs::path path = layout.on_demand();
  const file::FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file) throw system_failure(errno, "cannot make {}", path.string());
}

}  // namespace

PrivateServer::PrivateServer(ServerOptions options)
    : options_(std::move(options)),
      installation_(find_installation()),
      layout_(layout_of(options_.data_root, installation_.major)),
      account_(account_of_cluster(layout_)),
      socket_folder_(layout_.socket_folder(account_)) {}

std::string PrivateServer::conninfo() const {
  return fmt::format("host={} port={} user=drover dbname=drover", socket_folder_.string(),
                     server_port);
}

FileLock PrivateServer::lock() {
  make_folders(layout_, account_);
  FileLock lock(layout_.lock());
  lock.lock_exclusive();
  return lock;
}

StartOutcome PrivateServer::start() {
  const FileLock held = lock();
  const StartOutcome outcome = start_under(held);
  fs::remove(layout_.on_demand());
  return outcome;
}

StartOutcome PrivateServer::start_under(const FileLock&) {
  if (const std::optional<Postmaster> server = Postmaster::find(layout_.data())) {
    wait_until_ready(*server, log_size(layout_));
    return StartOutcome::already_running;
  }
  ensure_cluster(installation_, layout_, account_, !options_.scratch);
  clear_after_crash(layout_.data());
  make_socket_folder(socket_folder_, account_);
  remove_stale_sockets();
  write_configuration();
  const file::FileDescriptor log = open_log(layout_);
  const uintmax_t log_start = log_size(layout_);
  wait_until_ready(launch_server(log.get()), log_start);
  return StartOutcome::started;
}

bool PrivateServer::stop(StopMode mode) {
  if (!fs::exists(layout_.base)) return false;
  const FileLock held = lock();
  const bool ran = stop_under(held, mode);
  fs::remove(layout_.on_demand());
  return ran;
}

bool PrivateServer::stop_under(const FileLock&, StopMode mode) {
  const std::optional<Postmaster> server = Postmaster::find(layout_.data());
  if (!server) return false;
  server->signal(mode == StopMode::fast ? SIGINT : SIGQUIT);
  if (server->wait_for_end(stop_limit)) return true;
  throw ServerError(fmt::format(
      "the private server, process {}, has not stopped within {} minutes. Its log is {}",
      server->pid(), stop_limit.count(), layout_.log().string()));
}

ServerStatus PrivateServer::status() const {
  ServerStatus status;
  status.version = installation_.version;
  status.data = layout_.data();
  status.log = layout_.log();
  status.conninfo = conninfo();
  if (const std::optional<Postmaster> server = Postmaster::find(layout_.data())) {
    status.running = true;
    status.pid = server->pid();
    status.ready = server->is_ready();
    status.on_demand = fs::exists(layout_.on_demand());
  }
  return status;
}

void PrivateServer::write_configuration() const {
  const fs::path path = layout_.configuration();
  const fs::path unfinished = path.string() + ".new";
  const file::FileDescriptor file(
      ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  // The server's account reads the file.
  if (!file || ::fchmod(file.get(), 0644) != 0) {
    throw system_failure(errno, "cannot write {}", unfinished.string());
  }
  write_whole(file, unfinished, configuration_text(memory_bytes_of_machine(), options_.settings));
  if (::rename(unfinished.c_str(), path.c_str()) != 0) {
    throw system_failure(errno, "cannot write {}", path.string());
  }
}

// Requires that no server runs over the data. The lock file of a dead server's socket would stop
// the new one if another process had got the same number.
void PrivateServer::remove_stale_sockets() const {
  const std::string socket = (socket_folder_ / fmt::format(".s.PGSQL.{}", server_port)).string();
  for (const fs::path& path : {fs::path(socket), fs::path(socket + ".lock")}) {
    std::error_code error;
    fs::remove(path, error);
    if (error) throw system_failure(error.value(), "cannot remove {}", path.string());
  }
}

Postmaster PrivateServer::launch_server(int log_file) const {
  // Options of the command line override the configuration file.
  const Program server{installation_.program("postgres"),
                       {"-D", layout_.data().string(), "-k", socket_folder_.string(), "-p",
                        fmt::format("{}", server_port), "-c", "listen_addresses="},
                       account_};
  const pid_t pid = launch(server, {.output_file = log_file, .dies_with_caller = options_.scratch});
  return Postmaster::of_child(pid, layout_.data());
}

void PrivateServer::wait_until_ready(const Postmaster& server, uintmax_t log_start) const {
  const auto deadline = std::chrono::steady_clock::now() + start_limit;
  while (!server.is_ready()) {
    if (server.wait_for_end(ready_interval)) {
      throw ServerError(fmt::format("the private server did not start. The end of its log, {}:\n{}",
                                    layout_.log().string(), log_tail(layout_, log_start)));
    }
    if (std::chrono::steady_clock::now() > deadline) {
      throw ServerError(fmt::format(
          "the private server, process {}, does not accept connections after {} minutes. Drover "
          "leaves it running. The end of its log, {}:\n{}",
          server.pid(), start_limit.count(), layout_.log().string(), log_tail(layout_, log_start)));
    }
  }
}

ServerLease::ServerLease(std::unique_ptr<PrivateServer> server, std::unique_ptr<FileLock> use,
                         bool started_it)
    : server_(std::move(server)), use_(std::move(use)), started_it_(started_it) {}

ServerLease ServerLease::acquire(ServerOptions options) {
  auto server = std::make_unique<PrivateServer>(std::move(options));
  const FileLock held = server->lock();
  const bool was_running = server->status().running;
  // The mark comes first: a process that is killed after it leaves either a mark without a server,
  // which has no effect, or a server that the next lease stops.
  if (!was_running) mark_on_demand(server->layout());
  server->start_under(held);
  auto use = std::make_unique<FileLock>(server->layout().use());
  // Does not wait: an exclusive holder also holds the lock of the layout.
  use->lock_shared();
  return ServerLease(std::move(server), std::move(use), !was_running);
}

ServerLease::~ServerLease() {
  try {
    release();
  } catch (const ServerError&) {
  } catch (const std::filesystem::filesystem_error&) {
  }
}

void ServerLease::release() {
  if (!use_) return;
  const std::unique_ptr<FileLock> use = std::move(use_);
  const FileLock held = server_->lock();
  if (!use->try_lock_exclusive()) return;
  if (!std::filesystem::exists(server_->layout().on_demand())) return;
  server_->stop_under(held, StopMode::fast);
  std::filesystem::remove(server_->layout().on_demand());
}

}  // namespace drover::database::embedded
