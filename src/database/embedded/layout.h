// The files and the settings of the private server:
//
//   <root>/postgresql-<major>/data       the cluster, owned by the server's account
//                            /run        the Unix socket, mode 0700, of the same account
//                            /log/server.log, server.log.1
//                            /drover.conf     Drover's settings, included from data/postgresql.conf
//                            /lock       held by a process that starts or stops the server
//                            /use        held shared by each process that uses the server
//                            /on-demand  exists if the server stops after its last user
//
// Root writes only to folders that root alone can change, so that the server's account cannot
// redirect it by a symbolic link. Thread safety: any thread; a FileLock belongs to one thread.
#pragma once

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "database/embedded/program.h"
#include "file/file_descriptor.h"

namespace drover::database::embedded {

struct Layout {
  std::filesystem::path base;  // absolute, <root>/postgresql-<major>

  std::filesystem::path data() const { return base / "data"; }
  std::filesystem::path log_folder() const { return base / "log"; }
  std::filesystem::path log() const { return log_folder() / "server.log"; }
  std::filesystem::path previous_log() const { return log_folder() / "server.log.1"; }
  std::filesystem::path configuration() const { return base / "drover.conf"; }
  std::filesystem::path lock() const { return base / "lock"; }
  std::filesystem::path use() const { return base / "use"; }
  std::filesystem::path on_demand() const { return base / "on-demand"; }

  // Returns <base>/run. If this path is too long for a socket (107 bytes) or needs quoting in a
  // connection string, returns /tmp/drover-<uid>-<hash>.
  std::filesystem::path socket_folder(const Account& account) const;
};

inline constexpr int server_port = 5432;  // only a part of the socket's name: there is no TCP

// Returns $DROVER_DATA_HOME, else for root /var/lib/drover, else $XDG_DATA_HOME/drover, else
// ~/.local/share/drover. Throws ServerError if HOME is not set.
std::filesystem::path default_data_root();

// Returns the layout below `root` (empty: the default root). Throws ServerError.
Layout layout_of(const std::filesystem::path& root, int major);

// Returns the owner of the data, or the account for a new server if there are no data. Throws
// ServerError if the caller cannot run programs as the owner.
Account account_of_cluster(const Layout& layout);

// Creates all folders except the data, usable by the account. Throws ServerError.
void make_folders(const Layout& layout, const Account& account);

// Creates the folder of the socket. An existing folder must belong to the account, and loses the
// access of other users. Throws ServerError.
void make_socket_folder(const std::filesystem::path& folder, const Account& account);

// An advisory lock (flock) between processes. Its file is created if it is missing and never
// removed, because two processes could then lock two files of one name. The kernel releases the
// lock when the process ends; started programs do not inherit it.
class FileLock {
 public:
  // Opens the file without locking it. Throws ServerError.
  explicit FileLock(const std::filesystem::path& path)
      : path_(path), file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
    if (!file_) throw folder_failure(errno, "cannot open the lock file {}", path.string());
  }

  // Wait for the lock. Throw ServerError.
  void lock_exclusive() { lock(LOCK_EX); }
  void lock_shared() { lock(LOCK_SH); }

  // Returns true if the lock is now held exclusively. Otherwise a shared lock held before is lost.
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

// A setting of the server.
struct Setting {
  std::string name;
  std::string value;
};

// Parses "NAME=VALUE". Throws ServerError for another form, and for settings that would move the
// server out of its folder or socket (listen_addresses, port, data_directory ...).
Setting parse_setting(std::string_view text);
std::vector<Setting> parse_settings(const std::vector<std::string>& texts);

// Returns the smaller of the machine's memory and the limit of the control group.
uint64_t memory_bytes_of_machine();

// Returns the text of drover.conf: settings that fit the machine, then the user's, which win.
std::string configuration_text(uint64_t memory_bytes, const std::vector<Setting>& settings);

}  // namespace drover::database::embedded
