// A new folder under /tmp, removed with all in it at the end. Other users may pass through it,
// as the server's account must when the tests run as root.
#pragma once

#include <filesystem>

namespace drover::test {

class TemporaryFolder {
 public:
  // Throws std::system_error.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace drover::test
