#include "workload/sql/script/weights.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace drover::sql {
namespace {

TEST(Weights, StandBehindTheLastAt) {
  const auto weighted = [](std::string_view text) {
    const std::optional<WeightedName> result = parse_weighted(text);
    return result ? result->name + " " + std::to_string(result->weight) : "none";
  };
  EXPECT_EQ(weighted("a.sql"), "a.sql 1");
  EXPECT_EQ(weighted("a.sql@5"), "a.sql 5");
  EXPECT_EQ(weighted("a.sql@0"), "a.sql 0");
  EXPECT_EQ(weighted("a@b@2"), "a@b 2");
  EXPECT_EQ(weighted("a@2147483647"), "a 2147483647");
  EXPECT_EQ(weighted("a@ 1"), "a 1");
  EXPECT_EQ(weighted("a@+2"), "a 2");
  EXPECT_EQ(weighted("a@ \t+3"), "a 3");
  for (const char* text : {"", "@5", "a@", "a@b", "a@-1", "a@2147483648", "a@1.5", "a@5x", "a@ ",
                           "a@+", "a@+-1", "a@+ 1", "a@1 "}) {
    EXPECT_EQ(weighted(text), "none") << text;
  }
}

TEST(Weights, AreTheSharesOfTheScripts) {
  const ScriptChoice choice({0, 1, 3, 0});
  std::array<int, 4> chosen{};
  random::Rng rng(4);
  for (int i = 0; i < 40'000; ++i) ++chosen.at(choice.choose(rng));
  EXPECT_EQ(chosen[0] + chosen[3], 0);
  EXPECT_NEAR(chosen[1], 10'000, 400);
}

TEST(Weights, ChooseTheSameForTheSameSeed) {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  const ScriptChoice choice({most, most, most});
  random::Rng one(4);
  random::Rng other(4);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(choice.choose(one), choice.choose(other));
}

}  // namespace
}  // namespace drover::sql
