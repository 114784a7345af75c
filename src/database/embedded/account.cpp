#include "database/embedded/account.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <vector>

#include "database/embedded/server_error.h"

namespace drover::database::embedded {
namespace {

constexpr size_t entry_bytes_max = 64 * 1024;

std::optional<Account> find_by_name(const char* name) {
  std::vector<char> buffer(entry_bytes_max);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwnam_r(name, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) {
    return std::nullopt;
  }
  return Account{found->pw_uid, found->pw_gid, found->pw_name};
}

}  // namespace

Account account_of(uid_t uid, gid_t gid) {
  std::vector<char> buffer(entry_bytes_max);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) {
    return Account{uid, gid, fmt::format("{}", uid)};
  }
  return Account{uid, gid, found->pw_name};
}

Account own_account() {
  return account_of(::geteuid(), ::getegid());
}

Account account_for_new_server() {
  if (::geteuid() != 0) return own_account();
  for (const char* name : {"postgres", "nobody"}) {
    std::optional<Account> account = find_by_name(name);
    if (account && account->uid != 0) return *account;
  }
  throw ServerError(
      "PostgreSQL refuses to run as root, and this machine has neither a user 'postgres' nor a "
      "user 'nobody' to run it as: call drover as an ordinary user");
}

int become(const Account& account) noexcept {
  if (::getuid() == account.uid && ::geteuid() == account.uid) return 0;
  if (::setgroups(1, &account.gid) != 0) return errno;
  if (::setresgid(account.gid, account.gid, account.gid) != 0) return errno;
  if (::setresuid(account.uid, account.uid, account.uid) != 0) return errno;
  // The way back must be closed.
  if (account.uid != 0 && ::setuid(0) == 0) return EPERM;
  return 0;
}

}  // namespace drover::database::embedded
