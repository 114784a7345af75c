#include "support/temporary_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace drover::test {

TemporaryFolder::TemporaryFolder() {
  std::string folder = std::string("/tmp/drover-test-") + program_invocation_short_name + "-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr || ::chmod(folder.c_str(), 0711) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot make a folder in /tmp");
  }
  path_ = folder;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace drover::test
