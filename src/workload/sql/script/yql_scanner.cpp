#include "workload/sql/script/yql_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "workload/sql/expression/expression_lexer.h"

namespace drover::sql {
namespace {

class YqlScanner {
 public:
  YqlScanner(const Source& source, std::size_t offset) : source_(source), offset_(offset) {}

  ScannedYql scan() {
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
    return {{std::move(sql_), begin, offset_, ended_by}, std::move(mentions_)};
  }

 private:
  bool at_end() const { return offset_ >= source_.text().size(); }
  char here() const { return source_.at(offset_); }
  char behind() const { return source_.at(offset_ + 1); }
  bool at(std::string_view text) const { return source_.text().substr(offset_).starts_with(text); }
  static bool is_blank(char c) { return c == '\n' || is_blank_of_line(c); }

  std::size_t end_of_line() const {
    return std::min(source_.text().find('\n', offset_), source_.text().size());
  }

  // Comments that stand before a statement are not sent with it.
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
      } else if (behind() == ';') {
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
    if (at("--")) return copy(end_of_line() - offset_);
    if (at("/*")) return copy(end_of_comment() - offset_);
    has_words_ = true;
    if (std::exchange(begins_, false)) is_named_ = c == '$';
    if (at("@@")) return copy(end_behind("@@", "the closing quote (@@) is missing") - offset_);
    if (c == '\'' || c == '"' || c == '`') return scan_quoted(c);
    if (c == '$' || c == ':') return scan_name();
    if (is_name_byte(c)) return scan_word();
    if (c == '(' || c == '{') ++depth_;
    if ((c == ')' || c == '}') && depth_ > 0) --depth_;
    copy(1);
  }

  void scan_word() {
    std::size_t end = offset_;
    while (is_name_byte(source_.at(end))) ++end;
    copy(end - offset_);
  }

  // Behind a word a colon parts the names of a module: DateTime::Now; no blank may stand there.
  void scan_name() {
    const bool has_colon = here() == ':';
    if (has_colon && behind() == ':') return copy(2);
    if (!begins_name(behind())) return copy(1);
    std::size_t end = offset_ + 1;
    while (is_name_byte(source_.at(end))) ++end;
    mentions_.push_back(
        {std::string(source_.text().substr(offset_ + 1, end - offset_ - 1)), offset_, has_colon});
    copy(end - offset_);
  }

  void scan_quoted(char quote) {
    const std::size_t begin = offset_;
    std::size_t end = offset_ + 1;
    while (end < source_.text().size() && source_.at(end) != quote) {
      end += source_.at(end) == '\\' ? 2 : 1;
    }
    if (end >= source_.text().size()) {
      throw source_.error_at(begin, fmt::format("the closing quote ({}) is missing", quote));
    }
    copy(end + 1 - offset_);
  }

  // Behind the two signs that end what two signs have begun here.
  std::size_t end_behind(std::string_view end, std::string_view problem) const {
    const std::size_t found = source_.text().find(end, offset_ + 2);
    if (found == std::string_view::npos) throw source_.error_at(offset_, problem);
    return found + end.size();
  }
  std::size_t end_of_comment() const {
    return end_behind("*/", "the end of the comment (/*) is missing");
  }

  void copy(std::size_t bytes) {
    sql_.append(source_.text().substr(offset_, bytes));
    offset_ += bytes;
  }

  const Source& source_;
  std::size_t offset_;
  SqlText sql_;
  std::vector<YqlMention> mentions_;
  std::size_t depth_ = 0;  // of parentheses and braces
  bool has_words_ = false;
  bool begins_ = true;     // the next word is the first of a statement
  bool is_named_ = false;  // the one that is being read, or was read last, is $name = …
};

}  // namespace

ScannedYql scan_yql_statement(const Source& source, std::size_t offset) {
  return YqlScanner(source, offset).scan();
}

}  // namespace drover::sql
