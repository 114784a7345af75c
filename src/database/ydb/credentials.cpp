// Credentials for YDB from files and variables, and the life of tokens (target.h).
#include <absl/strings/escaping.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "database/error.h"
#include "database/ydb/target.h"
#include "file/bounded_file.h"
#include "text/plain_text.h"

namespace drover::database::ydb {
namespace {

constexpr std::size_t token_bytes_max = 64UL * 1024;
constexpr std::size_t certificate_bytes_max = 1024UL * 1024;

std::string read_file(const std::string& path, std::string_view what, std::size_t bytes_max) {
  std::string text;
  try {
    text = file::read_up_to(path, bytes_max + 1);
  } catch (const std::system_error& error) {
    throw TargetError(
        fmt::format("cannot read {} {}: {}", what, one_line(path), error.code().message()));
  }
  if (text.size() > bytes_max) {
    throw TargetError(
        fmt::format("{} {} is longer than {} bytes", what, one_line(path), bytes_max));
  }
  return text;
}

// Returns the token, which must fit into a header.
std::string checked_token(std::string_view text, std::string_view source) {
  const std::string_view token = text::trimmed(text);
  if (token.empty()) throw TargetError(fmt::format("{} is empty. Expected a token", source));
  for (const char c : token) {
    if (c <= ' ' || c > '~') {
      throw TargetError(fmt::format(
          "{} has a space or a character that is not printable ASCII. Expected one token", source));
    }
  }
  if (token.size() > token_bytes_max) {
    throw TargetError(fmt::format("{} is longer than {} bytes", source, token_bytes_max));
  }
  return std::string(token);
}

constexpr std::chrono::seconds earliest{10};
constexpr std::chrono::seconds latest = std::chrono::hours(12);
constexpr std::chrono::seconds where_unknown = std::chrono::hours(1);

std::optional<std::int64_t> expiry_of(std::string_view token) {
  constexpr std::string_view name = "\"exp\":";
  const auto first = token.find('.');
  const auto second = token.find('.', first + 1);
  if (first == token.npos || second == token.npos) return std::nullopt;
  const absl::string_view encoded(token.data() + first + 1, second - first - 1);
  std::string payload;
  if (!absl::WebSafeBase64Unescape(encoded, &payload)) return std::nullopt;
  std::erase_if(payload, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
  const auto place = payload.find(name);
  if (place == payload.npos) return std::nullopt;
  std::int64_t expiry = 0;
  const char* number = payload.data() + place + name.size();
  const auto read = std::from_chars(number, payload.data() + payload.size(), expiry);
  return read.ec == std::errc{} ? std::optional(expiry) : std::nullopt;
}

}  // namespace

Credentials find_credentials(const CredentialOptions& options, const Environment& environment) {
  const auto variable = [&environment](const char* name) -> std::string {
    const char* value = environment(name);
    return value != nullptr ? value : "";
  };
  Credentials credentials;
  const std::string token_file =
      options.token_file.empty() ? variable("YDB_TOKEN_FILE") : options.token_file;
  const std::string password = variable("YDB_PASSWORD");
  if (!token_file.empty()) {
    credentials.token =
        checked_token(read_file(token_file, "the token file", token_bytes_max), "the token file");
  } else if (const std::string token = variable("YDB_TOKEN"); !token.empty()) {
    credentials.token = checked_token(token, "the variable YDB_TOKEN");
  } else if (credentials.user = variable("YDB_USER"); !credentials.user.empty()) {
    credentials.password = password;
  } else if (!password.empty()) {
    throw TargetError("YDB_PASSWORD is set but YDB_USER is not. Set both variables, or neither");
  }
  const std::string ca_file =
      options.ca_file.empty() ? variable("YDB_SSL_ROOT_CERTIFICATES_FILE") : options.ca_file;
  if (!ca_file.empty()) {
    credentials.ca_pem = read_file(ca_file, "the certificates", certificate_bytes_max);
    if (credentials.ca_pem.find("-----BEGIN CERTIFICATE-----") == std::string::npos) {
      throw TargetError(fmt::format(
          "{} has no certificate. Expected the PEM format (-----BEGIN CERTIFICATE-----)",
          one_line(ca_file)));
    }
  }
  return credentials;
}

std::chrono::seconds renew_token_after(std::string_view token, std::int64_t now_unix_s) {
  const auto expiry = expiry_of(token);
  if (!expiry) return where_unknown;
  const double half = (static_cast<double>(*expiry) - static_cast<double>(now_unix_s)) / 2;
  const double bounded =
      std::clamp(half, static_cast<double>(earliest.count()), static_cast<double>(latest.count()));
  return std::chrono::seconds(static_cast<std::int64_t>(bounded));
}

}  // namespace drover::database::ydb
