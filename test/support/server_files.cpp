#include "support/server_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace drover::test {

namespace fs = std::filesystem;
using database::embedded::PrivateServer;
using database::embedded::ServerOptions;

fs::path data_folder(const TestServer& server) {
  for (const auto& entry : fs::directory_iterator(server.data_root())) {
    if (fs::exists(entry.path() / "data" / "pg_hba.conf")) return entry.path() / "data";
  }
  throw std::runtime_error("the server has no data");
}

void run_as_owner(const TestServer& server, const std::string& command) {
  struct stat owner{};
  if (::stat(data_folder(server).c_str(), &owner) != 0) throw std::runtime_error("no data");
  std::string line = "cd / && ";
  if (::geteuid() == 0) {
    line +=
        fmt::format("setpriv --reuid={} --regid={} --clear-groups ", owner.st_uid, owner.st_gid);
  }
  line += command + " >/dev/null 2>&1";
  if (std::system(line.c_str()) != 0) throw std::runtime_error("failed: " + line);
}

std::string program(const TestServer& server, const std::string& name) {
  ServerOptions options;
  options.data_root = server.data_root();
  return PrivateServer(options).installation().program(name);
}

}  // namespace drover::test
