#include "database/postgres/conninfo.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "database/postgres/connection.h"
#include "text/plain_text.h"

namespace drover::database::postgres {

std::string value_of(const ConninfoOptions& options, std::string_view keyword) {
  const PQconninfoOption* option = options.get();
  for (; option != nullptr && option->keyword != nullptr; ++option) {
    if (option->keyword == keyword && option->val != nullptr) return option->val;
  }
  return {};
}

// libpq reads service files only when it starts to connect. An option with an invalid value makes
// it stop after it has read them, before it contacts a host.
ConninfoOptions options_in_force(const std::string& conninfo, std::string* problem) {
  constexpr const char* stop = "channel_binding";
  const char* const keywords[] = {"dbname", stop, nullptr};
  const char* const values[] = {conninfo.c_str(), "only-read-the-string", nullptr};
  PGconn* const handle = PQconnectStartParams(keywords, values, 1);
  ConninfoOptions options(PQconninfo(handle));
  if (value_of(options, stop).empty()) options.reset();
  if (!options && problem != nullptr) *problem = text::trimmed(PQerrorMessage(handle));
  PQfinish(handle);
  return options;
}

namespace {

bool is_uri(std::string_view text) noexcept {
  return text.starts_with("postgresql://") || text.starts_with("postgres://");
}

// libpq reads a URI with a '/', '@' or '#' in its password, or without "@host", as something else
// and then shows parts of the password as port, host or database.
bool mistakes_password(const std::string& text, const ConninfoOptions& options) {
  if (value_of(options, "port").find_first_not_of("0123456789,") != std::string::npos) return true;
  if (!is_uri(text)) return false;
  std::string_view rest(text);
  rest.remove_prefix(rest.find("://") + 3);
  rest = rest.substr(0, rest.find('?'));
  const auto slash = std::min(rest.find('/'), rest.size());
  const std::string_view authority = rest.substr(0, slash);
  const auto at = authority.find('@');
  if (at != std::string_view::npos && authority.find('@', at + 1) != std::string_view::npos) {
    return true;
  }
  // An @ after the slash belongs to the name of the database, unless the slash may be part of a
  // password, which begins with a ':'.
  const bool has_later_at = rest.find('@', slash) != std::string_view::npos;
  return has_later_at && authority.substr(0, at).find(':') != std::string_view::npos;
}

// Returns libpq's message, cut where it begins to quote the string, which may contain a password.
// Keeps the name of an unknown option if the string contains no password.
std::string without_quotation(std::string_view said, const std::string& text) {
  const bool may_hold_password =
      text.find("password") != std::string::npos || text.find('@') != std::string::npos;
  const auto is_of_name = [](unsigned char c) { return std::islower(c) != 0 || c == '_'; };
  std::size_t from = 0;
  for (auto quote = said.find('"'); quote != said.npos; quote = said.find('"', from)) {
    const auto end = said.find('"', quote + 1);
    const std::string_view quoted = said.substr(quote + 1, end - quote - 1);
    const bool is_option = !may_hold_password && !quoted.empty() &&
                           std::ranges::all_of(quoted, is_of_name) &&
                           text.find(fmt::format("{}=", quoted)) != std::string::npos;
    if (end == said.npos || (quoted != "=" && !is_option)) {
      return fmt::format("{}(not shown: it may hold a password)", said.substr(0, quote));
    }
    from = end + 1;
  }
  return std::string(said);
}

// Returns true for `service= password=x`, of which libpq takes the second part for the name.
bool mistakes_service(const ConninfoOptions& given) {
  return value_of(given, "service").find('=') != std::string::npos;
}

}  // namespace

std::optional<std::string> conninfo_problem(const std::string& text) {
  char* message = nullptr;
  const ConninfoOptions options(PQconninfoParse(text.c_str(), &message));
  if (options && mistakes_password(text, options)) {
    return "the port is not a number, or a password or the name of the database is not encoded: in "
           "a URI write %40 for @, %2F for /, %3A for : and %25 for %";
  }
  if (options && mistakes_service(options)) {
    return "the name of the service contains \"=\": expected service=NAME, without a blank before "
           "the name";
  }
  if (options) {
    std::string problem;  // names the service
    if (options_in_force(text, &problem)) return std::nullopt;
    return problem;
  }
  const std::string said(text::trimmed(message != nullptr ? message : "out of memory"));
  PQfreemem(message);
  return without_quotation(said, text);
}

bool has_password(const std::string& conninfo) {
  const ConninfoOptions options(PQconninfoParse(conninfo.c_str(), nullptr));
  return options && !value_of(options, "password").empty();
}

std::string describe_conninfo(const std::string& text) {
  const ConninfoOptions given(PQconninfoParse(text.c_str(), nullptr));
  if (!given || mistakes_password(text, given) || mistakes_service(given)) {
    return "(unreadable connection string)";
  }
  const ConninfoOptions options = options_in_force(text);
  std::string described;
  for (const std::string_view keyword : {"host", "port", "dbname", "user", "service"}) {
    // PQconninfo() does not return the name of the service.
    const std::string value =
        keyword == "service" ? value_of(given, keyword) : value_of(options, keyword);
    if (value.empty()) continue;
    described += fmt::format("{}{}={}", described.empty() ? "" : " ", keyword, value);
  }
  return described;
}

}  // namespace drover::database::postgres
