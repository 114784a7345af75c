#include "database/postgres/conninfo.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <cctype>
#include <string_view>

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

// Returns true if every element of a list of ports is an integer or empty. libpq skips a host whose
// port is an integer out of range.
bool are_integers(std::string_view ports) {
  while (!ports.empty()) {
    std::string_view port = ports.substr(0, ports.find(','));
    ports.remove_prefix(std::min(port.size() + 1, ports.size()));
    if (port.starts_with('-')) port.remove_prefix(1);
    if (port.find_first_not_of("0123456789") != std::string_view::npos) return false;
  }
  return true;
}

// Returns true if the part of a URI before its path begins with an address: "127.0.0.1:5432" cannot
// be "user:password".
bool begins_with_host(std::string_view authority) {
  const std::string_view name = authority.substr(0, authority.find(':'));
  return authority.starts_with('[') || name == "localhost" ||
         (name.find('.') != std::string_view::npos &&
          name.find_first_not_of("0123456789.") == std::string_view::npos);
}

// libpq reads a URI with a '/', '@' or '#' in its password, or without "@host", as something else
// and then shows parts of the password as port, host or database.
bool mistakes_password(const std::string& text, const ConninfoOptions& options) {
  if (!are_integers(value_of(options, "port"))) return true;
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
  if (!has_later_at || authority.substr(0, at).find(':') == std::string_view::npos) return false;
  const bool has_no_user = at == std::string_view::npos;
  const bool names_user_later = !value_of(options, "user").empty();
  return !(has_no_user && (names_user_later || begins_with_host(authority)));
}

std::string port_problem(const std::string& text) {
  if (!is_uri(text)) return "the port is not a number. Expected port=NUMBER, from 1 to 65535";
  return "the port is not a number, or special characters in the password or the database name are "
         "not encoded. In a URI, write %40 for @, %2F for /, %3A for : and %25 for %";
}

// Returns true if the text contains "password=" or a similar word; with `after_separator` only if a
// separator of other kinds of connection strings stands before the word.
bool contains_password(std::string_view text, bool after_separator = false) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (auto at = lower.find_first_of("=:"); at != lower.npos;
       at = lower.find_first_of("=:", at + 1)) {
    std::string_view before = std::string_view(lower).substr(0, at);
    before = before.substr(0, before.find_last_not_of(" \t") + 1);
    for (const std::string_view word : {"password", "passwd", "pass", "pwd"}) {
      if (!before.ends_with(word)) continue;
      std::string_view earlier = before.substr(0, before.size() - word.size());
      earlier = earlier.substr(0, earlier.find_last_not_of(" \t") + 1);
      const bool is_separated = !earlier.empty() && std::string_view(";,&").find(earlier.back()) !=
                                                        std::string_view::npos;
      if (!after_separator || is_separated) return true;
    }
  }
  return false;
}

// Returns true for "user:password@host" in a list of hosts. An @ may begin the name of a socket, or
// be in its path.
bool is_host_with_user(std::string_view hosts) {
  while (!hosts.empty()) {
    const std::string_view host = hosts.substr(0, hosts.find(','));
    hosts.remove_prefix(std::min(host.size() + 1, hosts.size()));
    if (host.starts_with('/') || host.starts_with('@')) continue;
    if (host.find('@') != std::string_view::npos) return true;
  }
  return false;
}

// Returns true if libpq has taken further parts of the string, or a URI, for the value of an
// option. libpq and the server quote such a value in their messages.
bool swallows_parts(const PQconninfoOption& option) {
  const std::string_view keyword = option.keyword;
  const std::string_view value = option.val;
  const bool is_secret = std::string_view(option.dispchar).starts_with('*');
  if (is_secret || keyword.starts_with("oauth_")) return false;
  for (const std::string_view free :
       {"options", "application_name", "fallback_application_name", "passfile"}) {
    if (keyword == free) return contains_password(value, true);
  }
  if (contains_password(value) || value.find("://") != std::string_view::npos) return true;
  if (keyword == "host" || keyword == "hostaddr") return is_host_with_user(value);
  const auto colon = value.find(':');
  return keyword == "user" && colon != std::string_view::npos &&
         value.find('@', colon) != std::string_view::npos;
}

constexpr std::string_view how_to_separate =
    "separate the settings of a connection string with spaces (host=… user=… password=…), and the "
    "settings of a URI with & after a ? (postgresql://user@host/name?sslmode=…)";

// Returns a message that names the option whose value contains other parts of the string, without
// the value.
std::optional<std::string> separation_problem(const ConninfoOptions& options,
                                              const ConninfoOptions& given) {
  const PQconninfoOption* option = options.get();
  for (; option != nullptr && option->keyword != nullptr; ++option) {
    if (option->val == nullptr || !swallows_parts(*option)) continue;
    const bool is_given = value_of(given, option->keyword) == option->val;
    const std::string variable = option->envvar != nullptr ? option->envvar : "a variable";
    return fmt::format(
        "the value of {}{} contains what looks like a password or a URI: {}", option->keyword,
        is_given ? "" : fmt::format(" (from {} or the service)", variable), how_to_separate);
  }
  return std::nullopt;
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
  if (options) {
    if (mistakes_service(options)) {
      return "the name of the service contains \"=\", probably because a space follows service=. "
             "Write service=NAME without a space";
    }
    if (auto problem = separation_problem(options, options)) return problem;
    if (mistakes_password(text, options)) return port_problem(text);
    std::string problem;  // names the service
    if (const auto in_force = options_in_force(text, &problem)) {
      return separation_problem(in_force, options);
    }
    if (!contains_password(problem)) return problem;
    return fmt::format("the service sets an unknown name: {}", how_to_separate);
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
  const ConninfoOptions options = options_in_force(text);
  if (!given || mistakes_password(text, given) || mistakes_service(given) ||
      separation_problem(options, given)) {
    return "(unreadable connection string)";
  }
  std::string described;
  for (const std::string_view keyword : {"host", "hostaddr", "port", "dbname", "user", "service"}) {
    // PQconninfo() does not return the name of the service.
    const std::string value =
        keyword == "service" ? value_of(given, keyword) : value_of(options, keyword);
    if (value.empty()) continue;
    described += fmt::format("{}{}={}", described.empty() ? "" : " ", keyword, value);
  }
  return described;
}

}  // namespace drover::database::postgres
