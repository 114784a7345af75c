#include "database/embedded/layout.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "file/file_descriptor.h"

namespace drover::database::embedded {

namespace {

namespace fs = std::filesystem;

constexpr size_t socket_path_bytes_max = 107;  // sizeof sockaddr_un::sun_path, less the final zero

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? nullptr : value;
}

// FNV-1a, 64 bits: the same on each run and machine, which std::hash does not promise.
uint64_t stable_hash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (const char character : text) {
    hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3U;
  }
  return hash;
}

bool is_plain(std::string_view path) {
  return std::ranges::all_of(path, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '.' || c == '_' || c == '-';
  });
}

void make_folder(const fs::path& folder, mode_t mode) {
  if (::mkdir(folder.c_str(), mode) == 0) {
    // Independent of the caller's umask.
    if (::chmod(folder.c_str(), mode) == 0) return;
  } else if (errno == EEXIST && fs::is_directory(folder)) {
    return;
  }
  throw folder_failure(errno, "cannot create the folder {}", folder.string());
}

}  // namespace

fs::path default_data_root() {
  if (const char* root = environment("DROVER_DATA_HOME")) return root;
  if (::geteuid() == 0) return "/var/lib/drover";
  if (const char* data = environment("XDG_DATA_HOME")) return fs::path(data) / "drover";
  if (const char* home = environment("HOME")) return fs::path(home) / ".local/share/drover";
  throw ServerError(
      "the folder for the private server's data is not known, because HOME is not set. Set "
      "DROVER_DATA_HOME to a folder in which you may write");
}

Layout layout_of(const fs::path& root, int major) {
  std::error_code error;
  const fs::path wanted = root.empty() ? default_data_root() : root;
  // Without symbolic links, so that each place has one name and one socket.
  fs::path canonical = fs::weakly_canonical(fs::absolute(wanted), error);
  if (error) throw folder_failure(error.value(), "cannot use the data folder {}", wanted.string());
  if (!canonical.has_filename()) canonical = canonical.parent_path();
  return Layout{canonical / fmt::format("postgresql-{}", major)};
}

fs::path Layout::socket_folder(const Account& account) const {
  const fs::path folder = base / "run";
  const size_t length = folder.string().size() + fmt::format("/.s.PGSQL.{}", server_port).size();
  if (length <= socket_path_bytes_max && is_plain(folder.string())) return folder;
  return fmt::format("/tmp/drover-{}-{:016x}", account.uid, stable_hash(base.string()));
}

Account account_of_cluster(const Layout& layout) {
  struct stat status{};
  if (::stat(layout.data().c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return account_for_new_server();
    throw folder_failure(errno, "cannot read the data folder {}", layout.data().string());
  }
  const Account owner = account_of(status.st_uid, status.st_gid);
  if (owner.uid == ::geteuid() && owner.uid != 0) return own_account();
  if (::geteuid() == 0 && owner.uid != 0) return owner;
  throw ServerError(
      fmt::format("the data folder {} belongs to the user '{}', and '{}' cannot run a server as "
                  "that user. Run drover as the folder's owner, or {}",
                  layout.data().string(), owner.name, own_account().name, another_data_folder));
}

void make_folders(const Layout& layout, const Account& account) {
  std::error_code error;
  const fs::path root = layout.base.parent_path();
  fs::create_directories(root, error);
  if (error) {
    throw folder_failure(error.value(), "cannot create the folder {} for the private server's data",
                         root.string());
  }
  // The server's account must be able to pass through root's folders.
  const bool shared = account.uid != ::geteuid();
  make_folder(layout.base, shared ? 0755 : 0700);
  make_folder(layout.log_folder(), shared ? 0755 : 0700);
  // Also if the socket is elsewhere: if the account can write here, it can pass through all folders
  // above.
  const fs::path probe = layout.base / "run";
  make_socket_folder(probe, account);
  if (may_write_to(account, probe)) return;
  throw ServerError(
      fmt::format("the server must run as the user '{}', who cannot enter the folder {}. Give that "
                  "user access to each folder of the path (chmod o+x), or {}",
                  account.name, layout.base.string(), another_data_folder));
}

void make_socket_folder(const fs::path& folder, const Account& account) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw system_failure(errno, "cannot create the folder {} for the server's socket",
                         folder.string());
  }
  // In /tmp, another user may have created this name before: inspect the open file, not the name.
  const file::FileDescriptor file(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0) {
    throw system_failure(errno, "cannot use the folder {} for the server's socket",
                         folder.string());
  }
  if (status.st_uid == 0 && ::geteuid() == 0 && account.uid != 0) {
    if (::fchown(file.get(), account.uid, account.gid) != 0) {
      throw system_failure(errno, "cannot make {} belong to '{}'", folder.string(), account.name);
    }
  } else if (status.st_uid != account.uid) {
    throw ServerError(
        fmt::format("the folder {} for the server's socket belongs to the user '{}', not to '{}'. "
                    "Remove it, or {}",
                    folder.string(), account_of(status.st_uid, status.st_gid).name, account.name,
                    another_data_folder));
  }
  if ((status.st_mode & 07777) != 0700 && ::fchmod(file.get(), 0700) != 0) {
    throw system_failure(errno, "cannot remove other users' access to {}", folder.string());
  }
}

}  // namespace drover::database::embedded
