// The place of a YDB database, and the credentials for it.
//
//   ydb://host:2136/Root/database     plain
//   ydbs://host:2135/Root/database    TLS
//
// A connection string contains no secret: a user or password in it is refused and never shown.
// Secrets come from files and from the variables of YDB's own tools:
//
//   a file with a token, named by an option or by YDB_TOKEN_FILE
//   YDB_TOKEN                          a token
//   YDB_USER, YDB_PASSWORD             a login, for which YDB returns a token
//   YDB_SSL_ROOT_CERTIFICATES_FILE     PEM of the authority that signed the server's certificate
//
// The first of the first three applies; without any of them Drover is anonymous.
//
// Thread safety: any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace drover::database::ydb {

// The error of a connection string or of credentials. The message is complete and is printed as it
// is. Contains no secret.
class TargetError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Target {
  std::string host;  // an IPv6 address without brackets
  std::uint16_t port = 2136;
  std::string database;  // "/Root/database": absolute, without a slash at its end
  bool tls = false;

  // Returns "host:2136" or "[::1]:2136".
  std::string authority() const;

  // Returns "ydb://host:2136/Root/database".
  std::string url() const;
};

// Returns true for a text that begins with ydb:// or ydbs://.
bool is_ydb_url(std::string_view text) noexcept;

// Throws TargetError.
Target parse_target(std::string_view text);

// Returns "host:port", with brackets around an IPv6 address.
std::string authority_of(std::string_view host, std::uint32_t port);

struct Credentials {
  std::string token;     // empty: none
  std::string user;      // empty: no login
  std::string password;  // of the user; may be empty
  std::string ca_pem;    // empty: the certificate authorities of this machine
};

struct CredentialOptions {
  std::string token_file;  // empty: YDB_TOKEN_FILE
  std::string ca_file;     // empty: YDB_SSL_ROOT_CERTIFICATES_FILE
};

// Returns the value of a variable, or null if it is not set.
using Environment = std::function<const char*(const char* name)>;

// Throws TargetError for a file that cannot be read or is longer than 64 KiB (certificates: 1 MiB),
// a token that cannot stand in a header, and a password without a user.
Credentials find_credentials(const CredentialOptions& options, const Environment& environment);

// Returns how long to wait before the next login: half of the token's remaining life, but from 10 s
// to 12 h. A token is a JWT (RFC 7519), whose payload contains "exp" in seconds since 1970; without
// it the result is one hour. Does not verify the token.
std::chrono::seconds renew_token_after(std::string_view token, std::int64_t now_unix_s);

}  // namespace drover::database::ydb
