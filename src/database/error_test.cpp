#include "database/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

namespace drover::database {
namespace {

TEST(ErrorClass, FollowsTheSqlstate) {
  EXPECT_EQ(classify_sqlstate("40001"), ErrorClass::retryable);
  EXPECT_EQ(classify_sqlstate("40P01"), ErrorClass::retryable);
  EXPECT_EQ(classify_sqlstate("40002"), ErrorClass::statement);
  EXPECT_EQ(classify_sqlstate("40003"), ErrorClass::ambiguous_commit);
  EXPECT_EQ(classify_sqlstate("08007"), ErrorClass::ambiguous_commit);
  EXPECT_EQ(classify_sqlstate("25P03"), ErrorClass::connection_lost);
  EXPECT_EQ(classify_sqlstate("57P05"), ErrorClass::connection_lost);
  EXPECT_EQ(classify_sqlstate("57P02"), ErrorClass::connection_lost);
  EXPECT_EQ(classify_sqlstate("25006"), ErrorClass::unavailable);
  EXPECT_EQ(classify_sqlstate("25P02"), ErrorClass::statement);
  EXPECT_EQ(classify_sqlstate("57P04"), ErrorClass::denied);
  EXPECT_EQ(classify_sqlstate("42501"), ErrorClass::denied);
  EXPECT_EQ(classify_sqlstate("57014"), ErrorClass::timed_out);
  EXPECT_EQ(classify_sqlstate("55P03"), ErrorClass::timed_out);
  EXPECT_EQ(classify_sqlstate("57P01"), ErrorClass::connection_lost);
  EXPECT_EQ(classify_sqlstate("57P03"), ErrorClass::unavailable);
  EXPECT_EQ(classify_sqlstate("08006"), ErrorClass::connection_lost);
  EXPECT_EQ(classify_sqlstate("53300"), ErrorClass::unavailable);
  EXPECT_EQ(classify_sqlstate("28P01"), ErrorClass::denied);
  EXPECT_EQ(classify_sqlstate("3D000"), ErrorClass::denied);
  EXPECT_EQ(classify_sqlstate("42P01"), ErrorClass::statement);
  EXPECT_EQ(classify_sqlstate(""), ErrorClass::statement);
}

TEST(ErrorClass, HasANameEach) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < error_class_count; ++i) {
    names.insert(error_class_name(static_cast<ErrorClass>(i)));
  }
  EXPECT_EQ(names.size(), error_class_count);
  EXPECT_EQ(names.count("unknown"), 0U);
  EXPECT_EQ(error_class_name(ErrorClass::timed_out), "timeout");
  EXPECT_EQ(error_class_name(static_cast<ErrorClass>(error_class_count)), "unknown");
}

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
