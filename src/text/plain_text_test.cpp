#include "text/plain_text.h"

#include <gtest/gtest.h>

namespace drover::text {
namespace {

TEST(PlainText, OneIsNotMany) {
  EXPECT_EQ(counted(0, "connection"), "0 connections");
  EXPECT_EQ(counted(1, "connection"), "1 connection");
  EXPECT_EQ(counted(2, "connection"), "2 connections");
  EXPECT_EQ(counted(1, "Delivery"), "1 Delivery");
  EXPECT_EQ(counted(2, "Delivery"), "2 Deliveries");
  EXPECT_EQ(plural(3, "day"), "days");
}

TEST(PlainText, ASentenceEndsWithOneMark) {
  EXPECT_EQ(sentence("disk full"), "disk full.");
  EXPECT_EQ(sentence("The disk is full."), "The disk is full.");
  EXPECT_EQ(sentence("is the server running?"), "is the server running?");
  EXPECT_EQ(sentence(""), ".");
}

TEST(PlainText, FiguresHaveNoExponent) {
  EXPECT_EQ(figure_text(2034.2), "2034");
  EXPECT_EQ(figure_text(1'234'567), "1234567");
  EXPECT_EQ(figure_text(999.6), "1000");
  EXPECT_EQ(figure_text(12.345), "12.3");
  EXPECT_EQ(figure_text(2), "2");
  EXPECT_EQ(figure_text(0.01234), "0.0123");
  EXPECT_EQ(figure_text(0.00006), "0.0001");
  EXPECT_EQ(figure_text(0.00001), "0");
  EXPECT_EQ(figure_text(-1500), "-1500");
}

TEST(PlainText, ThousandsAreApart) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(18'446'744'073'709'551'615u), "18,446,744,073,709,551,615");
  EXPECT_EQ(counted_grouped(12'345, "stall"), "12,345 stalls");
  EXPECT_EQ(counted_grouped(1, "stall"), "1 stall");
}

TEST(PlainText, OneOfANounInThePlural) {
  EXPECT_EQ(counted_of_plural(1, "workers"), "1 worker");
  EXPECT_EQ(counted_of_plural(2, "workers"), "2 workers");
  EXPECT_EQ(counted_of_plural(1, "work, ns"), "1 work, ns");
}

TEST(PlainText, BlanksAtTheEndsGo) {
  EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(trimmed("\n"), "");
  EXPECT_EQ(trimmed("a\n", " \t"), "a\n");
}

std::string folded(const std::string& text) {
  std::string out;
  append_folded(out, text);
  return out;
}

TEST(FoldedText, LongTextIsFoldedAtBlanks) {
  EXPECT_EQ(folded("a short line"), "a short line\n");
  const std::string words = std::string(60, 'a') + " " + std::string(39, 'b');
  EXPECT_EQ(folded(words), words + "\n");  // exactly as wide as a line may be
  EXPECT_EQ(folded(words + "b"), std::string(60, 'a') + "\n  " + std::string(40, 'b') + "\n");
  EXPECT_EQ(folded(std::string(150, 'x')),
            std::string(100, 'x') + "\n  " + std::string(50, 'x') + "\n");
  EXPECT_EQ(folded(""), "");
}

TEST(FoldedText, WidthAndIndentAreTheCallers) {
  std::string out;
  append_folded(out, "  label   one two three", 16, "          ", 10);
  EXPECT_EQ(out, "  label   one\n          two\n          three\n");
}

TEST(FoldedText, IsNotBrokenWithinACharacter) {
  EXPECT_EQ(folded(std::string(99, 'x') + "üü"), std::string(99, 'x') + "\n  üü\n");
}

}  // namespace
}  // namespace drover::text
