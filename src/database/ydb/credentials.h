// Who we are to YDB, and what we believe of its certificate. Taken from files and variables only,
// under the names that other tools of YDB use, so that no secret is on a command line:
//
//   a file with a token, named by an option or by YDB_TOKEN_FILE
//   YDB_TOKEN                          a token itself
//   YDB_USER, YDB_PASSWORD             a login, from which YDB makes a token
//   YDB_SSL_ROOT_CERTIFICATES_FILE     PEM, of the authority that signed the server's certificate
//
// The first of the three that is there counts; without any we are anonymous. Pure but for reading
// the files; any thread. Secrets never get into a message.
#pragma once

#include <functional>
#include <string>

#include "database/ydb/target.h"

namespace drover::database::ydb {

struct Credentials {
  std::string token;     // empty: none
  std::string user;      // empty: no login
  std::string password;  // of the user; may be empty
  std::string ca_pem;    // empty: the authorities that this machine believes

  bool anonymous() const noexcept { return token.empty() && user.empty(); }

  // For people: "anonymous", "token", "user tester". Never a secret.
  std::string description() const;
};

struct CredentialOptions {
  std::string token_file;  // empty: as the variables say
  std::string ca_file;     // empty: as the variable says
};

// The value of a variable; null if it is not set.
using Environment = std::function<const char*(const char* name)>;

// Throws TargetError: a file that cannot be read or is longer than 64 KiB (1 MiB of certificates),
// a token with a character that has no place in a header, a password without a user.
Credentials find_credentials(const CredentialOptions& options, const Environment& environment);

}  // namespace drover::database::ydb
