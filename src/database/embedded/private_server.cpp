#include "database/embedded/private_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <system_error>
#include <utility>

#include "database/embedded/cluster.h"
#include "database/embedded/program.h"
#include "database/embedded/server_error.h"
#include "database/embedded/server_log.h"

namespace drover::database::embedded {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::minutes;

// Recovery after a crash reads up to max_wal_size of log, and a fast stop writes all of the
// shared buffers: both may take minutes on a slow disk.
constexpr minutes start_limit{10};
constexpr minutes stop_limit{10};

// How often a starting server is asked whether it is ready; its death is noticed at once.
constexpr milliseconds ready_interval{20};

void write_whole(const FileDescriptor& file, const fs::path& path, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw system_error(fmt::format("cannot write {}", path.string()), errno);
    text.remove_prefix(static_cast<size_t>(count));
  }
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
  const FileDescriptor log = open_log(layout_);
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
      "the private server, process {}, has not stopped within {} minutes; its log is {}",
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
  const FileDescriptor file(
      ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file) throw system_error(fmt::format("cannot write {}", unfinished.string()), errno);
  // Whatever our umask says: the account of the server reads it.
  if (::fchmod(file.get(), 0644) != 0) {
    throw system_error(fmt::format("cannot write {}", unfinished.string()), errno);
  }
  write_whole(file, unfinished, configuration_text(memory_bytes_of_machine(), options_.settings));
  if (::rename(unfinished.c_str(), path.c_str()) != 0) {
    throw system_error(fmt::format("cannot write {}", path.string()), errno);
  }
}

// No server lives over the data, so that a socket here is a dead one's; the lock file beside it
// would stop the server if its number lived again as something else.
void PrivateServer::remove_stale_sockets() const {
  const std::string socket = (socket_folder_ / fmt::format(".s.PGSQL.{}", server_port)).string();
  for (const fs::path& path : {fs::path(socket), fs::path(socket + ".lock")}) {
    std::error_code error;
    fs::remove(path, error);
    if (error) throw system_error(fmt::format("cannot remove {}", path.string()), error.value());
  }
}

Postmaster PrivateServer::launch_server(int log_file) const {
  // On the command line, where no file of settings can undo them.
  const Program server{installation_.program("postgres"),
                       {"-D", layout_.data().string(), "-k", socket_folder_.string(), "-p",
                        fmt::format("{}", server_port), "-c", "listen_addresses="},
                       account_,
                       ""};
  const pid_t pid = launch(server, {.output_file = log_file, .dies_with_caller = options_.scratch});
  return Postmaster::of_child(pid, layout_.data());
}

void PrivateServer::wait_until_ready(const Postmaster& server, uintmax_t log_start) const {
  const auto deadline = std::chrono::steady_clock::now() + start_limit;
  while (!server.is_ready()) {
    if (server.wait_for_end(ready_interval)) {
      throw ServerError(fmt::format("the private server did not start; the end of its log, {}:\n{}",
                                    layout_.log().string(), log_tail(layout_, log_start)));
    }
    if (std::chrono::steady_clock::now() > deadline) {
      throw ServerError(fmt::format(
          "the private server, process {}, does not accept connections after {} minutes and is "
          "left alone; the end of its log, {}:\n{}",
          server.pid(), start_limit.count(), layout_.log().string(), log_tail(layout_, log_start)));
    }
  }
}

}  // namespace drover::database::embedded
