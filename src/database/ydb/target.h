// Where a database of YDB is: what a connection string says.
//
//   ydb://host:2136/Root/database     plain
//   ydbs://host:2135/Root/database    TLS
//
// Pure; any thread. A connection string holds no secret: one with a user or a password in it is
// refused, and never quoted.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace drover::database::ydb {

// A connection string or credentials that cannot be used. The message is whole: what was wrong,
// what was expected. It is printed as it is.
class TargetError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::uint16_t plain_port = 2136;
inline constexpr std::uint16_t tls_port = 2135;

struct Target {
  std::string host;  // an address of IPv6 without brackets
  std::uint16_t port = plain_port;
  std::string database;  // "/Root/database": absolute, without a slash at its end
  bool tls = false;

  // "host:2136", "[::1]:2136": what gRPC connects to.
  std::string authority() const;

  // As it was given, whole: "ydb://host:2136/Root/database".
  std::string url() const;
};

// Whether `text` is for us: begins with ydb:// or ydbs://.
bool is_ydb_url(std::string_view text) noexcept;

// Throws TargetError.
Target parse_target(std::string_view text);

// "host:port", the host in brackets if it is an address of IPv6.
std::string authority_of(std::string_view host, std::uint32_t port);

}  // namespace drover::database::ydb
