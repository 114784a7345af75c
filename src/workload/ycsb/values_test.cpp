#include "workload/ycsb/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace drover::ycsb {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr FieldPlace here = {.key = 17, .field = 3};
constexpr std::uint64_t largest_stamp = std::numeric_limits<std::uint64_t>::max();

std::string value_of(std::size_t size, FieldPlace place, ValueHead head) {
  std::string text(size, '\0');
  write_value(text, place, head);
  return text;
}

// The part that does not match, and its message.
testing::AssertionResult mismatches(const std::string& text, ValuePart part,
                                    const std::string& message) {
  const std::optional<ValueMismatch> mismatch = verify_value(text, here);
  if (!mismatch) return testing::AssertionFailure() << "it matches";
  if (mismatch->part != part || mismatch->message.find(message) == std::string::npos) {
    return testing::AssertionFailure() << mismatch->message;
  }
  return testing::AssertionSuccess();
}

TEST(Values, AreVerifiedAtAnySize) {
  for (std::size_t size = 0; size < 200; ++size) {
    const std::string text = value_of(size, here, {.version = 5, .stamp = 99});
    EXPECT_EQ(verify_value(text, here), std::nullopt) << size;
    if (size >= value_head_size) {
      EXPECT_EQ(value_head(text, here), (ValueHead{.version = 5, .stamp = 99}));
    } else {
      EXPECT_EQ(value_head(text, here), std::nullopt);
    }
  }
}

TEST(Values, KeepTheLargestHeads) {
  const ValueHead head = {.version = version_max, .stamp = largest_stamp};
  const std::string text = value_of(100, here, head);
  EXPECT_THAT(text, StartsWith("9999999999"));
  EXPECT_EQ(value_head(text, here), head);
}

TEST(Values, WriteNothingBehindTheirEnd) {
  for (std::size_t size = 0; size < 64; ++size) {
    std::string text(size + 16, '#');
    write_value(std::span(text.data(), size), here, {.version = 1, .stamp = 2});
    EXPECT_EQ(text.substr(size), std::string(16, '#')) << size;
  }
}

TEST(Values, HaveOnlyHarmlessCharacters) {
  std::set<char> characters;
  for (std::uint64_t key = 0; key < 100; ++key) {
    const std::string text =
        value_of(1'000, {.key = key, .field = 0}, {.version = key, .stamp = key});
    characters.insert(text.begin(), text.end());
  }
  EXPECT_EQ(characters.size(), 64U);
  EXPECT_EQ(std::string(characters.begin(), characters.end()),
            "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
}

TEST(Values, UseAllCharactersEqually) {
  std::vector<int> counts(128);
  const std::string text = value_of(640'022, here, {.version = 1, .stamp = 1});
  for (const char c : text.substr(value_head_size)) ++counts.at(static_cast<std::size_t>(c));
  for (const int count : counts) {
    if (count > 0) {
      EXPECT_NEAR(count, 10'000, 500);
    }
  }
}

TEST(Values, DifferInTheirTailByPlaceAndStamp) {
  const std::string text = value_of(40, here, {.version = 1, .stamp = 1}).substr(value_head_size);
  const auto tail = [](FieldPlace place, ValueHead head) {
    return value_of(40, place, head).substr(value_head_size);
  };
  EXPECT_NE(text, tail({.key = 18, .field = 3}, {.version = 1, .stamp = 1}));
  EXPECT_NE(text, tail({.key = 17, .field = 4}, {.version = 1, .stamp = 1}));
  EXPECT_NE(text, tail({.key = 3, .field = 17}, {.version = 1, .stamp = 1}));
  EXPECT_NE(text, tail(here, {.version = 1, .stamp = 2}));
  EXPECT_EQ(text, tail(here, {.version = 2, .stamp = 1}));  // a statement may count it up
}

TEST(Values, ThatAreShortDependOnTheirPlaceAlone) {
  EXPECT_EQ(value_of(21, here, {.version = 1, .stamp = 1}),
            value_of(21, here, {.version = 2, .stamp = 2}));
  EXPECT_NE(value_of(21, here, {}), value_of(21, {.key = 17, .field = 4}, {}));
}

TEST(Values, AreTheSameOnEveryMachine) {
  EXPECT_EQ(value_of(40, here, {.version = 12, .stamp = 34}),
            "00000000121E.........WJodfKkb4wk8u0qZ1A4");
  EXPECT_EQ(value_of(10, here, {}), "EqMKHUmoJu");
}

TEST(Values, WrongPartsAreToldApart) {
  const std::string right = value_of(100, here, {.version = 5, .stamp = 99});
  std::string text = right;
  text[3] = 'x';
  EXPECT_TRUE(mismatches(text, ValuePart::version,
                         "field 3 of the row 17: expected a version of 10 digits, found "
                         "\"000x000005\""));
  text = right;
  text[12] = '"';
  EXPECT_TRUE(mismatches(text, ValuePart::stamp, "\\x22"));
  text = right;
  std::swap(text[50], text[51]);
  EXPECT_TRUE(mismatches(text, ValuePart::tail,
                         "field 3 of the row 17, written by the writer 0000000000000063: from "
                         "character 51 of 100 on, the value is"));
  EXPECT_TRUE(mismatches("short", ValuePart::tail, "from character 1 of 5"));
  EXPECT_TRUE(mismatches(std::string(100, '\0'), ValuePart::version, "\\x00"));
}

TEST(Values, OfAnotherPlaceAreFound) {
  const std::string other_key = value_of(100, {.key = 18, .field = 3}, {.version = 5, .stamp = 99});
  const std::string other_field =
      value_of(100, {.key = 17, .field = 4}, {.version = 5, .stamp = 99});
  EXPECT_TRUE(mismatches(other_key, ValuePart::stamp, "The value may belong to another field"));
  EXPECT_TRUE(mismatches(other_field, ValuePart::stamp, "The value may belong to another field"));
}

// Nearly every change of a stamp's character is found by the stamp's own check, without a tail.
TEST(Values, StampsAloneFindMostChanges) {
  int found = 0;
  for (std::uint64_t stamp = 0; stamp < 1'000; ++stamp) {
    std::string text = value_of(value_head_size, here, {.version = 5, .stamp = stamp});
    char& last = text.back();
    last = last == 'a' ? 'b' : 'a';
    found += verify_value(text, here) ? 1 : 0;
  }
  EXPECT_GT(found, 980);
}

TEST(Values, TextOfTwoWritersIsFound) {
  const std::string one = value_of(100, here, {.version = 5, .stamp = 1});
  const std::string other = value_of(100, here, {.version = 5, .stamp = 2});
  EXPECT_TRUE(mismatches(one.substr(0, 60) + other.substr(60), ValuePart::tail, "character 61"));
}

}  // namespace
}  // namespace drover::ycsb
