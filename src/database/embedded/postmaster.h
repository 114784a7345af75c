// The process of a running server: postmaster.pid names it, and the process, held by a pidfd, must
// have the data folder as its working folder. So the number in a file that a crash left is not
// mistaken for another process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "file/file_descriptor.h"

namespace drover::database::embedded {

// Thread safety: none.
class Postmaster {
 public:
  // Returns the server that runs over these data. Throws ServerError if the file cannot be read.
  static std::optional<Postmaster> find(const std::filesystem::path& data);

  // Returns a child process that was started as the server over these data.
  static Postmaster of_child(pid_t pid, const std::filesystem::path& data);

  pid_t pid() const { return pid_; }

  // Returns true if the server accepts connections, according to postmaster.pid.
  bool is_ready() const;

  // Waits until the process has ended, and reaps a child. Returns false at the time limit.
  bool wait_for_end(std::chrono::milliseconds limit) const;

  // Sends a signal, unless the process has ended. Throws ServerError.
  void signal(int number) const;

 private:
  Postmaster(pid_t pid, file::FileDescriptor process, std::filesystem::path data);

  pid_t pid_;
  file::FileDescriptor process_;
  std::filesystem::path data_;
};

// Ends the orphaned backends of a server that crashed, which hold its shared memory, and removes
// its postmaster.pid if another process has the number now. Requires that no server runs over these
// data, and the lock of the layout. Throws ServerError.
void clear_after_crash(const std::filesystem::path& data);

}  // namespace drover::database::embedded
