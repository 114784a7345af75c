#include "database/ydb/credentials.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "database/message.h"

namespace drover::database::ydb {
namespace {

constexpr std::size_t token_bytes_max = 64UL * 1024;
constexpr std::size_t certificate_bytes_max = 1024UL * 1024;

std::string read_file(const std::string& path, std::string_view what, std::size_t bytes_max) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(bytes_max + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  const bool read = file.is_open() && !file.bad() && (file.eof() || file.gcount() > 0);
  if (!read) {
    const int error = errno != 0 ? errno : EIO;
    throw TargetError(
        fmt::format("cannot read {} {}: {}", what, one_line(path), std::strerror(error)));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > bytes_max) {
    throw TargetError(
        fmt::format("{} {} is longer than {} bytes", what, one_line(path), bytes_max));
  }
  return text;
}

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blank = " \t\r\n";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

// It goes into a header as it is.
std::string checked_token(std::string_view text, std::string_view source) {
  const std::string_view token = trimmed(text);
  if (token.empty()) throw TargetError(fmt::format("{} is empty: expected a token", source));
  for (const char c : token) {
    if (c <= ' ' || c > '~') {
      throw TargetError(
          fmt::format("{} holds a space or a character that is not ASCII: expected one token of "
                      "printable characters",
                      source));
    }
  }
  if (token.size() > token_bytes_max) {
    throw TargetError(fmt::format("{} is longer than {} bytes", source, token_bytes_max));
  }
  return std::string(token);
}

}  // namespace

std::string Credentials::description() const {
  if (!token.empty()) return "token";
  if (!user.empty()) return "user " + one_line(user);
  return "anonymous";
}

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
    credentials.token = checked_token(
        read_file(token_file, "the file of the token", token_bytes_max), "the file of the token");
  } else if (const std::string token = variable("YDB_TOKEN"); !token.empty()) {
    credentials.token = checked_token(token, "the variable YDB_TOKEN");
  } else if (credentials.user = variable("YDB_USER"); !credentials.user.empty()) {
    credentials.password = password;
  } else if (!password.empty()) {
    throw TargetError("YDB_PASSWORD is set but YDB_USER is not: set both, or neither");
  }
  const std::string ca_file =
      options.ca_file.empty() ? variable("YDB_SSL_ROOT_CERTIFICATES_FILE") : options.ca_file;
  if (!ca_file.empty()) {
    credentials.ca_pem = read_file(ca_file, "the certificates", certificate_bytes_max);
    if (credentials.ca_pem.find("-----BEGIN CERTIFICATE-----") == std::string::npos) {
      throw TargetError(
          fmt::format("{} holds no certificate: expected PEM (-----BEGIN "
                      "CERTIFICATE-----)",
                      one_line(ca_file)));
    }
  }
  return credentials;
}

}  // namespace drover::database::ydb
