#include "cli/option/config_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <regex>
#include <system_error>
#include <utility>

#include "file/bounded_file.h"
#include "text/utf8.h"

namespace drover::cli {
namespace {

constexpr std::string_view name_characters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
constexpr std::string_view scalar_characters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+";

// Returns a decimal number of TOML without underscores and plus signs, or nothing if the word is
// none.
std::string plain_number(std::string word) {
  constexpr std::size_t bytes_most = 1'000;  // std::regex recurses for each character
  static const std::regex shape(
      R"([+-]?(0|[1-9](_?[0-9])*)(\.[0-9](_?[0-9])*)?([eE][+-]?[0-9](_?[0-9])*)?)");
  if (word.size() > bytes_most || !std::regex_match(word, shape)) return {};
  std::erase_if(word, [](char c) { return c == '_' || c == '+'; });
  return word;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);  // byte order mark
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
    const bool is_next = !at_end() && next() == sign;
    if (is_next) ++at_;
    return is_next;
  }
  // Takes the characters that follow as far as they are some of these.
  std::string take_all(std::string_view characters) {
    const std::size_t start = at_;
    at_ = std::min(text_.find_first_not_of(characters, at_), text_.size());
    return std::string(text_.substr(start, at_ - start));
  }
  void skip_blanks() { take_all(" \t\r"); }
  void skip_comment() {
    if (next() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
  }

  [[noreturn]] void refuse(std::string_view what) const { refuse_at(line_, what); }
  [[noreturn]] static void refuse_at(std::size_t line, std::string_view what) {
    throw ConfigFileError(fmt::format("line {}: {}", line, what));
  }

  // Refuses a file of another kind, and control characters, which messages could show.
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
    if (is_new) return;
    refuse(fmt::format("the section [{}] is already defined in line {}", fmt::join(section_, "."),
                       earlier->second));
  }

  void parse_entry() {
    ConfigEntry entry{.section = section_, .key = {}, .values = {}, .line = line_};
    const std::vector<std::string> path = parse_path();
    // The message does not contain the name, which may be the second line of a text.
    if (!take('=')) refuse("expected = after the key");
    entry.section.insert(entry.section.end(), path.begin(), path.end() - 1);
    entry.key = path.back();
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

  // Parses names with dots between them, and the blanks that follow.
  std::vector<std::string> parse_path() {
    constexpr std::size_t longest = 100;
    constexpr std::size_t most = 8;
    std::vector<std::string> path;
    do {
      skip_blanks();
      std::string name = take_all(name_characters);
      if (name.empty())
        refuse(
            "expected a section such as [tpcc.run] or a setting such as warehouses = 10. A name "
            "consists of letters, digits, - and _");
      if (name.size() > longest) refuse(fmt::format("a name has at most {} characters", longest));
      if (path.size() == most) refuse(fmt::format("a name has at most {} parts", most));
      path.push_back(std::move(name));
      skip_blanks();
    } while (take('.'));
    return path;
  }

  ConfigKind parse_scalar(ConfigEntry& entry) {
    if (next() == '"' || next() == '\'') {
      entry.values.push_back(parse_text(next()));
      return ConfigKind::text;
    }
    std::string word = take_all(scalar_characters);
    const bool is_truth = word == "true" || word == "false";
    if (!is_truth) word = plain_number(std::move(word));
    if (word.empty()) {
      refuse(fmt::format("{}: expected text in quotes, a decimal number, true, false or a list",
                         entry.key));
    }
    entry.values.push_back(std::move(word));
    return is_truth ? ConfigKind::truth : ConfigKind::number;
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

  std::string parse_text(char quote) {
    const std::string three(3, quote);
    if (text_.substr(at_).starts_with(three))
      refuse(fmt::format("text of several lines ({}) is not supported", three));
    ++at_;
    std::string result;
    while (!take(quote)) {
      if (next() == '\n') {
        refuse(
            fmt::format("the text is not closed. Expected {} before the end of the line", quote));
      }
      // require_printable() accepts tabs between values.
      if (next() == '\t') refuse("expected text without tabs, found a tab");
      if (quote == '"' && take('\\')) {
        parse_escape(result);
      } else {
        result += text_[at_++];
      }
    }
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
    const bool is_surrogate = point >= 0xd800 && point < 0xe000;
    if (point > 0x10ffff || is_surrogate || !text::is_printable(point)) {
      refuse("expected a printable character of Unicode after the backslash");
    }
    at_ += digits;
    text::append_utf8(result, point);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::vector<std::string> section_;
  std::map<std::vector<std::string>, std::size_t> sections_;  // with their lines
  std::map<std::vector<std::string>, std::size_t> keys_;      // with their lines
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
