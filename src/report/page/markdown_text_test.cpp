#include "report/page/report.h"

#include <gtest/gtest.h>

#include <string>

namespace drover::report {
namespace {

TEST(MarkdownText, PlainWordsStayAsTheyAre) {
  EXPECT_EQ(markdown_text("NewOrder"), "NewOrder");
  EXPECT_EQ(markdown_text("Valid: all 24 rules judged hold (6 not judged)"),
            "Valid: all 24 rules judged hold (6 not judged)");
  EXPECT_EQ(markdown_text("0.99% of 144,286 New-Orders rolled back; 1% asked for"),
            "0.99% of 144,286 New-Orders rolled back; 1% asked for");
}

TEST(MarkdownText, EverythingElseIsCode) {
  EXPECT_EQ(markdown_text("<script>"), "`<script>`");
  EXPECT_EQ(markdown_text("@somebody"), "`@somebody`");
  EXPECT_EQ(markdown_text("#123"), "`#123`");
  EXPECT_EQ(markdown_text("GH-123"), "`GH-123`");
  EXPECT_EQ(markdown_text("[a](javascript:x)"), "`[a](javascript:x)`");
  EXPECT_EQ(markdown_text("https://example.invalid"), "`https://example.invalid`");
  EXPECT_EQ(markdown_text("WWW.example.invalid"), "`WWW.example.invalid`");
  EXPECT_EQ(markdown_text("somebody@example.invalid"), "`somebody@example.invalid`");
  EXPECT_EQ(markdown_text("**bold** _it_ ~s~ :smile:"), "`**bold** _it_ ~s~ :smile:`");
  EXPECT_EQ(markdown_text("at commit 0123abc"), "`at commit 0123abc`");
  EXPECT_EQ(markdown_text("- item"), "`- item`");
  EXPECT_EQ(markdown_text("&lt;"), "`&lt;`");
  EXPECT_EQ(markdown_text("a\\"), "`a\\`");
}

TEST(MarkdownText, EndsNeitherItsSpanNorItsCell) {
  EXPECT_EQ(markdown_text("a`b` | c \\| d || `"), "`a'b' ¦ c \\¦ d ¦¦ '`");
  EXPECT_EQ(markdown_text("one\n\n# two\r\n| x |"), "`one  # two  ¦ x ¦`");
  for (const char* text : {"`", "|", "\\|", "a`|`|", "``` |"}) {
    const std::string safe = markdown_text(text);
    EXPECT_EQ(safe.find('|'), std::string::npos) << safe;
    EXPECT_EQ(safe.find('`', 1), safe.size() - 1) << safe;
  }
}

TEST(MarkdownText, IsNeverEmptyAndNeverLong) {
  EXPECT_EQ(markdown_text(""), "–");
  EXPECT_EQ(markdown_text(" \n\t "), "–");
  EXPECT_EQ(markdown_text(" x "), "x");
  EXPECT_LT(markdown_text(std::string(100'000, '<')).size(), markdown_characters_max + 60);
}

TEST(MarkdownText, DropsWhatChangesDirection) {
  EXPECT_EQ(markdown_text("a\xe2\x80\xae"
                          "b\x1b[1m\xff"),
            "`a b [1m`");
}

}  // namespace
}  // namespace drover::report
