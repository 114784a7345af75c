#include "workload/ycsb/properties/properties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace drover::ycsb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

PropertyEntry entry(std::string key, std::string value, std::size_t line) {
  return {.key = std::move(key), .value = std::move(value), .line = line};
}

std::string refusal_of_text(std::string_view text) {
  try {
    parse_property_file(text);
  } catch (const PropertyError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(PropertyFile, SeparatesKeysFromValues) {
  EXPECT_THAT(
      parse_property_file("a=1\nb:2\nc 3\nd = 4\ne\t:\t5\n  f   6 = 7\ng\n"),
      ElementsAre(entry("a", "1", 1), entry("b", "2", 2), entry("c", "3", 3), entry("d", "4", 4),
                  entry("e", "5", 5), entry("f", "6 = 7", 6), entry("g", "", 7)));
  EXPECT_THAT(parse_property_file("a==1"), ElementsAre(entry("a", "=1", 1)));
}

TEST(PropertyFile, KeepsBlanksAtTheEndOfAValue) {
  EXPECT_THAT(parse_property_file("a= 1 \n"), ElementsAre(entry("a", "1 ", 1)));
}

TEST(PropertyFile, SkipsCommentsAndEmptyLines) {
  EXPECT_THAT(parse_property_file("# a=1\n\n   ! b=2\\\nc=3\n \t\n"),
              ElementsAre(entry("c", "3", 4)));
  EXPECT_THAT(parse_property_file(""), IsEmpty());
  EXPECT_THAT(parse_property_file("\n\n#"), IsEmpty());
}

TEST(PropertyFile, JoinsLinesThatEndInABackslash) {
  EXPECT_THAT(parse_property_file("a=1,\\\n   2,\\\n\t3\nb=4"),
              ElementsAre(entry("a", "1,2,3", 1), entry("b", "4", 4)));
  EXPECT_THAT(parse_property_file("a=1\\\\\nb=2"),
              ElementsAre(entry("a", "1\\", 1), entry("b", "2", 2)));
  EXPECT_THAT(parse_property_file("a=1\\\n#2"), ElementsAre(entry("a", "1#2", 1)));
  EXPECT_THAT(parse_property_file("a=1\\"), ElementsAre(entry("a", "1", 1)));
}

TEST(PropertyFile, KnowsAllEndsOfLines) {
  EXPECT_THAT(
      parse_property_file("a=1\r\nb=2\rc=3\n\rd=4"),
      ElementsAre(entry("a", "1", 1), entry("b", "2", 2), entry("c", "3", 3), entry("d", "4", 5)));
}

TEST(PropertyFile, ReadsEscapes) {
  EXPECT_THAT(parse_property_file("a\\=b\\:c\\ d=\\t\\n\\r\\f\\q\\\\"),
              ElementsAre(entry("a=b:c d", "\t\n\r\fq\\", 1)));
  EXPECT_THAT(parse_property_file("a=\\u0041\\u00e9\\ud83d\\ude00"),
              ElementsAre(entry("a", "A\u00e9\U0001f600", 1)));
  EXPECT_THAT(parse_property_file("\xef\xbb\xbf"
                                  "a=\u00e9"),
              ElementsAre(entry("a", "\u00e9", 1)));
}

TEST(PropertyFile, RefusesWhatNobodyMeans) {
  EXPECT_EQ(refusal_of_text("a=1\n=2"), "line 2: expected key=value, found no key");
  EXPECT_THAT(refusal_of_text("a=\\u12"), HasSubstr("four hexadecimal digits"));
  EXPECT_THAT(refusal_of_text("a=\\u12g4"), HasSubstr("four hexadecimal digits"));
  EXPECT_THAT(refusal_of_text("a=\\ud83d"), HasSubstr("expected both halves of a surrogate pair"));
  EXPECT_THAT(refusal_of_text("a=\\ud83d\\u0041"),
              HasSubstr("expected both halves of a surrogate pair"));
  EXPECT_THAT(refusal_of_text("a=\\ude00"), HasSubstr("expected both halves of a surrogate pair"));
  EXPECT_EQ(refusal_of_text("a=1\nb=\x01"),
            "line 2: expected text, found the control character U+0001");
  EXPECT_THAT(refusal_of_text("a=1\r\n\xff"), StartsWith("line 2: expected text in UTF-8"));
}

}  // namespace
}  // namespace drover::ycsb
