#include "ui/log_book.h"

#include <gtest/gtest.h>

namespace drover::ui {
namespace {

LogBook book_of(int lines, std::size_t most = 100) {
  LogBook log(most, [] { return std::string("12:00:00"); });
  for (int i = 0; i < lines; ++i) log.add(Level::note, std::to_string(i));
  return log;
}

std::string shown(const LogBook& log, std::size_t count) {
  std::string text;
  for (const LogLine& line : log.shown(count)) text += line.text + " ";
  return text;
}

TEST(LogBook, ShowsTheNewestLines) {
  const LogBook log = book_of(5);
  EXPECT_EQ(shown(log, 3), "2 3 4 ");
  EXPECT_EQ(shown(log, 9), "0 1 2 3 4 ");
  EXPECT_EQ(shown(log, 0), "");
  EXPECT_EQ(log.shown(1)[0].time, "12:00:00");
  EXPECT_EQ(shown(book_of(0), 3), "");
}

TEST(LogBook, DropsTheOldest) {
  const LogBook log = book_of(25, 10);
  EXPECT_EQ(log.size(), 10u);
  EXPECT_EQ(shown(log, 10), "15 16 17 18 19 20 21 22 23 24 ");
}

TEST(LogBook, StandsStillWhilePaused) {
  LogBook log = book_of(5);
  log.pause_or_follow();
  EXPECT_FALSE(log.following());
  log.add(Level::note, "5");
  log.add(Level::note, "6");
  EXPECT_EQ(shown(log, 2), "3 4 ");
  EXPECT_EQ(log.newer(), 2u);
  log.pause_or_follow();
  EXPECT_TRUE(log.following());
  EXPECT_EQ(shown(log, 2), "5 6 ");
}

TEST(LogBook, Scrolls) {
  LogBook log = book_of(10);
  log.scroll(3, 4);
  EXPECT_EQ(shown(log, 4), "3 4 5 6 ");
  log.scroll(100, 4);
  EXPECT_EQ(shown(log, 4), "0 1 2 3 ");
  log.scroll(-1, 4);
  EXPECT_EQ(shown(log, 4), "1 2 3 4 ");
  EXPECT_FALSE(log.following());
  log.scroll(-100, 4);
  EXPECT_TRUE(log.following());
  EXPECT_EQ(log.newer(), 0u);
}

TEST(LogBook, AllThatThereIsNeedsNoScrolling) {
  LogBook log = book_of(3);
  log.scroll(1, 10);
  EXPECT_TRUE(log.following());
}

TEST(LogBook, AViewWhoseLinesWereDroppedMovesOn) {
  LogBook log = book_of(10, 10);
  log.scroll(100, 3);
  EXPECT_EQ(shown(log, 3), "0 1 2 ");
  for (int i = 10; i < 30; ++i) log.add(Level::note, std::to_string(i));
  EXPECT_FALSE(log.following());
  EXPECT_EQ(shown(log, 3), "20 ");
  log.scroll(-1, 3);
  EXPECT_EQ(shown(log, 3), "20 21 22 ");
}

TEST(LogBook, TextFromOutsideIsTamed) {
  LogBook log = book_of(0);
  log.add(Level::warning, "FATAL: \x1b]0;owned\x07 x\n");
  log.add(Level::note, "\n");
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log.shown(1)[0].text, "FATAL:  ]0;owned  x");
  EXPECT_EQ(log.shown(1)[0].level, Level::warning);
}

TEST(LogBook, TellsTheTimeOfTheDay) {
  EXPECT_EQ(time_of_day().size(), 8u);
}

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
