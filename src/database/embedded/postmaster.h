// The running server as its data folder and the kernel tell of it: postmaster.pid says which
// process, and the process itself, held by a pidfd, must live and work in that very folder. A
// file left by a crash whose number now belongs to somebody else is therefore never believed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "file/file_descriptor.h"

namespace drover::database::embedded {

// Move-only; not thread-safe.
class Postmaster {
 public:
  // The server over this data, if one lives. Throws ServerError when the file cannot be read.
  static std::optional<Postmaster> find(const std::filesystem::path& data);

  // A process just started by us as the server over this data.
  static Postmaster of_child(pid_t pid, const std::filesystem::path& data);

  pid_t pid() const { return pid_; }

  // Whether it accepts connections, by what it wrote into postmaster.pid.
  bool is_ready() const;

  // Waits until the process has ended, and reaps it if it is our child. False when it has not
  // ended in that time.
  bool wait_for_end(std::chrono::milliseconds limit) const;

  // Throws ServerError when that is not allowed; a process that has ended is no error.
  void signal(int number) const;

 private:
  Postmaster(pid_t pid, file::FileDescriptor process, std::filesystem::path data);

  pid_t pid_;
  file::FileDescriptor process_;
  std::filesystem::path data_;
};

// Removes what a server that died left behind: ends its orphaned backends, which would keep its
// shared memory from the next one, and a postmaster.pid whose process is now somebody else's.
// Requires that no server lives over this data, and the lock of the layout. Throws ServerError.
void clear_after_crash(const std::filesystem::path& data);

}  // namespace drover::database::embedded
