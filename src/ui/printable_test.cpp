#include "ui/log_book.h"

#include <gtest/gtest.h>

namespace drover::ui {
namespace {

TEST(Printable, TakesOutWhatATerminalActsUpon) {
  EXPECT_EQ(printable_line("a\x1b[2Jb\x07\r\nc"), "a [2Jb   c");
  EXPECT_EQ(printable_line("C1 \xc2\x9b end"), "C1   end");
  EXPECT_EQ(printable_line("turned \xe2\x80\xae round"), "turned   round");
}

TEST(Printable, KeepsUnicodeAndMarksWhatIsNone) {
  EXPECT_EQ(printable_line("größer 日本"), "größer 日本");
  EXPECT_EQ(printable_line("bad \xff\xc3"), "bad ??");
}

TEST(Printable, CutsLongText) {
  EXPECT_EQ(printable_line(std::string(5000, 'x')).size(), line_bytes_most);
  // In no character's middle.
  const std::string line = printable_line(std::string(999, 'x') + "ü");
  EXPECT_EQ(line, std::string(999, 'x'));
}

}  // namespace
}  // namespace drover::ui
