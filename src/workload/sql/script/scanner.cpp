#include "workload/sql/script/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace drover::sql {
namespace {

class Scanner {
 protected:
  Scanner(const Source& source, std::size_t offset) : source_(source), offset_(offset) {}

  bool at_end() const { return offset_ >= source_.text().size(); }
  char here() const { return source_.at(offset_); }
  char next() const { return source_.at(offset_ + 1); }
  bool at(std::string_view text) const { return source_.text().substr(offset_).starts_with(text); }

  std::size_t end_of_line() const {
    return std::min(source_.text().find('\n', offset_), source_.text().size());
  }

  void copy_to(std::size_t end) {
    sql_.append(source_.text().substr(offset_, end - offset_));
    offset_ = end;
  }
  void copy(std::size_t bytes) { copy_to(offset_ + bytes); }

  // `escapes`: a backslash escapes the next character.
  void copy_quoted(char quote, bool escapes) {
    std::size_t end = offset_ + 1;
    while (end < source_.text().size() && source_.at(end) != quote) {
      end += escapes && source_.at(end) == '\\' ? 2 : 1;
    }
    if (end >= source_.text().size()) {
      throw source_.error_at(offset_, fmt::format("the closing quote ({}) is missing", quote));
    }
    copy_to(end + 1);
  }

  [[noreturn]] void refuse_open_comment() const {
    throw source_.error_at(offset_, "the end of the comment (/*) is missing");
  }

  const Source& source_;
  std::size_t offset_;
  SqlText sql_;
  bool has_words_ = false;
};

// The depth of a statement in the BEGIN … END of a routine's body. Only statements that begin with
// CREATE [OR REPLACE] FUNCTION or PROCEDURE have a body. In others, BEGIN is the command.
class RoutineBody {
 public:
  bool is_open() const noexcept { return depth_ > 0; }

  void begin_statement() noexcept { words_.clear(); }

  void take(std::string_view word, bool in_parentheses) {
    const std::string lower = in_lower_case(word);
    if (std::ranges::count(words_, ' ') < 4) words_ += lower + ' ';
    if (in_parentheses || !creates_routine()) return;
    if (lower == "begin" || (lower == "case" && depth_ > 0)) {
      ++depth_;
    } else if (lower == "end" && depth_ > 0) {
      --depth_;
    }
  }

 private:
  bool creates_routine() const {
    constexpr std::string_view beginnings[] = {"create function ", "create procedure ",
                                               "create or replace function ",
                                               "create or replace procedure "};
    return std::ranges::any_of(beginnings, [&](auto text) { return words_.starts_with(text); });
  }

  std::string words_;  // the first four words, each followed by a blank
  std::size_t depth_ = 0;
};

class SqlScanner : Scanner {
 public:
  SqlScanner(const Source& source, std::size_t offset, VariableNames& names)
      : Scanner(source, offset), names_(names) {}

  ScannedStatement scan() {
    skip_to_first_word();
    const std::size_t begin = offset_;
    const StatementEnd ended_by = scan_to_end();
    if (ended_by != StatementEnd::semicolon && !has_words_) sql_ = SqlText();
    sql_.trim_end();
    return {std::move(sql_), begin, offset_, ended_by};
  }

