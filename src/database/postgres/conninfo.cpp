#include <fmt/format.h>
#include <libpq-fe.h>

#include <memory>
#include <string_view>

#include "database/postgres/connection.h"

namespace drover::database::postgres {
namespace {

struct FreeOptions {
  void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};
using Options = std::unique_ptr<PQconninfoOption, FreeOptions>;

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<std::string> conninfo_problem(const std::string& text) {
  char* message = nullptr;
  const Options options(PQconninfoParse(text.c_str(), &message));
  if (options) return std::nullopt;
  std::string problem(trimmed(message != nullptr ? message : "out of memory"));
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

std::string describe_conninfo(const std::string& text) {
  const Options given(PQconninfoParse(text.c_str(), nullptr));
  const Options defaults(PQconndefaults());
  if (!given || !defaults) return "(unreadable connection string)";
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
