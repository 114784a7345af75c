// Where the private server keeps its things:
//
//   <root>/postgresql-<major>/data       the cluster; the account of the server owns it
//                            /run        the Unix socket, mode 0700, of that account
//                            /log/server.log, server.log.1
//                            /drover.conf     our settings, included from data/postgresql.conf
//                            /lock       held by whoever starts or stops the server
//                            /use        held shared by each process that uses the server
//                            /on-demand  exists while the server is to stop after its last user
//
// What root writes lies in folders of root only, so that the account of the server cannot lead
// root astray by a symbolic link. Plain values; every function may be called from any thread.
#pragma once

#include <filesystem>

#include "database/embedded/program.h"

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

  // <base>/run, or, where the path of a socket in it would be too long for the system (107
  // bytes) or hold characters that need quoting in a connection string, /tmp/drover-<uid>-<hash>.
  std::filesystem::path socket_folder(const Account& account) const;
};

inline constexpr int server_port = 5432;  // only a part of the socket's name: there is no TCP

// $DROVER_DATA_HOME, else for root /var/lib/drover, else $XDG_DATA_HOME/drover, else
// ~/.local/share/drover. Throws ServerError when there is no home folder.
std::filesystem::path default_data_root();

// `root` empty means the default one. Touches nothing. Throws ServerError.
Layout layout_of(const std::filesystem::path& root, int major);

// The account of the cluster: the owner of the data, where there is data, else the one for a new
// server. Throws ServerError when the data belongs to somebody whom the caller cannot become.
Account account_of_cluster(const Layout& layout);

// Makes the folders but the data, so that the account can use them. Throws ServerError.
void make_folders(const Layout& layout, const Account& account);

// Makes the folder of the socket; one that is there must be the account's and closed to others.
// Throws ServerError.
void make_socket_folder(const std::filesystem::path& folder, const Account& account);

}  // namespace drover::database::embedded
