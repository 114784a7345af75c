#include "workload/sql/script/statement.h"

#include <algorithm>
#include <array>

#include "workload/sql/expression/expression_lexer.h"

namespace drover::sql {
namespace {

struct KnownWord {
  std::string_view word;
  Effect effect;
};

constexpr std::array<KnownWord, 13> known_words = {{{"select", Effect::reads},
                                                    {"show", Effect::reads},
                                                    {"values", Effect::reads},
                                                    {"table", Effect::reads},
                                                    {"pragma", Effect::reads},
                                                    {"begin", Effect::begins},
                                                    {"start", Effect::begins},
                                                    {"commit", Effect::commits},
                                                    {"end", Effect::commits},
                                                    {"rollback", Effect::rolls_back},
                                                    {"abort", Effect::rolls_back},
                                                    {"savepoint", Effect::keeps_open},
                                                    {"release", Effect::keeps_open}}};

// They nest.
std::size_t end_of_block_comment(std::string_view text) {
  std::size_t end = 2;
  for (std::size_t depth = 1; depth > 0 && end < text.size();) {
    const std::string_view two = text.substr(end, 2);
    if (two == "/*") ++depth;
    if (two == "*/") --depth;
    end += two == "/*" || two == "*/" ? 2 : 1;
  }
  return std::min(end, text.size());
}

// Removes leading comments and all leading characters in `signs`.
void skip(std::string_view& text, std::string_view signs) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(signs), text.size()));
    if (text.starts_with("--")) {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (text.starts_with("/*")) {
      text.remove_prefix(end_of_block_comment(text));
    } else {
      return;
    }
  }
}

// Removes the next word, with the comments and parentheses before it, and returns it in lower case.
// (A SELECT may stand in parentheses.) Returns an empty text if another character comes first.
std::string next_word(std::string_view& text) {
  skip(text, "( \t\r\n\f\v");
  std::size_t end = 0;
  while (end < text.size() && is_name_byte(text[end])) ++end;
  std::string word = in_lower_case(text.substr(0, end));
  text.remove_prefix(end);
  return word;
}

// Behind ROLLBACK or ABORT.
Effect effect_of_rollback(std::string_view rest) {
  std::string word = next_word(rest);
  if (word == "prepared") return Effect::writes;
  if (word == "work" || word == "transaction") word = next_word(rest);
  return word == "to" ? Effect::keeps_open : Effect::rolls_back;
}

}  // namespace

std::size_t statements_in(const SqlText& sql) {
  std::size_t count = 0;
  for (std::string_view one : sql.joined()) {
    skip(one, "; \t\r\n\f\v");
    if (!one.empty()) ++count;
  }
  return count;
}

std::string first_word(std::string_view text) {
  return next_word(text);
}

Effect effect_of(std::string_view statement) {
  const std::string word = next_word(statement);
  if (word.empty()) return Effect::reads;
  if (word == "prepare" && next_word(statement) == "transaction") return Effect::commits;
  for (const KnownWord& known : known_words) {
    if (known.word != word) continue;
    return known.effect == Effect::rolls_back ? effect_of_rollback(statement) : known.effect;
  }
  return Effect::writes;
}

bool Statement::leaves_open(bool open) const noexcept {
  for (const Effect effect : effects) {
    if (effect == Effect::begins) open = true;
    if (effect == Effect::commits || effect == Effect::rolls_back) open = false;
  }
  return open;
}

bool Statement::may_commit(bool open) const noexcept {
  for (const Effect effect : effects) {
    if (effect == Effect::commits || (effect == Effect::writes && !open)) return true;
    if (effect == Effect::begins) open = true;
    if (effect == Effect::rolls_back) open = false;
  }
  return false;
}

}  // namespace drover::sql
