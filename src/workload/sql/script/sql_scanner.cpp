#include "workload/sql/script/sql_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "workload/sql/expression/expression_lexer.h"

namespace drover::sql {

namespace {

bool is_space(char c) noexcept {
  return c == '\n' || is_blank_of_line(c);
}

// Words of SQL go on with digits and '$': a$b$ opens no quotes.
bool is_word_byte(char c) noexcept {
  return is_name_byte(c) || c == '$';
}

// How deep a statement is in BEGIN … END of a routine's body. A BEGIN of that kind is known by the first words of its
// statement, CREATE [OR REPLACE] FUNCTION or PROCEDURE; all others are the command BEGIN.
class RoutineBody {
 public:
  bool is_open() const noexcept { return depth_ > 0; }

  void begin_statement() noexcept { words_.clear(); }

  void take(std::string_view word, bool in_parentheses) {
    const std::string lower = in_lower_case(word);
    if (word_count_of_interest()) {
      words_ += lower;
      words_ += ' ';
    }
    if (in_parentheses || !creates_routine()) return;
    if (lower == "begin" || (lower == "case" && depth_ > 0)) {
      ++depth_;
    } else if (lower == "end" && depth_ > 0) {
      --depth_;
    }
  }

 private:
  bool word_count_of_interest() const { return std::count(words_.begin(), words_.end(), ' ') < 4; }

  bool creates_routine() const {
    constexpr std::string_view beginnings[] = {"create function ", "create procedure ",
                                               "create or replace function ",
                                               "create or replace procedure "};
    return std::any_of(std::begin(beginnings), std::end(beginnings),
                       [&](std::string_view beginning) { return words_.starts_with(beginning); });
  }

  std::string words_;  // the first four, each with a blank behind it
  std::size_t depth_ = 0;
};

class SqlScanner {
 public:
  SqlScanner(const Source& source, std::size_t offset, VariableNames& names)
      : source_(source), names_(names), offset_(offset) {}

  ScannedStatement scan() {
    skip_to_first_word();
    const std::size_t begin = offset_;
    const StatementEnd ended_by = scan_to_end();
    if (ended_by != StatementEnd::semicolon && !has_words_) sql_ = SqlText();
    sql_.trim_end();
    return {std::move(sql_), begin, offset_, ended_by};
  }

 private:
  bool at_end() const { return offset_ >= source_.text().size(); }
  char here() const { return source_.at(offset_); }
  char behind(std::size_t bytes = 1) const { return source_.at(offset_ + bytes); }
  bool at(std::string_view text) const { return source_.text().substr(offset_).starts_with(text); }

  // Comments of a line that stand before a statement are not sent with it.
  void skip_to_first_word() {
    for (;;) {
      if (is_space(here())) {
        ++offset_;
      } else if (at("--")) {
        offset_ = end_of_line();
      } else {
        return;
      }
    }
  }

  std::size_t end_of_line() const {
    return std::min(source_.text().find('\n', offset_), source_.text().size());
  }

  StatementEnd scan_to_end() {
    while (!at_end()) {
      const char c = here();
      if (c == ';' && parentheses_ == 0 && !body_.is_open()) {
        copy(1);
        return StatementEnd::semicolon;
      }
      if (c == '\\' && !scan_escape()) return StatementEnd::backslash;
      if (c != '\\') scan_element();
    }
    return StatementEnd::end_of_file;
  }

  // `\;` and `\:` are the sign itself. False: a command begins.
  bool scan_escape() {
    if (behind() != ';' && behind() != ':') return false;
    has_words_ = true;  // a script of \; alone sends an empty query
    if (behind() == ';') {
      sql_.append_joint();
      body_.begin_statement();
    } else {
      sql_.append(":");
    }
    offset_ += 2;
    return true;
  }

  void scan_element();
  void scan_word();
  void scan_colon();
  void scan_quoted(char quote, bool escapes);
  bool skip_to_continuation(char quote);
  void scan_block_comment();
  bool scan_dollar_quoted();

  void copy(std::size_t bytes) {
    sql_.append(source_.text().substr(offset_, bytes));
    offset_ += bytes;
  }
  void copy_to(std::size_t end) { copy(end - offset_); }

