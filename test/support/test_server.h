// A real PostgreSQL for tests: made in a new folder under /tmp, reached by a Unix socket only,
// gone with its folder when the object is destroyed. It dies with the thread that started it,
// so that an aborted test leaves no server behind, only a folder.
//
// Making one takes half a second: one for each suite is enough. Not thread-safe; create
// it on a thread that outlives it, as the main one does.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "database/embedded/private_server.h"
#include "support/temporary_folder.h"

namespace drover::test {

class TestServer {
 public:
  // Settings as "NAME=VALUE", added to fsync=off, autovacuum=off and small buffers. Throws
  // ServerError.
  explicit TestServer(const std::vector<std::string>& settings = {});
  ~TestServer();
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  // The same after each start.
  std::string conninfo() const { return server_->conninfo(); }
  const std::filesystem::path& data_root() const { return folder_.path(); }
  pid_t pid() const { return server_->status().pid; }

  // For tests of a server that fails. Both return when it is done.
  void stop(database::embedded::StopMode mode = database::embedded::StopMode::immediate);
  void start();

 private:
  TemporaryFolder folder_;  // outlives the server in it
  std::unique_ptr<database::embedded::PrivateServer> server_;
};

}  // namespace drover::test
