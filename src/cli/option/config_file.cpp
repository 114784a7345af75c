#include "cli/option/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <system_error>
#include <utility>

#include "file/bounded_file.h"
#include "text/utf8.h"

namespace drover::cli {
namespace {

using text::shown;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_of_key(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '-';
}

// TOML's decimal numbers: a sign, digits, of which underscores may stand between two, a fraction,
// an exponent. Returns them without underscores and plus sign, or nothing.
std::string plain_number(std::string_view word) {
  std::string number;
  std::size_t at = 0;
  const auto take_digits = [&] {
    bool after_digit = false;
    while (at < word.size() && (is_digit(word[at]) || (word[at] == '_' && after_digit))) {
      after_digit = word[at] != '_';
      if (after_digit) number += word[at];
      ++at;
    }
    return after_digit;
  };
  const auto take_sign = [&] {
    if (at < word.size() && (word[at] == '-' || word[at] == '+')) {
      if (word[at] == '-') number += '-';
      ++at;
    }
  };
  take_sign();
  const std::size_t first = number.size();
  if (!take_digits()) return {};
  if (number.size() > first + 1 && number[first] == '0') return {};
  if (at < word.size() && word[at] == '.') {
    number += word[at++];
    if (!take_digits()) return {};
  }
  if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
    number += word[at++];
    take_sign();
    if (!take_digits()) return {};
  }
  return at == word.size() ? number : std::string();
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);  // the mark of some editors
  }

  std::vector<ConfigEntry> parse() {
    require_printable();
    while (true) {
      skip_blanks();
      if (at_end()) return std::move(entries_);
      if (take('[')) {
        parse_section();
      } else if (next() != '\n' && next() != '#') {
        parse_entry();
      }
      end_line();
    }
  }

 private:
  bool at_end() const { return at_ == text_.size(); }
  char next() const { return at_end() ? '\n' : text_[at_]; }
  bool take(char sign) {
    const bool there = !at_end() && next() == sign;
    if (there) ++at_;
    return there;
  }

  [[noreturn]] void refuse(std::string_view what) const { refuse_at(line_, what); }
  [[noreturn]] static void refuse_at(std::size_t line, std::string_view what) {
    throw ConfigFileError(fmt::format("line {}: {}", line, what));
  }

  // A file of another kind is told as what it is, and nothing in it reaches a terminal.
  void require_printable() const {
    std::size_t line = 1;
    for (std::string_view rest = text_; !rest.empty();) {
      const text::Utf8Character character = text::first_character(rest);
      if (!character.valid) refuse_at(line, "expected text in UTF-8, found other bytes");
      const bool is_break = character.point == '\n' || rest.starts_with("\r\n");
      if (!is_break && character.point != '\t' && !text::is_printable(character.point)) {
        refuse_at(line, fmt::format("expected text, found the control character U+{:04X}",
                                    static_cast<unsigned>(character.point)));
      }
      if (character.point == '\n') ++line;
      rest.remove_prefix(character.bytes);
    }
  }

  void skip_blanks() {
    while (!at_end() && (next() == ' ' || next() == '\t' || next() == '\r')) ++at_;
  }

  void skip_comment() {
    if (next() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
  }

  void end_line() {
    skip_blanks();
    skip_comment();
    if (at_end()) return;
    if (!take('\n')) refuse("expected the end of the line or a comment (#)");
    ++line_;
  }

  void parse_section() {
    if (next() == '[') refuse("lists of sections ([[...]]) are not supported. Write [...]");
    section_ = parse_path();
    if (!take(']')) refuse("expected ] after the name of the section");
    const auto [earlier, is_new] = sections_.emplace(section_, line_);
    if (!is_new) {
      refuse(fmt::format("the section [{}] is already defined in line {}", fmt::join(section_, "."),
                         earlier->second));
    }
  }

  void parse_entry() {
    ConfigEntry entry;
    entry.line = line_;
    std::vector<std::string> path = parse_path();
    // The name is not shown: it could be the rest of a text that was broken into two lines.
    if (!take('=')) refuse("expected = after the key");
    entry.key = std::move(path.back());
    path.pop_back();
    entry.section = section_;
    entry.section.insert(entry.section.end(), path.begin(), path.end());
    skip_blanks();
    if (take('[')) {
      parse_list(entry);
    } else {
      entry.kind = parse_scalar(entry);
    }
    std::vector<std::string> name = entry.section;
    name.push_back(entry.key);
    const auto [earlier, is_new] = keys_.emplace(std::move(name), entry.line);
    if (!is_new) {
      refuse_at(entry.line,
                fmt::format("the key {} is already set in line {}", entry.key, earlier->second));
    }
    entries_.push_back(std::move(entry));
  }

  // Words with dots between; leaves what follows them, behind blanks.
  std::vector<std::string> parse_path() {
    constexpr std::size_t longest = 100;
    constexpr std::size_t most = 8;
    std::vector<std::string> path;
    while (true) {
      skip_blanks();
      const std::size_t start = at_;
      while (!at_end() && is_of_key(next())) ++at_;
      if (at_ == start)
        refuse(
            "expected a section such as [tpcc.run] or a setting such as warehouses = 10. A name "
            "consists of letters, digits, - and _");
      if (at_ - start > longest) refuse(fmt::format("a name has at most {} characters", longest));
      if (path.size() == most) refuse(fmt::format("a name has at most {} parts", most));
      path.emplace_back(text_.substr(start, at_ - start));
      skip_blanks();
      if (!take('.')) return path;
    }
  }

  ConfigKind parse_scalar(ConfigEntry& entry) {
    if (next() == '"' || next() == '\'') {
      entry.values.push_back(next() == '"' ? parse_text() : parse_literal_text());
      return ConfigKind::text;
    }
    const std::size_t start = at_;
    while (!at_end() && (is_of_key(next()) || next() == '.' || next() == '+')) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    if (word == "true" || word == "false") {
      entry.values.emplace_back(word);
      return ConfigKind::truth;
    }
    std::string number = plain_number(word);
    if (number.empty()) {
      refuse(fmt::format("{}: expected text in quotes, a decimal number, true, false or a list",
                         entry.key));
    }
    entry.values.push_back(std::move(number));
    return ConfigKind::number;
  }

  void parse_list(ConfigEntry& entry) {
    entry.kind = ConfigKind::list;
    bool expects_value = true;
    while (true) {
      skip_blanks();
      skip_comment();
      if (at_end())
        refuse(fmt::format("{}: the list that begins in line {} is not closed. Expected ]",
                           entry.key, entry.line));
      if (take('\n')) {
        ++line_;
      } else if (take(']')) {
        return;
      } else if (!expects_value && take(',')) {
        expects_value = true;
      } else if (expects_value && next() != ',' && next() != '[') {
        parse_scalar(entry);
        expects_value = false;
      } else {
        refuse(fmt::format("{}: expected {} in the list", entry.key,
                           expects_value ? "a value or ]" : "a comma or ]"));
      }
    }
  }

  void require_one_line(char quote) const {
    const std::string three(3, quote);
    if (text_.substr(at_).starts_with(three))
      refuse(fmt::format("text of several lines ({}) is not supported", three));
  }

  // The only control character that may stand in a line at all.
  void require_no_tab() const {
    if (next() == '\t') refuse("expected text without tabs, found a tab");
  }

  std::string parse_literal_text() {
    require_one_line('\'');
    const std::size_t start = ++at_;
    while (next() != '\'' && next() != '\n') {
      require_no_tab();
      ++at_;
    }
    if (next() != '\'') refuse("the text is not closed. Expected ' before the end of the line");
    return std::string(text_.substr(start, at_++ - start));
  }

  std::string parse_text() {
    require_one_line('"');
    ++at_;
    std::string result;
    while (next() != '"') {
      if (next() == '\n') refuse("the text is not closed. Expected \" before the end of the line");
      if (take('\\')) {
        parse_escape(result);
      } else {
        require_no_tab();
        result += text_[at_++];
      }
    }
    ++at_;
    return result;
  }

  void parse_escape(std::string& result) {
    const char letter = next();
    const std::size_t digits = letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    if (letter != '"' && letter != '\\' && digits == 0) {
      refuse(
          "expected \\\\, \\\", \\uXXXX or \\UXXXXXXXX. To get a backslash, write it twice, or put "
          "the text in '...'");
    }
    ++at_;
    if (digits == 0) {
      result += letter;
      return;
    }
    const std::string_view hex = text_.substr(at_, digits);
    std::uint32_t point = 0;
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), point, 16);
    if (error != std::errc() || hex.size() != digits || end != hex.data() + digits) {
      refuse(fmt::format("expected {} hexadecimal digits after \\{}", digits, letter));
    }
    const bool surrogate = point >= 0xd800 && point < 0xe000;
    if (point > 0x10ffff || surrogate || !text::is_printable(point)) {
      refuse("expected a printable character of Unicode after the backslash");
    }
    at_ += digits;
    text::append_utf8(result, point);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::vector<std::string> section_;
  std::map<std::vector<std::string>, std::size_t> sections_;  // and their lines
  std::map<std::vector<std::string>, std::size_t> keys_;
  std::vector<ConfigEntry> entries_;
};

}  // namespace

std::vector<ConfigEntry> parse_config(std::string_view text) {
  return Parser(text).parse();
}

std::string config_file_name(const std::filesystem::path& path) {
  return fmt::format("the config file \"{}\"", text::shown(path.native(), 300));
}

std::vector<ConfigEntry> read_config_file(const std::filesystem::path& path) {
  try {
    return parse_config(file::read_bounded_file(path, config_bytes_max));
  } catch (const file::UnreadableFile& error) {
    throw ConfigFileError(fmt::format("{}: {}", config_file_name(path), error.what()));
  } catch (const ConfigFileError& error) {
    throw ConfigFileError(fmt::format("{}, {}", config_file_name(path), error.what()));
  }
}

}  // namespace drover::cli
