#include "report/model/html_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace drover::report {
namespace {

TEST(Escaped, MarkupBecomesText) {
  EXPECT_EQ(escaped("<script>alert('1')</script>"),
            "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;");
  EXPECT_EQ(escaped("\" onload=\"x"), "&quot; onload=&quot;x");
  EXPECT_EQ(escaped("a && `b`"), "a &amp;&amp; &#96;b&#96;");
  EXPECT_EQ(escaped("]]>--></style>"), "]]&gt;--&gt;&lt;/style&gt;");
  EXPECT_EQ(escaped("&lt;"), "&amp;lt;");
}

TEST(Escaped, ControlAndDirectionCharactersAreDropped) {
  EXPECT_EQ(escaped(std::string_view("a\0b\x1b[1m\x7f", 8)), "ab[1m");
  EXPECT_EQ(escaped("a\nb\tc\rd"), "a b cd");
  EXPECT_EQ(escaped("\xc2\x9b"
                    "31m"),
            "31m");  // C1
  EXPECT_EQ(escaped("x\xe2\x80\xae"
                    "fdp\xe2\x81\xa6"),
            "xfdp");                                                 // overrides and isolates
  EXPECT_EQ(escaped("\xe2\x80\x8f\xef\xbb\xbfy\xef\xbf\xbf"), "y");  // marks, BOM, U+FFFF
}

TEST(Escaped, KeepsWordsOfAnyScript) {
  EXPECT_EQ(escaped("Größe 大きさ \xf0\x9f\x90\x82"), "Größe 大きさ \xf0\x9f\x90\x82");
}

TEST(Escaped, WhatIsNotUtf8IsReplaced) {
  EXPECT_EQ(escaped("a\xff"
                    "b\xc3"),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd");
}

TEST(Shortened, CountsCharactersAndNotBytes) {
  EXPECT_EQ(shortened("ääää", 4), "ääää");
  EXPECT_EQ(shortened("äääää", 3), "äää … and 2 more characters");
  EXPECT_EQ(shortened("", 3), "");
}

TEST(Coordinate, IsAlwaysANumber) {
  EXPECT_EQ(coordinate(12.34), "12.3");
  EXPECT_EQ(coordinate(7), "7");
  EXPECT_EQ(coordinate(-0.01), "0");
  EXPECT_EQ(coordinate(std::nan("")), "0");
  EXPECT_EQ(coordinate(std::numeric_limits<double>::infinity()), "0");
  EXPECT_EQ(percentage(0.12345), "12.35%");
  EXPECT_EQ(percentage(1), "100%");
  EXPECT_EQ(percentage(std::nan("")), "0%");
}

TEST(HtmlWriter, ElementsCloseInOrder) {
  HtmlWriter html;
  {
    const auto outer = html.open("div", {{"class", "a"}});
    html.line("b", "x < y");
    html.leaf("br");
    const auto inner = html.open("i");
    html.text("z");
  }
  EXPECT_EQ(html.take(), "<!DOCTYPE html>\n<div class=\"a\"><b>x &lt; y</b><br/><i>z</i></div>");
}

TEST(HtmlWriter, AttributesAreEscaped) {
  HtmlWriter html;
  html.leaf("line", {{"aria-label", "\"><script>"}});
  EXPECT_EQ(html.take(), "<!DOCTYPE html>\n<line aria-label=\"&quot;&gt;&lt;script&gt;\"/>");
}

TEST(HtmlWriter, LongTextsAreCut) {
  HtmlWriter html;
  html.text(std::string(100'000, '<'));
  const std::string text = html.take();
  EXPECT_LT(text.size(), shown_characters_max * 4 + 100);
  EXPECT_NE(text.find("… and 99000 more characters"), std::string::npos);
}

}  // namespace
}  // namespace drover::report