  const Source& source_;
  VariableNames& names_;
  std::size_t offset_;
  SqlText sql_;
  RoutineBody body_;
  std::size_t parentheses_ = 0;
  bool has_words_ = false;
};

void SqlScanner::scan_element() {
  const char c = here();
  if (is_space(c)) return copy(1);
  if (at("--")) return copy_to(end_of_line());
  if (at("/*")) return scan_block_comment();
  has_words_ = true;
  if (begins_name(c)) return scan_word();
  if (c == '\'' || c == '"') return scan_quoted(c, false);
  if (c == '$' && scan_dollar_quoted()) return;
  if (c == ':') return scan_colon();
  if (c == '(') ++parentheses_;
  if (c == ')' && parentheses_ > 0) --parentheses_;
  copy(1);
}

void SqlScanner::scan_word() {
  if ((here() == 'e' || here() == 'E') && behind() == '\'') {
    copy(1);
    return scan_quoted('\'', true);
  }
  std::size_t end = offset_;
  while (is_word_byte(source_.at(end))) ++end;
  body_.take(source_.text().substr(offset_, end - offset_), parentheses_ > 0);
  copy_to(end);
}

void SqlScanner::scan_colon() {
  if (!begins_name(behind())) {
    // "::" as a whole, lest the second colon begin a variable.
    std::size_t end = offset_;
    while (source_.at(end) == ':') ++end;
    return copy_to(end);
  }
  const std::size_t begin = offset_ + 1;
  std::size_t end = begin;
  while (is_name_byte(source_.at(end))) ++end;
  if (sql_.parameters().size() == SqlText::parameters_max) {
    throw source_.error_at(offset_, fmt::format("statement has too many arguments (maximum is {})",
                                                SqlText::parameters_max));
  }
  const std::string_view name = source_.text().substr(begin, end - begin);
  sql_.append_variable(name, names_.slot_of(name));
  offset_ = end;
}

// A doubled quote ends them and begins them again, which comes to the same. Where there are escapes, what goes on with
// them has to be known: quotes that follow on another line, too, continue these.
void SqlScanner::scan_quoted(char quote, bool escapes) {
  do {
    const std::size_t begin = offset_;
    std::size_t end = offset_ + 1;
    while (end < source_.text().size() && source_.at(end) != quote) {
      end += escapes && source_.at(end) == '\\' ? 2 : 1;
    }
    if (end >= source_.text().size()) {
      throw source_.error_at(begin, fmt::format("the closing quote ({}) is missing", quote));
    }
    copy_to(end + 1);
  } while (escapes && skip_to_continuation(quote));
}

// To the quote that continues what has just ended; false if none does.
bool SqlScanner::skip_to_continuation(char quote) {
  std::size_t next = offset_;
  while (is_space(source_.at(next))) ++next;
  if (source_.at(next) != quote) return false;
  const std::string_view between = source_.text().substr(offset_, next - offset_);
  if (!between.empty() && between.find('\n') == std::string_view::npos) return false;
  copy_to(next);
  return true;
}

// They nest, as the standard wants it.
void SqlScanner::scan_block_comment() {
  const std::size_t begin = offset_;
  std::size_t end = offset_ + 2;
  for (std::size_t depth = 1; depth > 0;) {
    if (end >= source_.text().size()) {
      throw source_.error_at(begin, "the end of the comment (/*) is missing");
    }
    const std::string_view two = source_.text().substr(end, 2);
    if (two == "/*") ++depth;
    if (two == "*/") --depth;
    end += two == "/*" || two == "*/" ? 2 : 1;
  }
  copy_to(end);
}

// False where it is the number of a parameter, or a sign like another.
bool SqlScanner::scan_dollar_quoted() {
  std::size_t end = offset_ + 1;
  if (begins_name(source_.at(end))) {
    while (is_name_byte(source_.at(end))) ++end;
  }
  if (source_.at(end) != '$') return false;
  const std::string_view tag = source_.text().substr(offset_, end + 1 - offset_);
  const std::size_t close = source_.text().find(tag, end + 1);
  if (close == std::string_view::npos) {
    throw source_.error_at(offset_, "the closing dollar quote is missing");
  }
  copy_to(close + tag.size());
  return true;
}

}  // namespace

ScannedStatement scan_statement(const Source& source, std::size_t offset, VariableNames& names) {
  return SqlScanner(source, offset, names).scan();
}

}  // namespace drover::sql
