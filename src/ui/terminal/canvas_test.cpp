#include "ui/terminal/canvas.h"

#include <gtest/gtest.h>

namespace drover::ui {
namespace {

TEST(Canvas, CutsWhatIsOutside) {
  Canvas canvas(2, 5, true);
  EXPECT_EQ(canvas.put(0, 0, "abcdefgh"), 5);
  canvas.put(7, 0, "below");
  canvas.put(-1, 0, "above");
  canvas.put(1, -2, "xyz");
  EXPECT_EQ(canvas.text(), "abcd…\nz\n");
}

TEST(Canvas, CutsAtTheWidth) {
  Canvas canvas(2, 20, true);
  EXPECT_EQ(canvas.put(0, 0, "abcdefgh", Style::normal, 4), 4);
  EXPECT_EQ(canvas.put(1, 2, "fits", Style::normal, 4), 6);
  EXPECT_EQ(canvas.text(), "abc…\n  fits\n");
}

TEST(Canvas, CutsBetweenWordsAndNumbers) {
  Canvas canvas(5, 12, false);
  canvas.put(0, 0, "up 12,345 of 67,890");
  canvas.put(1, 0, "12345678 longer");
  canvas.put(2, 0, " 12  3456789012");
  canvas.put(3, 0, "exactly fits");
  canvas.put(4, 0, "one word-that-is-long");
  EXPECT_EQ(canvas.text(), "up 12,345 >\n12345678 >\n 12 >\nexactly fits\none >\n");
}

TEST(Canvas, IsAsciiIfItHasTo) {
  Canvas canvas(2, 8, false);
  canvas.put(0, 0, "größe 日本語 and more");
  canvas.put_point(1, 0, U'█');
  EXPECT_EQ(canvas.text(), "gr??e >\n?\n");
}

TEST(Canvas, WideCharactersTakeTwoCells) {
  Canvas canvas(2, 6, true);
  EXPECT_EQ(canvas.put(0, 0, "日本x"), 5);
  EXPECT_EQ(canvas.at(0, 1).point, U'\0');
  EXPECT_EQ(canvas.at(0, 4).point, U'x');
  // Half a character is none.
  canvas.put(1, 3, "日本");
  EXPECT_EQ(canvas.text(), "日本x\n   日…\n");
}

TEST(Canvas, JoiningCharactersTakeNone) {
  EXPECT_EQ(cells_of(std::string_view("e\xcc\x81t\xc3\xa9")), 3);
  Canvas canvas(1, 4, true);
  canvas.put(0, 0, "e\xcc\x81t");
  EXPECT_EQ(canvas.text(), "et\n");
}

TEST(Canvas, ControlCharactersNeverGetIn) {
  Canvas canvas(1, 12, true);
  canvas.put(0, 0, "a\x1b[31m\n\tb\x7f\xc2\x9b!");
  for (int column = 0; column < canvas.columns(); ++column) {
    EXPECT_GE(canvas.at(0, column).point, U' ') << column;
  }
  EXPECT_EQ(canvas.text(), "a [31m  b  !\n");
}

TEST(Canvas, HasAtLeastOneCellAndAtMostMany) {
  Canvas least(0, -3, true);
  least.put(0, 0, "ab");
  EXPECT_EQ(least.text(), "…\n");
  const Canvas most(1'000'000, 1'000'000, true);
  EXPECT_EQ(most.rows(), Canvas::side_most);
  EXPECT_EQ(most.columns(), Canvas::side_most);
}

TEST(Canvas, PutsToTheRight) {
  Canvas canvas(1, 6, true);
  canvas.put_right(0, 6, "ab", Style::strong);
  EXPECT_EQ(canvas.text(), "    ab\n");
  EXPECT_EQ(canvas.at(0, 4).style, Style::strong);
}

}  // namespace
}  // namespace drover::ui
