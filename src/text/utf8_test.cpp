#include "text/utf8.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace drover::text
