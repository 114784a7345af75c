// The private server for as long as this object lives. It is started when it does not run, and
// then stopped again after the last of its users, whichever process that is. A server started
// by PrivateServer::start is only used, and left running.
//
// A user that is killed cannot stop the server; the next one finds it running, and stops it in
// its turn if it was started on demand. Move-only; not thread-safe, but any number of processes
// and objects may hold leases at a time.
#pragma once

#include <memory>
#include <string>

#include "database/embedded/file_lock.h"
#include "database/embedded/private_server.h"

namespace drover::database::embedded {

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
