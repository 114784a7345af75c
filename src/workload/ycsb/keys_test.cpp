#include "workload/ycsb/keys.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace drover::ycsb {
namespace {

std::string name_of_row(std::uint64_t number, InsertOrder order, std::int64_t zero_padding) {
  return std::string(KeyName(number, order, zero_padding).view());
}

TEST(Keys, OrderedOnesHaveTheNumber) {
  EXPECT_EQ(name_of_row(0, InsertOrder::ordered, 1), "user0");
  EXPECT_EQ(name_of_row(42, InsertOrder::ordered, 0), "user42");
  EXPECT_EQ(name_of_row(42, InsertOrder::ordered, 5), "user00042");
  EXPECT_EQ(name_of_row(123'456, InsertOrder::ordered, 5), "user123456");
}

// The keys that YCSB itself makes of these numbers.
TEST(Keys, HashedOnesAreThoseOfTheOriginal) {
  EXPECT_EQ(name_of_row(0, InsertOrder::hashed, 1), "user6284781860667377211");
  EXPECT_EQ(name_of_row(1, InsertOrder::hashed, 1), "user8517097267634966620");
  EXPECT_EQ(name_of_row(0, InsertOrder::hashed, 21), "user006284781860667377211");
}

TEST(Keys, HaveRoomForTheLongest) {
  const std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(name_of_row(largest, InsertOrder::ordered, zero_padding_max).size(), KeyName::size_max);
  EXPECT_EQ(name_of_row(largest, InsertOrder::ordered, 0), "user9223372036854775807");
}

// The one number without an absolute value: as in Java, it stays negative.
TEST(Keys, AbsoluteValueOfTheLeastStaysNegative) {
  const std::uint64_t hash = std::uint64_t{1} << 63;
  EXPECT_EQ(random::without_sign(hash), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(random::without_sign(hash + 1), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(random::without_sign(hash - 1), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(random::without_sign(~std::uint64_t{0}), 1);
}

TEST(Keys, AKeySaysWhichNumberItShows) {
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{17}, std::uint64_t{1} << 40}) {
    for (const InsertOrder order : {InsertOrder::hashed, InsertOrder::ordered}) {
      for (const std::int64_t zero_padding : {std::int64_t{1}, std::int64_t{30}}) {
        const KeyName key(number, order, zero_padding);
        EXPECT_EQ(number_shown_by(key), shown_number(number, order)) << key.view();
      }
    }
  }
  EXPECT_EQ(number_shown_by("user000"), 0U);
  for (const char* other :
       {"", "user", "user1x", "u17", "17", "user 17", "user99999999999999999999"}) {
    EXPECT_EQ(number_shown_by(other), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace drover::ycsb
