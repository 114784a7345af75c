#include "workload/sql/expression/expression_lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "text/plain_text.h"
#include "text/utf8.h"
#include "workload/sql/expression/variables.h"

namespace drover::sql {

namespace {

using NamedToken = std::pair<std::string_view, TokenKind>;

constexpr std::array<NamedToken, 14> reserved_words = {{
    {"and", TokenKind::and_word},
    {"or", TokenKind::or_word},
    {"not", TokenKind::not_word},
    {"is", TokenKind::is_word},
    {"isnull", TokenKind::isnull_word},
    {"notnull", TokenKind::notnull_word},
    {"null", TokenKind::null_word},
    {"true", TokenKind::true_word},
    {"false", TokenKind::false_word},
    {"case", TokenKind::case_word},
    {"when", TokenKind::when_word},
    {"then", TokenKind::then_word},
    {"else", TokenKind::else_word},
    {"end", TokenKind::end_word},
}};

// The longer ones first.
constexpr std::array<NamedToken, 20> operator_signs = {{
    {"<=", TokenKind::less_or_equal},
    {">=", TokenKind::greater_or_equal},
    {"<>", TokenKind::not_equal},
    {"!=", TokenKind::not_equal},
    {"<<", TokenKind::shift_left},
    {">>", TokenKind::shift_right},
    {"+", TokenKind::plus},
    {"-", TokenKind::minus},
    {"*", TokenKind::times},
    {"/", TokenKind::divided_by},
    {"%", TokenKind::percent},
    {"(", TokenKind::left_parenthesis},
    {")", TokenKind::right_parenthesis},
    {",", TokenKind::comma},
    {"=", TokenKind::equal},
    {"<", TokenKind::less},
    {">", TokenKind::greater},
    {"|", TokenKind::bar},
    {"#", TokenKind::hash},
    {"&", TokenKind::ampersand},
}};

bool is_decimal_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

TokenKind kind_of_word(std::string_view word) {
  const std::string lower = in_lower_case(word);
  const auto found = std::find_if(reserved_words.begin(), reserved_words.end(),
                                  [&](const NamedToken& known) { return known.first == lower; });
  return found == reserved_words.end() ? TokenKind::word : found->second;
}

std::size_t skip_digits(const Source& source, std::size_t offset) {
  while (is_decimal_digit(source.at(offset))) ++offset;
  return offset;
}

std::size_t skip_name(const Source& source, std::size_t offset) {
  while (is_name_byte(source.at(offset))) ++offset;
  return offset;
}

// Behind 'e', an optional sign and digits; where there are none, the offset as it was.
std::size_t skip_exponent(const Source& source, std::size_t offset) {
  if (source.at(offset) != 'e' && source.at(offset) != 'E') return offset;
  const char sign = source.at(offset + 1);
  const std::size_t digits = offset + (sign == '+' || sign == '-' ? 2 : 1);
  const std::size_t end = skip_digits(source, digits);
  return end == digits ? offset : end;
}

}  // namespace

std::string in_lower_case(std::string_view word) {
  std::string result(word);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return result;
}

std::string shown_bare(std::string_view text) {
  std::string shown = text::shown(text);
  for (const auto& [escape, sign] : {std::pair("\\x22", '"'), std::pair("\\x5c", '\\')}) {
    for (std::size_t at = 0; (at = shown.find(escape, at)) != std::string::npos; ++at) {
      shown.replace(at, 4, 1, sign);
    }
  }
  return shown;
}

std::size_t continuation_at(const Source& source, std::size_t offset) noexcept {
  if (source.at(offset) != '\\') return 0;
  if (source.at(offset + 1) == '\n') return 2;
  return source.at(offset + 1) == '\r' && source.at(offset + 2) == '\n' ? 3 : 0;
}

bool is_blank_of_line(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

std::size_t behind_blanks_of_line(const Source& source, std::size_t offset) noexcept {
  for (;;) {
    if (is_blank_of_line(source.at(offset))) {
      ++offset;
    } else if (const std::size_t bytes = continuation_at(source, offset)) {
      offset += bytes;
    } else {
      return offset;
    }
  }
}

void ExpressionLexer::skip_blanks() {
  offset_ = behind_blanks_of_line(source_, offset_);
}

Token ExpressionLexer::taken(TokenKind kind, std::size_t bytes) {
  Token token;
  token.kind = kind;
  token.begin = offset_;
  token.text = source_.text().substr(offset_, bytes);
  offset_ += bytes;
  return token;
}

Token ExpressionLexer::number() {
  const std::size_t digits_end = skip_digits(source_, offset_);
  std::size_t end = digits_end;
  if (source_.at(end) == '.') end = skip_digits(source_, end + 1);
  end = skip_exponent(source_, end);
  if (end == digits_end) {
    Token token = taken(TokenKind::integer, end - offset_);
    if (token.text == "9223372036854775808") {
      token.kind = TokenKind::smallest_integer;
    } else if (const auto integer = text::number_of<std::int64_t>(token.text)) {
      token.integer = *integer;
    } else {
      throw source_.error_at(token.begin,
                             fmt::format("bigint constant overflow ({})", text::shown(token.text)));
    }
    return token;
  }
  Token token = taken(TokenKind::real, end - offset_);
  const auto real = text::number_of<double>(token.text);
  if (!real || std::fpclassify(*real) == FP_SUBNORMAL) {  // as in pgbench
    throw source_.error_at(token.begin,
                           fmt::format("double constant overflow ({})", text::shown(token.text)));
  }
  token.real = *real;
  return token;
}

Token ExpressionLexer::sign() {
  const std::string_view rest = source_.text().substr(offset_);
  for (const auto& [text, kind] : operator_signs) {
    if (rest.starts_with(text)) return taken(kind, text.size());
  }
  if (rest.starts_with('~')) return taken(TokenKind::tilde, 1);
  const std::size_t bytes = text::first_character(rest).bytes;
  throw source_.error_at(
      offset_, fmt::format("unexpected character ({})", shown_bare(rest.substr(0, bytes))));
}

Token ExpressionLexer::next() {
  skip_blanks();
  const char first = source_.at(offset_);
  if (offset_ >= source_.text().size() || first == '\n') return taken(TokenKind::end, 0);
  if (is_decimal_digit(first) || (first == '.' && is_decimal_digit(source_.at(offset_ + 1)))) {
    return number();
  }
  if (begins_name(first)) {
    Token token = taken(TokenKind::word, skip_name(source_, offset_) - offset_);
    token.kind = kind_of_word(token.text);
    return token;
  }
  if (first == ':' && is_name_byte(source_.at(offset_ + 1))) {
    Token token = taken(TokenKind::variable, skip_name(source_, offset_ + 1) - offset_);
    token.text.remove_prefix(1);
    return token;
  }
  return sign();
}

}  // namespace drover::sql
