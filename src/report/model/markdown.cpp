#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "report/model/model.h"
#include "text/utf8.h"

namespace drover::report {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_hexadecimal(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// GitHub makes links of commits out of seven hexadecimal digits, and of issues out of GH-123.
bool may_become_link(std::string_view text) {
  constexpr std::size_t shortest_commit = 7;
  std::size_t digits = 0;
  for (const char c : text) {
    digits = is_hexadecimal(c) ? digits + 1 : 0;
    if (digits >= shortest_commit) return true;
  }
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.find("www.") != std::string::npos || lower.find("gh-") != std::string::npos;
}

bool is_plain(std::string_view text) {
  constexpr std::string_view harmless = " ,.;%()";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    const char last = i > 0 ? text[i - 1] : ' ';
    const bool colon = c == ':' && next == ' ';
    const bool hyphen = c == '-' && is_letter_or_digit(last) && is_letter_or_digit(next);
    const bool allowed =
        is_letter_or_digit(c) || harmless.find(c) != std::string_view::npos || colon || hyphen;
    if (!allowed) return false;
  }
  return !may_become_link(text);
}

// Returns the text for a code span, with printable characters only. Spaces at the ends, of which a
// code span drops one, are removed.
std::string cleaned(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const text::Utf8Character next = text::first_character(text);
    const std::string_view bytes = text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
    const bool space = next.point < 0x20 || !next.valid || !text::is_printable(next.point);
    if (space)
      result += ' ';
    else if (next.point == '`')
      result += '\'';
    else if (next.point == '|')
      result += "¦";
    else
      result += bytes;
  }
  const std::size_t first = result.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return result.substr(first, result.find_last_not_of(' ') - first + 1);
}

class MarkdownRenderer {
 public:
  std::string render(const Blocks& blocks) {
    write(blocks);
    return std::move(out_);
  }

  void operator()(const Heading& heading) {
    line(heading.text.markdown.empty() ? ""
                                       : std::string(static_cast<std::size_t>(heading.level), '#') +
                                             " " + heading.text.markdown);
  }
  void operator()(const Paragraph& paragraph) { line(paragraph.text.markdown); }

  void operator()(const Items& items) {
    std::string list;
    std::size_t number = 0;
    for (const Cell& item : items.items) {
      if (item.markdown.empty()) continue;
      const std::string mark = items.is_numbered ? fmt::format("{}.", ++number) : "-";
      list += (list.empty() ? "" : "\n") + fmt::format("{} {}", mark, item.markdown);
    }
    line(list);
  }

  void operator()(const Table& table) {
    if (table.columns.front().title.markdown.empty()) return;
    line(table.caption.markdown);
    std::string titles = "|";
    std::string alignment = "|";
    for (const TableColumn& column : table.columns) {
      if (column.title.markdown.empty()) continue;
      titles += column.title.markdown == " " ? " |" : fmt::format(" {} |", column.title.markdown);
      alignment += column.is_number ? "--:|" : "---|";
    }
    line(titles);
    out_ += alignment + "\n";
    for (const TableRow& row : table.rows) {
      if (!row.in_markdown) continue;
      out_ += "|";
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        if (table.columns[i].title.markdown.empty()) continue;
        out_ += fmt::format(" {} |", row.cells[i].markdown);
      }
      out_ += "\n";
    }
    line(table.rest.markdown);
  }

  void operator()(const Section& section) { write(section.blocks); }
  void operator()(const Details& details) {
    line(fmt::format("<details><summary>{}</summary>", details.summary.markdown));
    write(details.blocks);
    line("</details>");
  }
  void operator()(const SideBySide& side_by_side) {
    for (const Blocks& part : side_by_side.parts) write(part);
  }

  void operator()(const auto& /*not in Markdown*/) {}

 private:
  void write(const Blocks& blocks) {
    for (const Block& block : blocks) std::visit(*this, block.content);
  }

  // Appends a paragraph, which an empty line separates from the one before.
  void line(const std::string& text) {
    if (text.empty()) return;
    out_ += (out_.empty() ? "" : "\n") + text + "\n";
  }

  std::string out_;
};

}  // namespace

std::string markdown_name(std::string_view text) {
  const std::string clean = shortened(cleaned(text), markdown_characters_max);
  if (clean.empty()) return "–";
  return is_plain(clean) ? clean : "`" + clean + "`";
}

std::string markdown_sentence(std::string_view text) {
  // A @ would notify somebody, a # would link an issue, and a colon makes an address, which is a
  // link without any brackets.
  constexpr std::string_view signs = "\\`*_{}[]()!|~";
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '@' || c == '#' || c == ':') {
      result += fmt::format("&#{};", static_cast<int>(c));
    } else {
      if (signs.find(c) != std::string_view::npos) result += '\\';
      result += c < ' ' && c >= 0 ? ' ' : c;
    }
  }
  return result;
}

Wording name_wording(const std::string& name) {
  return {name, markdown_name(name), name};
}

Wording sentence_wording(const std::string& sentence) {
  return {sentence, markdown_sentence(sentence), sentence};
}

std::string render_markdown(const Blocks& blocks) {
  return MarkdownRenderer().render(blocks);
}

}  // namespace drover::report
