#include "database/postgres/command_tag.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace drover::database::postgres {
namespace {

constexpr std::array<std::string_view, 4> bare = {"BEGIN", "COMMIT", "ROLLBACK", "SET"};
constexpr std::array<std::string_view, 4> with_a_count = {"INSERT", "UPDATE", "DELETE", "COPY"};

bool begins_with_word(std::string_view text, std::string_view word) noexcept {
  return text.starts_with(word) &&
         (text.size() == word.size() || text[word.size()] == ' ' || text[word.size()] == ';');
}

}  // namespace

std::string_view expected_tag(std::string_view sql) noexcept {
  // Its tag is that of a ROLLBACK, and the transaction goes on.
  if (sql.starts_with("ROLLBACK TO")) return {};
  for (const auto& words : {bare, with_a_count}) {
    for (const std::string_view word : words) {
      if (begins_with_word(sql, word)) return word;
    }
  }
  return {};
}

bool is_tag_of(std::string_view tag, std::string_view expected) noexcept {
  if (expected.empty() || tag == expected) return true;
  const bool counts =
      std::find(with_a_count.begin(), with_a_count.end(), expected) != with_a_count.end();
  return counts && begins_with_word(tag, expected);
}

std::string wrong_tag(std::string_view tag, std::string_view expected) {
  if (expected == "COMMIT" && tag == "ROLLBACK") {
    return "the server answered COMMIT with ROLLBACK: the transaction had failed, and nothing of "
           "it is in the database";
  }
  return fmt::format("the server answered {} with '{}', where '{}' was expected", expected,
                     tag.substr(0, 64), expected);
}

bool open_after(std::string_view tag, bool open) noexcept {
  if (tag == "BEGIN") return true;
  return open && tag != "COMMIT" && tag != "ROLLBACK";
}

}  // namespace drover::database::postgres
