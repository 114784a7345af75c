// The private PostgreSQL server of a user: created on first use, reachable only by a Unix socket,
// executed as an unprivileged user. It continues to run after the process that started it, unless a
// ServerLease stops it. Several processes may start and stop it at the same time: they hold a lock,
// and there is never a second server over the same data.
//
// The newest PostgreSQL of the machine is used. Each major version has its own data.
//
// Thread safety: none; use an object for each thread. Functions block until the server has started
// or stopped.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "database/embedded/layout.h"
#include "database/embedded/postmaster.h"
#include "database/embedded/program.h"

namespace drover::database::embedded {

struct ServerOptions {
  std::filesystem::path data_root;  // empty: default_data_root()
  // Settings of the next start only. A running server keeps its settings.
  std::vector<Setting> settings;
  // A temporary server: its data are created without a flush to disk, and it dies with the thread
  // that started it.
  bool scratch = false;
};

enum class StartOutcome { started, already_running };

enum class StopMode {
  fast,       // ends the sessions and writes a checkpoint
  immediate,  // like a crash: the next start recovers
};

struct ServerStatus {
  bool running = false;
  bool ready = false;      // accepts connections
  bool on_demand = false;  // the server stops after its last user
  pid_t pid = 0;           // 0: not running
  std::string version;     // of the installation, "15.8"
  std::filesystem::path data;
  std::filesystem::path log;
  std::string conninfo;
};

class PrivateServer {
 public:
  // Throws ServerError if there is no installation, or if the data belong to another user.
  explicit PrivateServer(ServerOptions options);

  // Starts the server unless it runs, and waits until it accepts connections. Throws ServerError,
  // with the end of the server's log.
  StartOutcome start();

  // Stops the server and waits for its end. Returns false if it did not run. Throws ServerError.
  bool stop(StopMode mode = StopMode::fast);

  ServerStatus status() const;

  // Returns a connection string. There is no password.
  std::string conninfo() const;

  const Installation& installation() const { return installation_; }
  const Layout& layout() const { return layout_; }

  // Start and stop for a caller that holds the lock. They leave the file on-demand unchanged.
  FileLock lock();
  StartOutcome start_under(const FileLock& held);
  bool stop_under(const FileLock& held, StopMode mode);

 private:
  void write_configuration() const;
  void remove_stale_sockets() const;
  Postmaster launch_server(int log_file) const;
  void wait_until_ready(const Postmaster& server, uintmax_t log_start) const;

  ServerOptions options_;
  Installation installation_;
  Layout layout_;
  Account account_;
  std::filesystem::path socket_folder_;
};

// A right to use the private server. The first lease starts the server unless it runs, and the last
// lease of all processes then stops it. A server that PrivateServer::start() started continues to
// run.
//
// A process that is killed cannot stop the server; the next lease stops it then. Thread safety:
// none, but processes and objects may hold leases at the same time.
class ServerLease {
 public:
  // Waits until the server accepts connections. Throws ServerError.
  static ServerLease acquire(ServerOptions options = {});

  ServerLease(ServerLease&&) noexcept = default;
  ServerLease& operator=(ServerLease&&) = delete;
  // Releases the lease. Ignores a failure to stop the server, because the next lease finds it.
  ~ServerLease();

  // Stops the server if a lease started it and no other lease is left. A second call does nothing.
  // Throws ServerError.
  void release();

  std::string conninfo() const { return server_->conninfo(); }
  const PrivateServer& server() const { return *server_; }

  // Returns true if this lease started the server.
  bool started_it() const { return started_it_; }

 private:
  ServerLease(std::unique_ptr<PrivateServer> server, std::unique_ptr<FileLock> use,
              bool started_it);

  std::unique_ptr<PrivateServer> server_;
  std::unique_ptr<FileLock> use_;  // held shared; null after release
  bool started_it_;
};

}  // namespace drover::database::embedded
