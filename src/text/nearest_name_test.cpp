#include "text/nearest_name.h"

#include <gtest/gtest.h>

namespace drover::text {
namespace {

TEST(NearestName, Distances) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("rnu", "run"), 1U);  // a swap
  EXPECT_EQ(edit_distance("ca", "abc"), 3U);   // no piece is edited twice
}

const std::vector<std::string> options = {"--warehouses", "--warmup", "--duration", "--db"};

TEST(NearestName, OfSlips) {
  EXPECT_EQ(nearest_name("--warehousse", options), "--warehouses");
  EXPECT_EQ(nearest_name("--wharehouses", options), "--warehouses");
  EXPECT_EQ(nearest_name("--duraton", options), "--duration");
  EXPECT_EQ(nearest_name("rnu", {"run", "init"}), "run");
}

TEST(NearestName, OfBeginnings) {
  EXPECT_EQ(nearest_name("--ware", options), "--warehouses");
  EXPECT_EQ(nearest_name("--wa", {"--warehouses", "--warmup"}), std::nullopt);  // two of them
}

TEST(NearestName, OfNothingLikeIt) {
  EXPECT_EQ(nearest_name("frobnicate", options), std::nullopt);
  EXPECT_EQ(nearest_name("", options), std::nullopt);
  EXPECT_EQ(nearest_name("run", {}), std::nullopt);
  EXPECT_EQ(nearest_name("xyz", {"pg"}), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(1'000'000, 'x'), options), std::nullopt);
}

TEST(NearestName, Sentence) {
  EXPECT_EQ(did_you_mean("--duraton", options), "; did you mean --duration?");
  EXPECT_EQ(did_you_mean("--frobnicate", options), "");
}

}  // namespace
}  // namespace drover::text
