#include "database/ydb/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace drover::database::ydb {

namespace {

constexpr std::string_view plain_scheme = "ydb://";
constexpr std::string_view tls_scheme = "ydbs://";
constexpr std::size_t host_bytes_max = 255;
constexpr std::size_t database_bytes_max = 1024;

[[noreturn]] void refuse(std::string_view what) {
  throw TargetError(fmt::format("{}: expected ydb://host:2136/Root/database or ydbs://…", what));
}

std::uint16_t parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc{} || stop != end || port == 0) {
    // The message omits the text, which may be a password.
    throw TargetError("the port is not a number from 1 to 65535");
  }
  return port;
}

bool is_plain(char c) noexcept {
  return static_cast<unsigned char>(c) > ' ' && c != '\x7F';
}

// Parses "host", "host:port", "[address]" or "[address]:port".
void parse_authority(std::string_view text, Target& target) {
  std::string_view port;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) {
      throw TargetError(
          "the closing bracket of an IPv6 address is missing. Expected [address]:port");
    }
    target.host = text.substr(1, close - 1);
    std::string_view rest = text.substr(close + 1);
    if (target.host.find(':') == std::string::npos || (!rest.empty() && rest.front() != ':')) {
      throw TargetError("the text in brackets is not an IPv6 address. Expected [address]:port");
    }
    if (rest.empty()) return;
    port = rest.substr(1);
  } else {
    const auto colon = text.find(':');
    target.host = text.substr(0, colon);
    if (colon == std::string_view::npos) return;
    port = text.substr(colon + 1);
    if (port.find(':') != std::string_view::npos) {
      throw TargetError("the host has several colons. Write an IPv6 address in brackets");
    }
  }
  target.port = parse_port(port);
}

}  // namespace

bool is_ydb_url(std::string_view text) noexcept {
  return text.starts_with(plain_scheme) || text.starts_with(tls_scheme);
}

std::string authority_of(std::string_view host, std::uint32_t port) {
  if (host.find(':') != std::string_view::npos) return fmt::format("[{}]:{}", host, port);
  return fmt::format("{}:{}", host, port);
}

std::string Target::authority() const {
  return authority_of(host, port);
}

std::string Target::url() const {
  return fmt::format("{}{}{}", tls ? tls_scheme : plain_scheme, authority(), database);
}

Target parse_target(std::string_view text) {
  Target target;
  if (!is_ydb_url(text)) refuse("not the address of a YDB database");
  target.tls = text.starts_with(tls_scheme);
  target.port = target.tls ? 2135 : 2136;
  std::string_view rest = text.substr(text.find("://") + 3);
  // No message before this check quotes the text: before the '@' there may be a password.
  if (rest.find('@') != std::string_view::npos) {
    throw TargetError(
        "the address contains a user or password, which other users of this machine may see. Use "
        "the variables YDB_USER and YDB_PASSWORD, or YDB_TOKEN");
  }
  if (!std::ranges::all_of(rest, is_plain))
    refuse("the address contains a space or a control character");
  if (rest.find_first_of("?#") != std::string_view::npos)
    refuse("options after ? or # are not supported");
  const auto slash = rest.find('/');
  parse_authority(rest.substr(0, slash), target);
  if (target.host.empty()) refuse("the host is missing");
  if (target.host.size() > host_bytes_max) {
    throw TargetError(fmt::format("the host is longer than {} bytes", host_bytes_max));
  }
  if (slash != std::string_view::npos) target.database = rest.substr(slash);
  while (target.database.ends_with('/')) target.database.pop_back();
  if (target.database.empty()) refuse("the database is missing");
  if (target.database.starts_with("//") || target.database.size() > database_bytes_max)
    refuse("not the path of a database");
  return target;
}

}  // namespace drover::database::ydb
