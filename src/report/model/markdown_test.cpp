#include "report/model/model.h"

#include <gtest/gtest.h>

#include <string>

namespace drover::report {
namespace {

TEST(MarkdownName, PlainWordsStayAsTheyAre) {
  EXPECT_EQ(markdown_name("NewOrder"), "NewOrder");
  EXPECT_EQ(markdown_name("Valid: all 24 rules judged hold (6 not judged)"),
            "Valid: all 24 rules judged hold (6 not judged)");
  EXPECT_EQ(markdown_name("0.99% of 144,286 New-Orders rolled back; 1% asked for"),
            "0.99% of 144,286 New-Orders rolled back; 1% asked for");
}

TEST(MarkdownName, EverythingElseIsCode) {
  EXPECT_EQ(markdown_name("<script>"), "`<script>`");
  EXPECT_EQ(markdown_name("@somebody"), "`@somebody`");
  EXPECT_EQ(markdown_name("#123"), "`#123`");
  EXPECT_EQ(markdown_name("GH-123"), "`GH-123`");
  EXPECT_EQ(markdown_name("[a](javascript:x)"), "`[a](javascript:x)`");
  EXPECT_EQ(markdown_name("https://example.invalid"), "`https://example.invalid`");
  EXPECT_EQ(markdown_name("WWW.example.invalid"), "`WWW.example.invalid`");
  EXPECT_EQ(markdown_name("somebody@example.invalid"), "`somebody@example.invalid`");
  EXPECT_EQ(markdown_name("**bold** _it_ ~s~ :smile:"), "`**bold** _it_ ~s~ :smile:`");
  EXPECT_EQ(markdown_name("at commit 0123abc"), "`at commit 0123abc`");
  EXPECT_EQ(markdown_name("- item"), "`- item`");
  EXPECT_EQ(markdown_name("&lt;"), "`&lt;`");
  EXPECT_EQ(markdown_name("a\\"), "`a\\`");
}

TEST(MarkdownName, EndsNeitherItsSpanNorItsCell) {
  EXPECT_EQ(markdown_name("a`b` | c \\| d || `"), "`a'b' ¦ c \\¦ d ¦¦ '`");
  EXPECT_EQ(markdown_name("one\n\n# two\r\n| x |"), "`one  # two  ¦ x ¦`");
  for (const char* text : {"`", "|", "\\|", "a`|`|", "``` |"}) {
    const std::string safe = markdown_name(text);
    EXPECT_EQ(safe.find('|'), std::string::npos) << safe;
    EXPECT_EQ(safe.find('`', 1), safe.size() - 1) << safe;
  }
}

TEST(MarkdownName, IsNeverEmptyAndNeverLong) {
  EXPECT_EQ(markdown_name(""), "–");
  EXPECT_EQ(markdown_name(" \n\t "), "–");
  EXPECT_EQ(markdown_name(" x "), "x");
  EXPECT_LT(markdown_name(std::string(100'000, '<')).size(), markdown_characters_max + 60);
}

TEST(MarkdownName, DropsWhatChangesDirection) {
  EXPECT_EQ(markdown_name("a\xe2\x80\xae"
                          "b\x1b[1m\xff"),
            "`a b [1m`");
}

}  // namespace
}  // namespace drover::report
