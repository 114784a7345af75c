// Writes HTML and SVG so that nothing from outside can become markup.
//
// Names of elements and of attributes, and the style sheet, are constants of the program: a Literal
// cannot be made from anything that is only known when it runs. Everything else goes through
// escaped(). So the text of a result has no way into the document but as text.
//
// An element with a class that is a constant is named as a style sheet selects it: "td.n".
//
// Elements close themselves at the end of their scope, in the right order. Each is closed, and each
// attribute has a value, so that the document is well-formed XML, too.
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

// For text and for quoted values of attributes. Control characters and those that change the
// direction of text are dropped (tabs and line breaks become spaces), and what is not UTF-8 becomes
// U+FFFD.
std::string escaped(std::string_view text);

// At most `characters_max` characters of it, and behind them how many are left out.
std::string shortened(std::string_view text, std::size_t characters_max);

// What of one text of a result is shown: enough for any message that somebody wants to read here.
inline constexpr std::size_t shown_characters_max = 1'000;

// A coordinate or length with one decimal: "12.3", "7". What is no number is 0.
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

  // The element lives as long as what is returned. Requires: no attribute that a browser would
  // execute or load (on…, style, src; href only to a place in the document).
  [[nodiscard]] Element open(Literal selector, Attributes attributes = {});

  // An element with nothing in it. Requires: HTML has it without an end, or it is one of SVG's.
  void leaf(Literal selector, Attributes attributes = {});

  // An element with only text in it.
  void line(Literal selector, std::string_view text) { line(selector, {}, text); }
  void line(Literal selector, Attributes attributes, std::string_view text);

  // At most shown_characters_max of it.
  void text(std::string_view text);

  void style_sheet(Literal css);

  // Requires: every element was closed.
  std::string take();

 private:
  std::string_view begin(std::string_view selector, Attributes attributes);
  void close(std::string_view tag, std::size_t depth);

  std::string out_ = "<!DOCTYPE html>\n";
  std::size_t depth_ = 0;
};

}  // namespace drover::report
