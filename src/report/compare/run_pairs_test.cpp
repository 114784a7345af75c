#include "report/compare/comparability.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/compared_run.h"

namespace drover::report {
namespace {

using testing::HasSubstr;

std::vector<Result> began_at(const std::vector<std::int64_t>& starts) {
  std::vector<Result> runs;
  for (const std::int64_t start : starts) {
    ComparedRun run;
    run.start_ts += start;
    runs.push_back(compared_result(run));
  }
  return runs;
}

using Starts = std::vector<std::pair<std::int64_t, std::int64_t>>;

// The starts of the runs of each pair.
Starts starts_of_pairs(const std::vector<std::int64_t>& base_starts,
                       const std::vector<std::int64_t>& new_starts) {
  const std::vector<Result> base = began_at(base_starts);
  const std::vector<Result> new_runs = began_at(new_starts);
  EXPECT_TRUE(are_in_turns({base, {}}, {new_runs, {}}));
  Starts starts;
  for (const RunPair& pair : pair_runs({base, {}}, {new_runs, {}})) {
    starts.emplace_back(base_starts.at(pair.base), new_starts.at(pair.new_run));
  }
  return starts;
}

std::string refusal(const std::vector<std::int64_t>& base_starts,
                    const std::vector<std::int64_t>& new_starts,
                    const std::vector<std::string>& base_names = {}) {
  const std::vector<Result> base = began_at(base_starts);
  const std::vector<Result> new_runs = began_at(new_starts);
  EXPECT_FALSE(are_in_turns({base, {}}, {new_runs, {}}));
  try {
    pair_runs({base, base_names}, {new_runs, {}});
  } catch (const NoPairs& error) {
    return error.what();
  }
  return "";
}

TEST(RunPairsTest, EachWithItsNeighbourWhicheverCameFirst) {
  EXPECT_EQ(starts_of_pairs({0, 20, 40}, {10, 30, 50}), (Starts{{0, 10}, {20, 30}, {40, 50}}));
  EXPECT_EQ(starts_of_pairs({0, 30, 40}, {10, 20, 50}), (Starts{{0, 10}, {30, 20}, {40, 50}}));
}

TEST(RunPairsTest, ARunThatDoesNotSayWhenItBeganHasNoPair) {
  const std::int64_t never = -ComparedRun().start_ts;
  EXPECT_EQ(refusal({0, never}, {10, 30}, {"a.json", "b.json"}),
            "b.json has no start time (summary.measure_start_ts is 0), so --paired cannot pair it. "
            "Leave out this result, or leave out --paired");
}

TEST(RunPairsTest, TheOrderOfTheCommandLineDoesNotMatter) {
  EXPECT_EQ(starts_of_pairs({40, 0, 20}, {30, 50, 10}), (Starts{{0, 10}, {20, 30}, {40, 50}}));
}

TEST(RunPairsTest, OneSecondDecidesNothing) {
  EXPECT_EQ(starts_of_pairs({0, 10}, {10, 20}), (Starts{{0, 10}, {10, 20}}));
  EXPECT_EQ(starts_of_pairs({0, 10}, {0, 10}), (Starts{{0, 0}, {10, 10}}));
}

TEST(RunPairsTest, OtherCountsAreRefused) {
  EXPECT_EQ(refusal({0, 20, 40}, {10, 30}),
            "both sides need the same number of results, made in turns: base has 3, "
            "new has 2. "
            "Add the missing results, or leave out --paired");
  EXPECT_EQ(refusal({0}, {10}),
            "at least 2 pairs are needed, better 12: one pair does not show how much pairs vary. "
            "Make more runs in turns, or leave out --paired");
}

TEST(RunPairsTest, RunsThatAreNoNeighboursAreNamed) {
  // base, base, new, new
  const std::string text = refusal({0, 10, 40}, {20, 30, 50}, {"a.json", "b\x1b.json", "c.json"});
  EXPECT_THAT(text, HasSubstr("a.json (base, began 2025-11-20 20:20:00 UTC)"));
  EXPECT_THAT(text, HasSubstr("new run 1 (new, began 2025-11-20 20:20:20 UTC) would be pair 1"));
  EXPECT_THAT(text, HasSubstr("but b\\x1b.json (base, began 2025-11-20 20:20:10 UTC), of pair 2"));
  EXPECT_THAT(text, HasSubstr("leave --paired out"));
  // One side in a block, either way.
  EXPECT_THAT(refusal({0, 10, 20}, {30, 40, 50}), HasSubstr("base run 2"));
  EXPECT_THAT(refusal({30, 40, 50}, {0, 10, 20}), HasSubstr("new run 2"));
  // Late in the row.
  EXPECT_THAT(refusal({0, 20, 40, 50}, {10, 30, 60, 70}), HasSubstr("would be pair 3"));
}

}  // namespace
}  // namespace drover::report
