// The words of an expression of a script. It ends with its line; a backslash before the line's end continues it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "workload/sql/script/source.h"

namespace drover::sql {

enum class TokenKind : std::uint8_t {
  end,
  integer,
  smallest_integer,  // 9223372036854775808: a number only behind a minus
  real,
  variable,
  word,  // the name of a function
  plus,
  minus,
  times,
  divided_by,
  percent,
  left_parenthesis,
  right_parenthesis,
  comma,
  equal,
  not_equal,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
  bar,
  hash,
  ampersand,
  tilde,
  shift_left,
  shift_right,
  and_word,
  or_word,
  not_word,
  is_word,
  isnull_word,
  notnull_word,
  null_word,
  true_word,
  false_word,
  case_word,
  when_word,
  then_word,
  else_word,
  end_word,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::size_t begin = 0;
  std::string_view text;  // of a variable without its colon
  std::int64_t integer = 0;
  double real = 0;
};

class ExpressionLexer {
 public:
  // Refers to the source.
  ExpressionLexer(const Source& source, std::size_t offset) : source_(source), offset_(offset) {}

  // Throws ScriptError. At the end of the expression it is `end`, again and again.
  Token next();

  std::size_t offset() const noexcept { return offset_; }

 private:
  void skip_blanks();
  Token number();
  Token sign();
  Token taken(TokenKind kind, std::size_t bytes);

  const Source& source_;
  std::size_t offset_;
};

// How many bytes are a backslash and a line's end behind it; none if there is none.
std::size_t continuation_at(const Source& source, std::size_t offset) noexcept;

// Keywords, functions, commands and units know no case.
std::string in_lower_case(std::string_view word);

// Like text::shown(), but keeps " and \ as they are, for a place without quotes.
std::string shown_bare(std::string_view text);

// The end of a line is none.
bool is_blank_of_line(char c) noexcept;

// The first place from the offset on that is neither such a blank nor a continuation.
std::size_t behind_blanks_of_line(const Source& source, std::size_t offset) noexcept;

}  // namespace drover::sql
