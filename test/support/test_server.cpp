#include "support/test_server.h"

#include "database/embedded/server_error.h"

namespace drover::test {
namespace {

namespace fs = std::filesystem;
using database::embedded::parse_setting;
using database::embedded::PrivateServer;
using database::embedded::ServerError;
using database::embedded::ServerOptions;
using database::embedded::StopMode;

ServerOptions options_for(const fs::path& data_root, const std::vector<std::string>& settings) {
  ServerOptions options;
  options.data_root = data_root;
  options.scratch = true;
  for (const char* text : {"fsync=off", "synchronous_commit=off", "full_page_writes=off",
                           "shared_buffers=128MB", "max_wal_size=1GB"}) {
    options.settings.push_back(parse_setting(text));
  }
  for (const std::string& text : settings) options.settings.push_back(parse_setting(text));
  return options;
}

}  // namespace

TestServer::TestServer(const std::vector<std::string>& settings)
    : server_(std::make_unique<PrivateServer>(options_for(folder_.path(), settings))) {
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
