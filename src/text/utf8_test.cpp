#include "text/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <string>

namespace drover::text {
namespace {

TEST(Shown, IsOnePrintableLine) {
  EXPECT_EQ(shown("plain text, ö"), "plain text, ö");
  EXPECT_EQ(shown("a\"b\\c\n\x1b\x7f"), "a\\x22b\\x5cc\\x0a\\x1b\\x7f");
  EXPECT_EQ(shown("\xff\xc2\x9b\xe2\x80\xae"), "\\xff\\xc2\\x9b\\xe2\\x80\\xae");
  EXPECT_EQ(shown("0123456789", 8), "01234...");
  EXPECT_EQ(shown("01234", 8), "01234");
  EXPECT_EQ(shown(""), "");
}

TEST(TerminalText, KeepsLinesAndNothingThatActs) {
  EXPECT_EQ(terminal_text("a\nb ö\t\x1b[2J\r\xff\xc2\x9b\xe2\x80\xae."), "a\nb ö  [2J    .");
}

TEST(Password, IsRecognised) {
  for (const char* text : {"postgresql://u:p@h/x", "host=h password=p", "a.Password =p"}) {
    EXPECT_TRUE(may_hold_password(text)) << text;
  }
  for (const char* text : {"", "password", "passwords/result.json", "pass=3", "a:b@c"}) {
    EXPECT_FALSE(may_hold_password(text)) << text;
  }
}

TEST(Password, WordsThatMayHoldItAreNotInMessages) {
  const std::string value = "password=s3cret\"'\n";
  const std::string longer = value + std::string(500, 'x');
  const std::string given = "--json=" + value;
  const std::string glued = "-o" + longer;
  const std::string script = "password=s3cret-script";
  const std::string weighted = "--file=" + script + "@2";
  const char* const words[] = {weighted.c_str(), "drover",      value.c_str(), longer.c_str(),
                               given.c_str(),    glued.c_str(), "result.json"};
  const auto hidden = [&](const std::string& message) {
    return without_passwords(message, std::size(words), words);
  };
  EXPECT_EQ(hidden("cannot read \"result.json\""), "cannot read \"result.json\"");
  EXPECT_EQ(hidden("cannot read " + value + "!"), "cannot read (not shown)!");
  for (const std::string& written : {value, longer, script}) {
    for (const std::string& quoted : {written, shown(written), shown(written, 300)}) {
      EXPECT_EQ(hidden("a " + quoted + "!").find("s3cret"), std::string::npos) << quoted;
    }
  }
}

TEST(Utf8, AppendsCharactersOfEachLength) {
  std::string text;
  for (const char32_t point : {0x41U, 0x7fU, 0x80U, 0xe4U, 0x7ffU, 0x800U, 0x20acU, 0xffffU,
                               0x10000U, 0x1f600U, 0x10ffffU}) {
    append_utf8(text, point);
    std::string one;
    append_utf8(one, point);
    const Utf8Character read = first_character(one);
    EXPECT_TRUE(read.valid && read.point == point && read.bytes == one.size())
        << static_cast<std::uint32_t>(point);
  }
  EXPECT_EQ(text,
            "A\x7f\xc2\x80\xc3\xa4\xdf\xbf\xe0\xa0\x80\xe2\x82\xac\xef\xbf\xbf"
            "\xf0\x90\x80\x80\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf");
}

}  // namespace
}  // namespace drover::text
