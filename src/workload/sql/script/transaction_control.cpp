#include "workload/sql/script/transaction_control.h"

#include <algorithm>
#include <string>
#include <vector>

#include "workload/sql/expression/expression_lexer.h"
#include "workload/sql/expression/variables.h"

namespace drover::sql {
namespace {

// In small letters; a sign is a word.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\n' || is_blank_of_line(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (is_name_byte(text[i]) && end < text.size() && is_name_byte(text[end])) ++end;
    words.push_back(in_lower_case(text.substr(i, end - i)));
    i = end;
  }
  return words;
}

TransactionControl control_of(std::string_view word) {
  if (word == "begin" || word == "start") return TransactionControl::begin;
  if (word == "commit" || word == "end") return TransactionControl::commit;
  if (word == "rollback" || word == "abort") return TransactionControl::roll_back;
  return TransactionControl::none;
}

}  // namespace

std::optional<TransactionControl> transaction_control(std::string_view statement) {
  std::string_view first = statement.substr(0, std::min<std::size_t>(statement.size(), 64));
  std::vector<std::string> words = words_of(first);
  const TransactionControl control =
      words.empty() ? TransactionControl::none : control_of(words.front());
  if (control == TransactionControl::none) return control;
  if (words.back() == ";") words.pop_back();
  std::size_t next = 1;
  if (next < words.size() && (words[next] == "transaction" || words[next] == "work")) ++next;
  if (next == words.size() && first.size() == statement.size()) return control;
  if (control != TransactionControl::begin || next + 2 != words.size() || words[next] != "read") {
    return std::nullopt;
  }
  if (words[next + 1] == "only") return TransactionControl::begin_read_only;
  if (words[next + 1] == "write") return control;
  return std::nullopt;
}

}  // namespace drover::sql
