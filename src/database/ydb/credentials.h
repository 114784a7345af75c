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

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "database/ydb/target.h"

namespace drover::database::ydb {

struct Credentials {
  std::string token;     // empty: none
  std::string user;      // empty: no login
  std::string password;  // of the user; may be empty
  std::string ca_pem;    // empty: the authorities that this machine believes
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

// When to log in again with a token that YDB made: at half of what is left of its life, but not
// before 10 s and not after 12 h. The token says itself how long it is good: it is a JWT (RFC 7519),
// whose middle part holds "exp" in seconds since 1970; one hour where it does not. Nothing is
// verified: that is the server's. Pure.
std::chrono::seconds renew_token_after(std::string_view token, std::int64_t now_unix_s);

}  // namespace drover::database::ydb
