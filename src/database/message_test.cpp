#include "database/message.h"

#include <gtest/gtest.h>

#include <string>

namespace drover::database {
namespace {

TEST(Message, IsOneLine) {
  EXPECT_EQ(one_line("  \n\t"), "");
  EXPECT_EQ(one_line("FATAL:  no\n\tsuch  thing \n"), "FATAL: no such thing");
  EXPECT_EQ(one_line("closed unexpectedly\n\tThis probably means\n\tthat it ended.\nLINE 1: x"),
            "closed unexpectedly. This probably means that it ended. LINE 1: x");
  EXPECT_EQ(one_line("\x1B[31mred\x07\r\x7F"), "[31mred");
  EXPECT_EQ(one_line("Größe „x“"), "Größe „x“");
}

TEST(Message, IsUtf8) {
  EXPECT_EQ(one_line("a\xFE\xFF z"), "a?? z");
  EXPECT_EQ(one_line("\xC3"), "?");
  EXPECT_EQ(one_line("\xC3("), "?(");
  EXPECT_EQ(one_line("\xC0\xAF"), "??") << "overlong";
  EXPECT_EQ(one_line("\xED\xA0\x80"), "???") << "a surrogate";
  EXPECT_EQ(one_line("\xC2\x9B 31m"), "?? 31m") << "a control character of C1";
  EXPECT_EQ(one_line("\xF4\x90\x80\x80"), "????") << "beyond Unicode";
  EXPECT_EQ(one_line("€ 𝄞"), "€ 𝄞");
  EXPECT_EQ(one_line(std::string_view("a\0b", 3)), "a b");
}

TEST(Message, IsNoBook) {
  EXPECT_EQ(one_line(std::string(message_bytes_max, 'x')).size(), message_bytes_max);
  EXPECT_EQ(one_line(std::string(1'000'000, 'x')), std::string(message_bytes_max, 'x') + "…");
  // Not in the middle of a character.
  EXPECT_EQ(one_line(std::string(message_bytes_max - 1, 'x') + "öö"),
            std::string(message_bytes_max - 1, 'x') + "ö…");
}

}  // namespace
}  // namespace drover::database
