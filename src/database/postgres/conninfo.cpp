#include <fmt/format.h>
#include <libpq-fe.h>

#include <memory>
#include <string_view>

#include "database/postgres/connection.h"
#include "text/plain_text.h"

namespace drover::database::postgres {
namespace {

struct FreeOptions {
  void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};
using Options = std::unique_ptr<PQconninfoOption, FreeOptions>;

bool is_uri(std::string_view text) noexcept {
  return text.starts_with("postgresql://") || text.starts_with("postgres://");
}

std::string_view value_of(const Options& options, std::string_view keyword) noexcept {
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->keyword == keyword && option->val != nullptr) return option->val;
  }
  return {};
}

// libpq reads a URI with a '/', '@' or '#' in its password, or without "@host", as something else
// and then shows parts of the password as port, host or database.
bool mistakes_password(const std::string& text, const Options& options) {
  if (value_of(options, "port").find_first_not_of("0123456789,") != std::string_view::npos) {
    return true;
  }
  if (!is_uri(text)) return false;
  std::string_view rest(text);
  rest.remove_prefix(rest.find("://") + 3);
  rest = rest.substr(0, rest.find('?'));
  const auto at = rest.find('@');
  if (at == std::string_view::npos) return false;
  return rest.find('/') < at || rest.find('@', at + 1) != std::string_view::npos;
}

}  // namespace

std::optional<std::string> conninfo_problem(const std::string& text) {
  char* message = nullptr;
  const Options options(PQconninfoParse(text.c_str(), &message));
  if (options && mistakes_password(text, options)) {
    return "the port is not a number, or a password is not encoded: in a URI write %40 for @, %2F "
           "for /, %3A for : and %25 for %";
  }
  if (options) return std::nullopt;
  std::string problem(text::trimmed(message != nullptr ? message : "out of memory"));
  PQfreemem(message);
  // libpq quotes what it cannot read, with the password in it.
  if (const auto quote = problem.find(": \""); quote != std::string::npos) problem.resize(quote);
  if (text.find("password") != std::string::npos || text.find('@') != std::string::npos) {
    if (const auto quote = problem.find('"'); quote != std::string::npos) {
      problem.resize(quote);
      problem += "(not shown: it may hold a password)";
    }
  }
  return problem;
}

bool has_password(const std::string& conninfo) {
  const Options options(PQconninfoParse(conninfo.c_str(), nullptr));
  return options && !value_of(options, "password").empty();
}

std::string describe_conninfo(const std::string& text) {
  const Options given(PQconninfoParse(text.c_str(), nullptr));
  const Options defaults(PQconndefaults());
  if (!given || !defaults || mistakes_password(text, given)) {
    return "(unreadable connection string)";
  }
  std::string described;
  for (const std::string_view keyword : {"host", "port", "dbname", "user", "service"}) {
    const char* value = nullptr;
    for (const Options* source : {&defaults, &given}) {
      for (const PQconninfoOption* option = source->get(); option->keyword != nullptr; ++option) {
        if (option->keyword == keyword && option->val != nullptr) value = option->val;
      }
    }
    if (value == nullptr || *value == '\0') continue;
    described += fmt::format("{}{}={}", described.empty() ? "" : " ", keyword, value);
  }
  return described;
}

}  // namespace drover::database::postgres
