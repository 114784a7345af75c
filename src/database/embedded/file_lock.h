// An advisory lock (flock) between processes, on a file that is made when it is absent and is
// never removed: removing it would let two processes lock two files of one name.
//
// The lock belongs to this object: the kernel drops it when the process dies, however it dies,
// and programs started by us do not inherit it. Not thread-safe.
#pragma once

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>

#include "database/embedded/server_error.h"
#include "file/file_descriptor.h"

namespace drover::database::embedded {

class FileLock {
 public:
  // Opens the file without locking it. Throws ServerError.
  explicit FileLock(const std::filesystem::path& path)
      : path_(path), file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
    if (!file_) throw folder_failure(errno, "cannot open the lock file {}", path.string());
  }

  // Wait until the lock is had. Throw ServerError.
  void lock_exclusive() { lock(LOCK_EX); }
  void lock_shared() { lock(LOCK_SH); }

  // Whether the lock is now held exclusively. At false, a shared lock held before is gone.
  bool try_lock_exclusive() { return lock(LOCK_EX | LOCK_NB); }

 private:
  bool lock(int operation) {
    while (::flock(file_.get(), operation) != 0) {
      if (errno == EWOULDBLOCK) return false;
      if (errno != EINTR) throw system_failure(errno, "cannot lock {}", path_.string());
    }
    return true;
  }

  std::filesystem::path path_;
  file::FileDescriptor file_;
};

}  // namespace drover::database::embedded
