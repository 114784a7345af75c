#include "report/model/html_writer.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <utility>

#include "text/utf8.h"

namespace drover::report {
namespace {

constexpr std::string_view replacement_character = "\xef\xbf\xbd";

// Marks of direction without a shape of their own, and code points that no document may hold.
bool is_unwanted(char32_t point) {
  const bool mark = point == 0x200e || point == 0x200f || point == 0x061c || point == 0xfeff;
  const bool nothing = (point & 0xfffe) == 0xfffe || (point >= 0xfdd0 && point <= 0xfdef);
  return mark || nothing || !text::is_printable(point);
}

std::string_view entity(char32_t point) {
  static constexpr std::pair<char32_t, std::string_view> entities[] = {
      {'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"},
      {'"', "&quot;"}, {'\'', "&#39;"}, {'`', "&#96;"}};
  for (const auto& [sign, name] : entities) {
    if (sign == point) return name;
  }
  return {};
}

// "12.30" becomes "12.3", and "-0.0" becomes "0".
std::string without_trailing_zeros(std::string text) {
  if (text.find('.') != std::string::npos) {
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

[[maybe_unused]] bool is_harmless(const Attribute& attribute) {
  const std::string_view name = attribute.name.text();
  if (name.starts_with("on") || name == "style" || name == "src") return false;
  return name != "href" || attribute.value.starts_with('#') || attribute.value == "data:,";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const text::Utf8Character next = text::first_character(text);
    const std::string_view bytes = text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
    if (!next.valid) {
      result += replacement_character;
    } else if (next.point == '\n' || next.point == '\t') {
      result += ' ';
    } else if (!is_unwanted(next.point)) {
      const std::string_view name = entity(next.point);
      result += name.empty() ? bytes : name;
    }
  }
  return result;
}

std::string shortened(std::string_view text, std::size_t characters_max) {
  std::string_view rest = text;
  std::size_t characters = 0;
  std::size_t kept_bytes = 0;
  while (!rest.empty()) {
    const std::size_t bytes = text::first_character(rest).bytes;
    if (characters < characters_max) kept_bytes += bytes;
    ++characters;
    rest.remove_prefix(bytes);
  }
  if (characters <= characters_max) return std::string(text);
  return fmt::format("{} … and {} more characters", text.substr(0, kept_bytes),
                     characters - characters_max);
}

std::string coordinate(double value) {
  if (!std::isfinite(value)) return "0";
  return without_trailing_zeros(fmt::format("{:.1f}", value));
}

std::string percentage(double share) {
  if (!std::isfinite(share)) return "0%";
  return without_trailing_zeros(fmt::format("{:.2f}", share * 100)) + "%";
}

std::string_view HtmlWriter::begin(std::string_view selector, Attributes attributes) {
  const std::string_view tag = selector.substr(0, selector.find('.'));
  out_ += '<';
  out_ += tag;
  if (tag != selector) out_ += fmt::format(" class=\"{}\"", selector.substr(tag.size() + 1));
  for (const Attribute& attribute : attributes) {
    assert(is_harmless(attribute));
    if (attribute.value.empty() && attribute.name.text() == "class") continue;
    out_ += ' ';
    out_ += attribute.name.text();
    out_ += "=\"";
    out_ += escaped(attribute.value);
    out_ += '"';
  }
  return tag;
}

HtmlWriter::Element HtmlWriter::open(Literal selector, Attributes attributes) {
  const std::string_view tag = begin(selector.text(), attributes);
  out_ += '>';
  return {*this, tag, ++depth_};
}

void HtmlWriter::leaf(Literal selector, Attributes attributes) {
  begin(selector.text(), attributes);
  out_ += "/>";
}

void HtmlWriter::line(Literal selector, Attributes attributes, std::string_view text_in_it) {
  const Element element = open(selector, attributes);
  text(text_in_it);
}

void HtmlWriter::text(std::string_view text_of_others) {
  out_ += escaped(shortened(text_of_others, shown_characters_max));
}

void HtmlWriter::style_sheet(Literal css) {
  const Element style = open("style");
  out_ += css.text();
}

void HtmlWriter::close(std::string_view tag, std::size_t depth) {
  assert(depth == depth_);
  (void)depth;
  --depth_;
  out_ += "</";
  out_ += tag;
  out_ += '>';
  // Lines for whoever looks at the source. Not within running text, where it would be a space.
  static constexpr std::string_view blocks[] = {"section", "figure",  "table", "tr",   "svg",
                                                "g",       "details", "p",     "head", "style"};
  for (const std::string_view block : blocks) {
    if (tag == block) out_ += '\n';
  }
}

std::string HtmlWriter::take() {
  assert(depth_ == 0);
  return std::exchange(out_, {});
}

}  // namespace drover::report