 private:
  // Skips line comments before the statement, which are not sent.
  void skip_to_first_word() {
    for (;;) {
      if (is_blank(here())) {
        ++offset_;
      } else if (at("--")) {
        offset_ = end_of_line();
      } else {
        return;
      }
    }
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

  // Scans `\;` and `\:`. Returns false at a meta command.
  bool scan_escape() {
    if (next() != ';' && next() != ':') return false;
    has_words_ = true;  // a script of `\;` alone sends an empty query
    if (next() == ';') {
      sql_.append_joint();
      body_.begin_statement();
    } else {
      sql_.append(":");
    }
    offset_ += 2;
    return true;
  }

  void scan_element() {
    const char c = here();
    if (is_blank(c)) return copy(1);
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

  // A '$' continues a word, so a$b$ opens no quotes.
  void scan_word() {
    if ((here() == 'e' || here() == 'E') && next() == '\'') {
      copy(1);
      return scan_quoted('\'', true);
    }
    std::size_t end = offset_;
    while (is_name_byte(source_.at(end)) || source_.at(end) == '$') ++end;
    body_.take(source_.text().substr(offset_, end - offset_), parentheses_ > 0);
    copy_to(end);
  }

  void scan_colon() {
    if (!begins_name(next())) {
      // Copies "::" as a whole, because its second colon begins no variable.
      std::size_t end = offset_;
      while (source_.at(end) == ':') ++end;
      return copy_to(end);
    }
    if (sql_.parameters().size() == SqlText::parameters_max) {
      throw source_.error_at(
          offset_,
          fmt::format("statement has too many arguments (maximum is {})", SqlText::parameters_max));
    }
    const std::size_t begin = offset_ + 1;
    offset_ = source_.skip_name(begin);
    const std::string_view name = source_.text().substr(begin, offset_ - begin);
    sql_.append_variable(name, names_.slot_of(name));
  }

  // A doubled quote counts as an end and a new beginning. With escapes, quotes that continue the
  // string on a later line also have escapes.
  void scan_quoted(char quote, bool escapes) {
    do copy_quoted(quote, escapes);
    while (escapes && copy_to_continuation(quote));
  }

  // Copies the blanks up to a quote that continues the string. Returns false if there is none.
  bool copy_to_continuation(char quote) {
    std::size_t quoted = offset_;
    while (is_blank(source_.at(quoted))) ++quoted;
    if (source_.at(quoted) != quote) return false;
    const std::string_view between = source_.text().substr(offset_, quoted - offset_);
    if (!between.empty() && between.find('\n') == std::string_view::npos) return false;
    copy_to(quoted);
    return true;
  }

  void scan_block_comment() {
    const std::size_t bytes = block_comment_size(source_.text().substr(offset_));
    if (bytes == std::string_view::npos) refuse_open_comment();
    copy(bytes);
  }

  // Returns false if the '$' opens no quotes: it belongs to $1, for example.
  bool scan_dollar_quoted() {
    std::size_t end = offset_ + 1;
    if (begins_name(source_.at(end))) end = source_.skip_name(end);
    if (source_.at(end) != '$') return false;
    const std::string_view tag = source_.text().substr(offset_, end + 1 - offset_);
    const std::size_t close = source_.text().find(tag, end + 1);
    if (close == std::string_view::npos) {
      throw source_.error_at(offset_, "the closing dollar quote is missing");
    }
    copy_to(close + tag.size());
    return true;
  }

  VariableNames& names_;
  RoutineBody body_;
  std::size_t parentheses_ = 0;
};

class YqlScanner : Scanner {
 public:
  YqlScanner(const Source& source, std::size_t offset) : Scanner(source, offset) {}

  ScannedStatement scan() {
    skip_to_first_word();
    const std::size_t begin = offset_;
    const StatementEnd ended_by = scan_to_end();
    if (ended_by != StatementEnd::semicolon && is_named_) {
      throw source_.error_at(begin,
                             "a named expression belongs to the statement that follows it. Nothing "
                             "else may stand between them");
    }
    if (!has_words_) sql_ = SqlText();
    sql_.trim_end();
    return {std::move(sql_), begin, offset_, ended_by, std::move(mentions_)};
  }

 private:
  // Skips comments before the statement, which are not sent.
  void skip_to_first_word() {
    for (;;) {
      if (!at_end() && is_blank(here())) {
        ++offset_;
      } else if (at("--")) {
        offset_ = end_of_line();
      } else if (at("/*")) {
        offset_ = end_of_comment();
      } else {
        return;
      }
    }
  }

  StatementEnd scan_to_end() {
    while (!at_end()) {
      if (here() == ';' && depth_ == 0) {
        if (!is_named_) {
          copy(1);
          return StatementEnd::semicolon;
        }
        join(1);
      } else if (here() != '\\') {
        scan_element();
      } else if (next() == ';') {
        join(2);
      } else {
        return StatementEnd::backslash;
      }
    }
    return StatementEnd::end_of_file;
  }

  void join(std::size_t bytes) {
    sql_.append_joint();
    offset_ += bytes;
    begins_ = true;
  }

  void scan_element() {
    const char c = here();
    if (is_blank(c)) return copy(1);
    if (at("--")) return copy_to(end_of_line());
    if (at("/*")) return copy_to(end_of_comment());
    has_words_ = true;
    if (std::exchange(begins_, false)) is_named_ = c == '$';
    if (at("@@")) return copy_to(end_of_text());
    if (c == '\'' || c == '"' || c == '`') return copy_quoted(c, true);
    if (c == '$' || c == ':') return scan_name();
    if (is_name_byte(c)) return copy_to(source_.skip_name(offset_));
    if (c == '(' || c == '{') ++depth_;
    if ((c == ')' || c == '}') && depth_ > 0) --depth_;
    copy(1);
  }

  // A double colon separates the names of a module: DateTime::Now.
  void scan_name() {
    const bool has_colon = here() == ':';
    if (has_colon && next() == ':') return copy(2);
    if (!begins_name(next())) return copy(1);
    const std::size_t end = source_.skip_name(offset_ + 1);
    mentions_.push_back(
        {std::string(source_.text().substr(offset_ + 1, end - offset_ - 1)), offset_, has_colon});
    copy_to(end);
  }

  std::size_t end_of_text() const {
    const std::size_t found = source_.text().find("@@", offset_ + 2);
    if (found != std::string_view::npos) return found + 2;
    throw source_.error_at(offset_, "the closing quote (@@) is missing");
  }

  // YQL's comments do not nest.
  std::size_t end_of_comment() const {
    const std::size_t found = source_.text().find("*/", offset_ + 2);
    if (found == std::string_view::npos) refuse_open_comment();
    return found + 2;
  }

  std::vector<YqlMention> mentions_;
  std::size_t depth_ = 0;  // of parentheses and braces
  bool begins_ = true;     // the next word is the first of a statement
  bool is_named_ = false;  // the last or current statement is a named expression
};

}  // namespace

ScannedStatement scan_statement(const Source& source, std::size_t offset, VariableNames& names) {
  return SqlScanner(source, offset, names).scan();
}

ScannedStatement scan_yql_statement(const Source& source, std::size_t offset) {
  return YqlScanner(source, offset).scan();
}

}  // namespace drover::sql
