// A PostgreSQL server of the user's own: made on first use, reached by a Unix socket only, run
// as an unprivileged user, and left running after the process that started it unless a
// ServerLease stops it. Several processes may do everything here at once: starting and stopping
// happen under a lock, and there is never a second server over the same data.
//
// The newest PostgreSQL of the machine is used; each major version has data of its own, so that
// after an upgrade of the system the new version begins with an empty database.
//
// Not thread-safe; objects are cheap, give each thread its own. All but the constructor's look
// at the installation block for as long as the server takes.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "database/embedded/configuration.h"
#include "database/embedded/file_lock.h"
#include "database/embedded/installation.h"
#include "database/embedded/layout.h"
#include "database/embedded/postmaster.h"
#include "database/embedded/program.h"

namespace drover::database::embedded {

struct ServerOptions {
  std::filesystem::path data_root;  // empty: default_data_root()
  // For the start that these options make, and for no later one. A server that runs already
  // keeps those it has.
  std::vector<Setting> settings;
  // Thrown away soon: its data is made without a flush to disk, and it dies with the thread
  // that started it.
  bool scratch = false;
};

enum class StartOutcome { started, already_running };

enum class StopMode {
  fast,       // sessions are ended, then a checkpoint
  immediate,  // as a crash: the next start recovers
};

struct ServerStatus {
  bool running = false;
  bool ready = false;      // accepts connections
  bool on_demand = false;  // stops after its last user
  pid_t pid = 0;           // 0 when it does not run
  std::string version;     // of the installation, "15.8"
  std::filesystem::path data;
  std::filesystem::path log;
  std::string conninfo;
};

class PrivateServer {
 public:
  // Touches nothing. Throws ServerError: no installation, or data of somebody else.
  explicit PrivateServer(ServerOptions options);

  // Starts the server, or finds it running, and returns when it accepts connections. It then
  // runs until it is stopped. Throws ServerError, with the end of the server's log.
  StartOutcome start();

  // Returns when it has ended; false when it did not run. Throws ServerError.
  bool stop(StopMode mode = StopMode::fast);

  ServerStatus status() const;

  // A connection string for libpq, without secrets: there is no password.
  std::string conninfo() const;

  const Installation& installation() const { return installation_; }
  const Layout& layout() const { return layout_; }

  // The parts of the above for who holds the lock already, as ServerLease does. They leave alone
  // the marker of a server on demand.
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

// The private server for as long as this object lives. It is started when it does not run, and
// then stopped again after the last of its users, whichever process that is. A server started
// by PrivateServer::start is only used, and left running.
//
// A user that is killed cannot stop the server; the next one finds it running, and stops it in
// its turn if it was started on demand. Move-only; not thread-safe, but any number of processes
// and objects may hold leases at a time.
class ServerLease {
 public:
  // Returns when the server accepts connections. Throws ServerError.
  static ServerLease acquire(ServerOptions options = {});

  ServerLease(ServerLease&&) noexcept = default;
  ServerLease& operator=(ServerLease&&) = delete;
  // Releases; a failure to stop the server is swallowed, for it goes on being found.
  ~ServerLease();

  // Stops the server if it was started on demand and nobody else uses it. Throws ServerError.
  // A second call does nothing.
  void release();

  std::string conninfo() const { return server_->conninfo(); }
  const PrivateServer& server() const { return *server_; }

  // Whether this lease started the server.
  bool started_it() const { return started_it_; }

 private:
  ServerLease(std::unique_ptr<PrivateServer> server, std::unique_ptr<FileLock> use,
              bool started_it);

  std::unique_ptr<PrivateServer> server_;
  std::unique_ptr<FileLock> use_;  // held shared; null after release
  bool started_it_;
};

}  // namespace drover::database::embedded
