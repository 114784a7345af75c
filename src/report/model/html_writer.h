// Writes HTML and SVG. No text from outside can become markup.
//
// Names of elements and attributes, and the style sheet, are constants of the program: a Literal
// cannot be made from a value that is only known at run time. All other text goes through
// escaped().
//
// An element with a constant class is named as in a style sheet: "td.n". An attribute "class"
// without a value is left out.
//
// Elements close themselves at the end of their scope, in the right order. Each is closed and each
// attribute has a value, so the document is well-formed XML, too.
//
// Not synchronised: one thread at a time.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace drover::report {

// A string literal of the program.
class Literal {
 public:
  consteval Literal(const char* text) : text_(text) {}  // NOLINT(google-explicit-constructor)
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// Returns text for elements and for quoted values of attributes. Drops control characters and
// characters that change the direction of text. Tabs and line breaks become spaces, and bytes that
// are not UTF-8 become U+FFFD.
std::string escaped(std::string_view text);

// Returns at most `characters_max` characters, followed by the number of omitted characters.
std::string shortened(std::string_view text, std::size_t characters_max);

// At most this number of characters of a text is shown.
inline constexpr std::size_t shown_characters_max = 1'000;

// A coordinate or length with one decimal: "12.3", "7". Values that are not finite become "0".
std::string coordinate(double value);
std::string percentage(double share);  // of 1, with two decimals: "12.34%"

struct Attribute {
  Literal name;
  std::string value;
};

class HtmlWriter {
 public:
  class Element {
   public:
    Element(const Element&) = delete;
    Element& operator=(const Element&) = delete;
    ~Element() { writer_.close(tag_, depth_); }

   private:
    friend class HtmlWriter;
    Element(HtmlWriter& writer, std::string_view tag, std::size_t depth)
        : writer_(writer), tag_(tag), depth_(depth) {}

    HtmlWriter& writer_;
    std::string_view tag_;
    std::size_t depth_;
  };
  using Attributes = std::initializer_list<Attribute>;

  // Opens an element, which the destructor of the returned object closes. Requires: no attribute
  // that a browser would execute or load (on…, style, src; href only to a place in the document).
  [[nodiscard]] Element open(Literal selector, Attributes attributes = {});

  // Writes an empty element. Requires: HTML has it without an end tag, or it is one of SVG's.
  void leaf(Literal selector, Attributes attributes = {});

  // Writes an element that contains only text.
  void line(Literal selector, std::string_view text) { line(selector, {}, text); }
  void line(Literal selector, Attributes attributes, std::string_view text);

  // Writes at most shown_characters_max characters.
  void text(std::string_view text);

  void style_sheet(Literal css);

  // Returns the document. Requires: every element was closed.
  std::string take();

 private:
  std::string_view begin(std::string_view selector, Attributes attributes);
  void close(std::string_view tag, std::size_t depth);

  std::string out_ = "<!DOCTYPE html>\n";
  std::size_t depth_ = 0;
};

}  // namespace drover::report
