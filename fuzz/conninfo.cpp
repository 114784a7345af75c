// Connection strings: whatever surrounds a password, it is in no message and no description. The
// first line says how the string is made of the others.
#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <memory>

#include "database/postgres/conninfo.h"
#include "fuzz.h"

using namespace drover;
using database::postgres::conninfo_problem;
using database::postgres::describe_conninfo;

namespace {

// What may stand in front of a password without beginning another part of the string.
std::string user_part(std::string text) {
  std::erase_if(text, [](char c) {
    return std::string_view("/?@:#&= '\\").find(c) != std::string_view::npos;
  });
  return text;
}

// Inside of a quoted value of a connection string.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string connection_string(const std::vector<std::string>& pieces) {
  const std::string_view form = pieces[0];
  if (form == "uri") {
    return fmt::format("postgresql://{}:{}{}{}@{}", user_part(pieces[1]), pieces[2], fuzz::secret,
                       pieces[3], pieces[4]);
  }
  if (form == "query") {
    return fmt::format("postgres://{}?{}&password={}&{}", pieces[1], pieces[2], fuzz::secret,
                       pieces[3]);
  }
  if (form == "quoted") {
    return fmt::format("{} password='{}{}' {}", pieces[1], escaped(pieces[2]), fuzz::secret,
                       pieces[3]);
  }
  return fmt::format("{} password={} {}", pieces[1], fuzz::secret, pieces[2]);
}

// Whether libpq itself takes the password for something else than one, and names no error.
bool is_something_else(const std::string& text) {
  struct Free {
    void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
  };
  const std::unique_ptr<PQconninfoOption, Free> options(PQconninfoParse(text.c_str(), nullptr));
  if (!options) return false;
  for (const PQconninfoOption* one = options.get(); one->keyword != nullptr; ++one) {
    const std::string_view keyword = one->keyword;
    if (one->val == nullptr || keyword == "password") continue;
    if (fuzz::holds_secret(one->val)) return true;
  }
  return false;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (fuzz::holds_secret(fuzz::text_of(data, size))) return 0;
  std::vector<std::string> pieces = fuzz::lines_of(data, size);
  pieces.resize(5);
  std::string text = connection_string(pieces);
  std::erase(text, '\0');
  const auto problem = conninfo_problem(text);
  fuzz::require(!problem || !fuzz::holds_secret(*problem), "a problem holds no password", text);
  // A string that can be read and says `dbname=...password...` is believed.
  if (is_something_else(text) && !problem) return 0;
  fuzz::require(!fuzz::holds_secret(describe_conninfo(text)), "a description holds no password",
                text);
  return 0;
}
