// The user of the system as whom the programs of the server run. PostgreSQL refuses to run as
// root, so that root needs another one. Plain values; every function may be called from any thread.
#pragma once

#include <sys/types.h>

#include <string>

namespace drover::database::embedded {

struct Account {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string name;
};

// The caller's own account.
Account own_account();

// As whom a new server runs: the caller, or, when that is root, `postgres` if it exists, else
// `nobody`. Throws ServerError when root finds neither.
Account account_for_new_server();

// The account of a number, named by the number itself when the system does not know it.
Account account_of(uid_t uid, gid_t gid);

// Makes the calling process that account for good, with no groups but its own. Returns 0 or an
// errno. Calls only what is safe between fork and exec; nothing is done when it is that account.
int become(const Account& account) noexcept;

}  // namespace drover::database::embedded
