#include "database/embedded/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>

#include "database/embedded/server_error.h"

namespace drover::database::embedded {

FileLock::FileLock(const std::filesystem::path& path)
    : path_(path), file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
  if (!file_) {
    throw folder_error(fmt::format("cannot open the lock file {}", path.string()), errno);
  }
}

void FileLock::lock_exclusive() {
  lock(LOCK_EX);
}
void FileLock::lock_shared() {
  lock(LOCK_SH);
}
bool FileLock::try_lock_exclusive() {
  return lock(LOCK_EX | LOCK_NB);
}
void FileLock::unlock() {
  lock(LOCK_UN);
}

bool FileLock::lock(int operation) {
  while (::flock(file_.get(), operation) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) {
      throw system_error(fmt::format("cannot lock {}", path_.string()), errno);
    }
  }
  return true;
}

}  // namespace drover::database::embedded
