// Finds the PostgreSQL programs on this machine. The server's package of Debian keeps them out
// of PATH, one folder a major version.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace drover::database::embedded {

struct Installation {
  std::filesystem::path bin_folder;
  int major = 0;
  int minor = 0;
  std::string version;  // "15.8"

  std::filesystem::path program(std::string_view name) const { return bin_folder / name; }
};

// The newest of the folders that hold `postgres` and `initdb`; of equals the first.
// Throws ServerError, naming the package to install, when no folder does.
Installation newest_installation(const std::vector<std::filesystem::path>& bin_folders);

// The newest PostgreSQL of this machine, or the one in $DROVER_PG_BINDIR when that is set.
// Throws ServerError.
Installation find_installation();

// The psql of the installation, or, as programs packed to be embedded have none, another one of this machine: each
// speaks to servers of any version. Throws ServerError.
std::filesystem::path find_psql(const Installation& installation);

}  // namespace drover::database::embedded
