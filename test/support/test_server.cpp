#include "support/test_server.h"

#include <cstdlib>

#include "database/embedded/program.h"

namespace drover::test {
namespace {

namespace fs = std::filesystem;
using database::embedded::parse_setting;
using database::embedded::PrivateServer;
using database::embedded::run_to_end;
using database::embedded::ServerError;
using database::embedded::ServerOptions;
using database::embedded::StopMode;

ServerOptions options_for(const fs::path& data_root, const std::vector<std::string>& settings) {
  ServerOptions options;
  options.data_root = data_root;
  options.scratch = true;
  // Nobody needs rows of the past vacuumed from a database of some minutes.
  for (const char* text :
       {"autovacuum=off", "fsync=off", "synchronous_commit=off", "full_page_writes=off",
        "shared_buffers=128MB", "max_wal_size=1GB", "jit=off"}) {
    options.settings.push_back(parse_setting(text));
  }
  for (const std::string& text : settings) options.settings.push_back(parse_setting(text));
  return options;
}

// Data that ctest has made for all tests (make_cluster). Without them the server makes its own.
void copy_cluster_to(const fs::path& data_root) {
  const char* made = std::getenv("DROVER_TEST_CLUSTER");
  if (made == nullptr || !fs::exists(made)) return;
  const auto copied = run_to_end({"/bin/cp",
                                  {"-a", "--reflink=auto", fs::path(made) / ".", data_root},
                                  database::embedded::own_account(),
                                  ""});
  if (!copied.succeeded()) throw ServerError("cannot copy the cluster: " + copied.output);
}

}  // namespace

TestServer::TestServer(const std::vector<std::string>& settings)
    : server_(std::make_unique<PrivateServer>(options_for(folder_.path(), settings))) {
  copy_cluster_to(folder_.path());
  server_->start();
}

TestServer::~TestServer() {
  try {
    server_->stop(StopMode::immediate);
  } catch (const ServerError&) {  // the test fails by what it saw, not here
  } catch (const fs::filesystem_error&) {
  }
}

void TestServer::stop(StopMode mode) {
  server_->stop(mode);
}
void TestServer::start() {
  server_->start();
}

}  // namespace drover::test
