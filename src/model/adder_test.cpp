#include "model/adder.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/totals_fields.h"

namespace drover::model {
namespace {

// A struct with a field for each rule.
struct Example {
  std::uint64_t number = 1;
  std::int64_t amount = 0;
  double highest = 0;
  bool flag = true;
  std::string text = {};
  std::map<std::string, std::string> texts = {};
  std::optional<std::int64_t> known_in_all = {};
  std::optional<std::uint64_t> known = {};
  std::vector<std::uint64_t> by_type = {};
};

void describe(auto& visit, settings::Of<Example> auto&... one) {
  visit.definition("An example.");
  visit.field("number", one.number..., settings::count, "");
  visit.repeats("twice", [&] { return 2 * first_of(one...).number; }, settings::count, "");
  visit.field("amount", one.amount..., settings::amount, "");
  visit.field("highest", one.highest..., settings::figure, "");
  visit.field("flag", one.flag..., settings::flag, "");
  visit.field("text", one.text..., settings::name, "");
  visit.field("texts", one.texts..., settings::name, "");
  visit.if_known("known_in_all", one.known_in_all..., settings::amount, "");
  visit.if_known("known", one.known..., settings::count, "");
  visit.counts_by_transaction("by_type", one.by_type..., "");
}

TEST(Adder, TheRuleOfEachFieldFollowsFromItsType) {
  Example sum{.number = 2,
              .amount = -3,
              .highest = 0.5,
              .text = "first",
              .texts = {{"a", "first"}},
              .known_in_all = 4,
              .by_type = {1}};
  const Example part{.number = 3,
                     .amount = 5,
                     .highest = 0.25,
                     .flag = false,
                     .text = "second",
                     .texts = {{"a", "second"}, {"b", "third"}},
                     .known_in_all = 6,
                     .known = 7,
                     .by_type = {1, 2}};
  add(sum, part);
  EXPECT_EQ(sum.number, 5U);
  EXPECT_EQ(sum.amount, 2);
  EXPECT_EQ(sum.highest, 0.5);
  EXPECT_FALSE(sum.flag);
  EXPECT_EQ(sum.text, "first");
  EXPECT_EQ(sum.texts, (std::map<std::string, std::string>{{"a", "first"}, {"b", "third"}}));
  EXPECT_EQ(sum.known_in_all, 10);
  EXPECT_EQ(sum.known, 7U);
  EXPECT_EQ(sum.by_type, (std::vector<std::uint64_t>{2, 2}));
  add(sum, Example{});
  EXPECT_FALSE(sum.known_in_all);
  EXPECT_EQ(sum.known, 7U);
}

TEST(Adder, AmountsStopAtTheLimitsOfTheirType) {
  using Limits = std::numeric_limits<std::int64_t>;
  Example sum{.amount = Limits::max() - 1};
  add(sum, Example{.amount = 2});
  EXPECT_EQ(sum.amount, Limits::max());
  sum.amount = Limits::min();
  add(sum, Example{.amount = -1});
  EXPECT_EQ(sum.amount, Limits::min());
}

// The storage of a worker's totals, with as many error classes as the description names.
struct Counters {
  using Count = measure::Counter;
  using Times = measure::Histogram;
  using ErrorsByClass = std::array<measure::Counter, 7>;
};

TEST(Adder, AddsTheTotalsOfWorkersAndOfResults) {
  TotalsIn<Counters> worker;
  worker.ok_count.add(2);
  worker.attempts.add(3);
  worker.ambiguous.unresolved.add();
  worker.errors_by_class[2].add();
  worker.errors_by_sqlstate["40001"] = 1;
  worker.latency.record(1'000'000);
  worker.wait.record(1'000);
  Totals sum;
  Adder adder;
  describe_totals(adder, sum, worker);
  const Totals copy = sum;
  describe_totals(adder, sum, copy);
  EXPECT_EQ(sum.ok_count, 4U);
  EXPECT_EQ(sum.attempts, 6U);
  EXPECT_EQ(sum.ambiguous.count(), 2U);
  EXPECT_EQ(sum.errors_by_class, (std::map<std::string, std::uint64_t>{{"ambiguous_commit", 2}}));
  EXPECT_EQ(sum.errors_by_sqlstate.at("40001"), 2U);
  EXPECT_EQ(sum.latency.count(), 2U);
  EXPECT_EQ(sum.wait.max_ns(), 1'000U);
}

TEST(Adder, LiveTotalsLackWhatIsReadAtTheEnd) {
  TotalsIn<Counters> worker;
  worker.retry_count.add(2);
  worker.wait.record(1'000);
  Totals sum;
  Adder adder;
  describe_live_totals(adder, sum, worker);
  EXPECT_EQ(sum.retry_count, 2U);
  EXPECT_TRUE(sum.wait.empty());
}

struct Named {
  std::string name;
  std::uint64_t number = 0;
};

void describe(auto& visit, settings::Of<Named> auto&... one) {
  visit.field("number", one.number..., settings::count, "");
}

TEST(Adder, ListsOfNamedStructsAreAddedByName) {
  std::vector<Named> sum = {{"a", 1}, {"b", 2}};
  add(sum, std::vector<Named>{{"a", 1}, {"c", 3}, {"b", 2}});
  ASSERT_EQ(sum.size(), 3U);
  EXPECT_EQ(sum[0].number, 2U);
  EXPECT_EQ(sum[1].number, 4U);
  EXPECT_EQ(sum[2].name, "c");
}

}  // namespace
}  // namespace drover::model
