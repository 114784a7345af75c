// An advisory lock (flock) between processes, on a file that is made when it is absent and is
// never removed: removing it would let two processes lock two files of one name.
//
// The lock belongs to this object: the kernel drops it when the process dies, however it dies,
// and programs started by us do not inherit it. Not thread-safe.
#pragma once

#include <filesystem>

#include "database/embedded/file_descriptor.h"

namespace drover::database::embedded {

class FileLock {
 public:
  // Opens the file without locking it. Throws ServerError.
  explicit FileLock(const std::filesystem::path& path);

  // Wait until the lock is had. Throw ServerError.
  void lock_exclusive();
  void lock_shared();

  // Whether the lock is now held exclusively. At false, a shared lock held before is gone.
  bool try_lock_exclusive();

  void unlock();

 private:
  bool lock(int operation);

  std::filesystem::path path_;
  FileDescriptor file_;
};

}  // namespace drover::database::embedded
