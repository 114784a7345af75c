#include "text/wrapped_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover::text {
namespace {

using testing::ElementsAre;

TEST(WrappedText, CountsCharactersAndNotBytes) {
  EXPECT_EQ(text_width(""), 0U);
  EXPECT_EQ(text_width("abc"), 3U);
  EXPECT_EQ(text_width("größe …"), 7U);
}

TEST(WrappedText, BreaksBetweenWords) {
  EXPECT_THAT(wrapped_lines("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrapped_lines("one two three", 6), ElementsAre("one", "two", "three"));
  EXPECT_THAT(wrapped_lines("  one\n two\t", 80), ElementsAre("one two"));
  EXPECT_THAT(wrapped_lines("a-word-of-its-own and more", 5),
              ElementsAre("a-word-of-its-own", "and", "more"));
  EXPECT_THAT(wrapped_lines(" \n ", 5), ElementsAre());
  EXPECT_THAT(wrapped_lines("öö öö", 5), ElementsAre("öö öö"));
}

TEST(WrappedText, ParagraphsAreJoinedAndExamplesStay) {
  EXPECT_EQ(wrapped_paragraphs("one\ntwo three\n\nfour", 8), "one two\nthree\n\nfour\n");
  EXPECT_EQ(wrapped_paragraphs("Examples:\n  a   b\nmore and more", 8),
            "Examples:\n  a   b\nmore and\nmore\n");
  EXPECT_EQ(wrapped_paragraphs("", 8), "");
}

TEST(WrappedText, LongCommandsAreBrokenAsAShellAllows) {
  EXPECT_EQ(wrapped_paragraphs("  drover tpcc run --json result.json", 22),
            "  drover tpcc run \\\n      --json \\\n      result.json\n");
  EXPECT_EQ(wrapped_paragraphs("  drover psql -c 'SELECT 1 + 1' --all", 20),
            "  drover psql -c \\\n      'SELECT 1 + 1' \\\n      --all\n");
  // A text that just fits is not cut.
  EXPECT_EQ(wrapped_paragraphs("  drover tpcc run", 17), "  drover tpcc run\n");
}

TEST(WrappedText, FirstSentences) {
  EXPECT_EQ(first_sentence("Run it. And more.", 80), "Run it");
  EXPECT_EQ(first_sentence("Make them,\nempty; refuses some.", 80), "Make them, empty");
  EXPECT_EQ(first_sentence("Of drover 0.1.0.", 80), "Of drover 0.1.0");
  EXPECT_EQ(first_sentence("one two three", 9), "one two…");
  EXPECT_EQ(first_sentence("", 9), "");
}

}  // namespace
}  // namespace drover::text
