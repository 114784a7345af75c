#include "text/utf8.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace drover::text
