#include "report/compare/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "report/compare/comparability.h"
#include "support/compared_run.h"

namespace drover::report {
namespace {

using State = LimitVerdict::State;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

CompareOptions with_limits(const std::vector<const char*>& texts) {
  CompareOptions options;
  for (const char* text : texts) options.limits.push_back(Limit::parse(text));
  return options;
}

const MetricDifference& row(const Comparison& comparison, const char* name) {
  for (const MetricDifference& one : comparison.differences) {
    if (one.metric.name() == name) return one;
  }
  throw std::runtime_error(name);
}

const std::vector<double> old_build{3000, 3010, 2990, 3020, 2985};
const std::vector<double> slower{2850, 2860, 2840, 2870, 2835};  // by 5%
const std::vector<double> as_fast{2995, 3012, 2988, 3015, 2992};

Comparison compare_builds(const std::vector<double>& base, const std::vector<double>& other,
                          const CompareOptions& options = {}) {
  return compare(compared_results(base), compared_results(other, 30), options);
}

TEST(CompareTest, ASlowerBuildBreaksTheLimit) {
  const Comparison comparison = compare_builds(old_build, slower, with_limits({"tpmC < -3%"}));
  const MetricDifference& tpmc = row(comparison, "tpmC");
  EXPECT_EQ(tpmc.method, Method::ranks);
  EXPECT_EQ(tpmc.base_median, 3000);
  EXPECT_EQ(tpmc.new_median, 2850);
  EXPECT_NEAR(*tpmc.change, -5, 0.1);
  EXPECT_LT(tpmc.low, -5);
  EXPECT_GT(tpmc.high, -5);
  EXPECT_LT(tpmc.high, -3);
  EXPECT_NEAR(tpmc.p_lower, 1.0 / 252, 1e-12);
  EXPECT_TRUE(tpmc.is_significant(0.95));
  EXPECT_FALSE(tpmc.is_better());
  ASSERT_EQ(comparison.limits.size(), 1u);
  EXPECT_EQ(comparison.limits[0].state, State::broken);
  EXPECT_THAT(comparison.limits[0].sentence,
              HasSubstr("tpmC < -3%: BROKEN: tpmC went from 3000 to 2850 /min (-5.0%)"));
  EXPECT_TRUE(comparison.fails());
  EXPECT_EQ(compare_sentence(comparison), "FAILS: 1 of 1 limit broken.");
}

TEST(CompareTest, AnEqualBuildAndAFasterOneKeepIt) {
  Comparison comparison = compare_builds(old_build, as_fast, with_limits({"tpmC < -3%"}));
  EXPECT_EQ(comparison.limits[0].state, State::kept);
  EXPECT_FALSE(comparison.fails());
  comparison = compare_builds(slower, old_build, with_limits({"tpmC < -3%"}));
  EXPECT_EQ(comparison.limits[0].state, State::kept);
  EXPECT_TRUE(row(comparison, "tpmC").is_better());
}

TEST(CompareTest, BeyondTheLimitByChanceIsNotBroken) {
  const Comparison comparison = compare_builds(
      {3000, 2700, 3300, 2900, 3200}, {2890, 3100, 2600, 2800, 3050}, with_limits({"tpmC < -3%"}));
  EXPECT_LT(*row(comparison, "tpmC").change, -3);
  EXPECT_EQ(comparison.limits[0].state, State::not_significant);
  EXPECT_THAT(comparison.limits[0].sentence, HasSubstr("not significant"));
  EXPECT_FALSE(comparison.fails());
}

TEST(CompareTest, SignificantButWithinTheLimitIsKept) {
  const Comparison comparison = compare_builds(old_build, slower, with_limits({"tpmC < -10%"}));
  EXPECT_TRUE(row(comparison, "tpmC").is_significant(0.95));
  EXPECT_EQ(comparison.limits[0].state, State::kept);
}

TEST(CompareTest, ThreeRunsASideAreJudgedByStudentsTestAndSaySo) {
  const Comparison comparison =
      compare_builds({3000, 3010, 2990}, {2850, 2860, 2840}, with_limits({"tpmC < -3%"}));
  EXPECT_EQ(row(comparison, "tpmC").method, Method::student);
  EXPECT_EQ(comparison.limits[0].state, State::broken);
  EXPECT_THAT(comparison.notes,
              Contains(HasSubstr("too few for the rank test at significance level 0.0250")));
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("Make 4 or more runs per side")));
}

TEST(CompareTest, OneNewRunIsHeldAgainstTheScatterOfTheBase) {
  Comparison comparison = compare_builds(old_build, {2700}, with_limits({"tpmC < -3%"}));
  EXPECT_EQ(row(comparison, "tpmC").method, Method::student);
  EXPECT_EQ(comparison.limits[0].state, State::broken);
  comparison = compare_builds({3000, 2700, 3300, 2900}, {2700}, with_limits({"tpmC < -3%"}));
  EXPECT_EQ(comparison.limits[0].state, State::not_significant);
}

// A base of many runs, as a pipeline keeps it.
TEST(CompareTest, AnObviousLossIsSeenAgainstManyRuns) {
  for (const auto& [of_base, of_new] : {std::pair{70, 1}, {90, 2}}) {
    std::vector<double> base;
    for (int i = 0; i < of_base; ++i) base.push_back(3000 + (37 * i) % 23 - 11);
    const std::vector<double> other(static_cast<std::size_t>(of_new), 2500);
    const Comparison loss =
        compare_builds(base, other, with_limits({"tpmC < -3%", "all.p99 > +10%"}));
    EXPECT_TRUE(row(loss, "tpmC").is_significant(0.95)) << of_base << " and " << of_new;
    EXPECT_EQ(row(loss, "tpmC").method, Method::ranks);
    EXPECT_EQ(loss.limits[0].state, State::broken) << of_base << " and " << of_new;
    const Comparison gain = compare_builds(other, base, with_limits({"tpmC < -3%"}));
    EXPECT_EQ(gain.limits[0].state, State::kept);
  }
}

TEST(CompareTest, SeveralLimitsShareTheLevel) {
  // p of 4/252, which is 1.6%: enough for one limit, not for the first of four (5% / 4).
  const std::vector<double> base{100, 101, 102, 103, 104};
  const std::vector<double> other{90, 91, 92, 93, 101.5};
  EXPECT_EQ(compare_builds(base, other, with_limits({"tpmC < 0%"})).limits[0].state, State::broken);
  const Comparison shared = compare_builds(
      base, other, with_limits({"tpmC < 0%", "all.p50 > +1%", "all.p90 > +1%", "all.p99 > +1%"}));
  EXPECT_EQ(shared.limits[0].state, State::not_significant);
  EXPECT_EQ(shared.limits[1].state, State::kept);
  // Values are no tests and take no share.
  const Comparison values = compare_builds(
      base, other, with_limits({"tpmC < 0%", "all.p50 > 100", "all.p90 > 100", "all.p99 > 100"}));
  EXPECT_EQ(values.limits[0].state, State::broken);
}

TEST(CompareTest, AValueIsARequirement) {
  Comparison comparison =
      compare_builds(old_build, slower, with_limits({"tpmC < 2900", "new_order.p99 > 6"}));
  EXPECT_EQ(comparison.limits[0].state, State::broken);
  EXPECT_THAT(comparison.limits[0].sentence, HasSubstr("tpmC is 2850 /min in new (median)"));
  EXPECT_EQ(comparison.limits[1].state, State::kept);
  comparison = compare_builds(old_build, slower, with_limits({"efficiency < 90"}));
  EXPECT_EQ(comparison.limits[0].state, State::not_judged);
  EXPECT_TRUE(comparison.fails());
}

TEST(CompareTest, WhatIsZeroAtTimesIsComparedByItsDifference) {
  std::vector<Result> base = compared_results(old_build);
  std::vector<Result> other = compared_results(as_fast, 30);
  const auto limits = with_limits({"failed > +10%", "failed > +5", "retries > +0"});
  Comparison comparison = compare(base, other, limits);
  EXPECT_EQ(comparison.limits[0].state, State::kept);  // 0 to 0
  for (std::size_t i = 0; i < 5; ++i) other[i].transactions[0].failed_count = 10 + i;
  comparison = compare(base, other, limits);
  const MetricDifference& failed = row(comparison, "failed");
  EXPECT_FALSE(failed.is_relative);
  EXPECT_EQ(*failed.change, 12);
  EXPECT_EQ(comparison.limits[0].state, State::broken);  // from nothing to something
  EXPECT_EQ(comparison.limits[1].state, State::broken);
  EXPECT_EQ(comparison.limits[2].state, State::kept);
}

void set_unavailable(std::vector<Result>& runs, const std::vector<double>& seconds) {
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].availability.unavailable_s = seconds[i];
}

TEST(CompareTest, AThousandthOfASecondIsNoOutage) {
  CompareOptions options = with_limits({"unavailable_s > +0"});
  for (const bool is_paired : {false, true}) {
    options.is_paired = is_paired;
    ComparedSides sides = compared_in_turns({3000, 3010}, {3000, 3012});
    set_unavailable(sides.new_runs, {0.001, 0.001});
    Comparison comparison = compare(sides.base, sides.new_runs, options);
    EXPECT_FALSE(row(comparison, "unavailable_s").is_significant(0.95));
    EXPECT_EQ(comparison.limits[0].state, State::not_significant);
    // Above 0 on both sides it is the ratio that tells nothing.
    set_unavailable(sides.base, {0.0001, 0.0001});
    comparison = compare(sides.base, sides.new_runs, options);
    EXPECT_TRUE(row(comparison, "unavailable_s").is_relative);
    EXPECT_FALSE(row(comparison, "unavailable_s").is_significant(0.95));
    set_unavailable(sides.base, {0, 0});
    set_unavailable(sides.new_runs, {30, 30.1});
    comparison = compare(sides.base, sides.new_runs, options);
    EXPECT_TRUE(row(comparison, "unavailable_s").is_significant(0.95));
    EXPECT_EQ(comparison.limits[0].state, State::broken);
  }
}

TEST(CompareTest, OneFailureMoreInEachRunIsNoCertainty) {
  std::vector<Result> base = compared_results({3000, 3010});
  std::vector<Result> other = compared_results({3001, 3011}, 30);
  for (Result& run : base) run.transactions[0].failed_count = 1;
  for (Result& run : other) run.transactions[0].failed_count = 2;
  const Comparison comparison = compare(base, other);
  EXPECT_TRUE(row(comparison, "failed").is_relative);
  EXPECT_FALSE(row(comparison, "failed").is_significant(0.95));
}

TEST(CompareTest, EqualValuesOfUnknownResolutionAreNotJudged) {
  CompareOptions options = with_limits({"payment.ok < -5"});
  options.metrics = parse_metrics("payment.ok");
  for (const bool is_paired : {false, true}) {
    options.is_paired = is_paired;
    ComparedSides sides = compared_in_turns({3000, 3010}, {3000, 3012});
    for (Result& run : sides.base) run.transactions[1].ok_count = 6000;
    const Comparison comparison = compare(sides.base, sides.new_runs, options);
    const MetricDifference& payment = row(comparison, "payment.ok");
    EXPECT_EQ(payment.base_median, 100);
    EXPECT_EQ(payment.method, Method::none);
    EXPECT_THAT(payment.reason, HasSubstr("the variation between runs is unknown"));
    EXPECT_EQ(comparison.limits[0].state, State::not_judged);
    // Equal on both sides is no difference.
    for (Result& run : sides.new_runs) run.transactions[1].ok_count = 6000;
    EXPECT_EQ(compare(sides.base, sides.new_runs, options).limits[0].state, State::kept);
  }
}

// Without the line breaks of folded sentences.
std::string unfolded(std::string text) {
  for (std::size_t at = 0; (at = text.find("\n  ", at)) != std::string::npos;) {
    text.replace(at, 3, " ");
  }
  return text;
}

TEST(CompareTest, TheTextSaysWhatWasComparedByItsDifference) {
  std::vector<Result> base = compared_results({3000, 3010, 3020});
  std::vector<Result> other = compared_results({2990, 2995, 0}, 30);
  CompareOptions options;
  options.metrics = parse_metrics("tpmC");
  Comparison comparison = compare(base, other, options);
  std::string text = unfolded(compare_text(comparison));
  EXPECT_FALSE(row(comparison, "tpmC").is_relative);
  EXPECT_THAT(text, testing::ContainsRegex(" -[0-9.]+ /min  "));
  EXPECT_THAT(
      text,
      HasSubstr(
          "The change of tpmC is a difference, not a percentage, because a run has the value 0"));
  EXPECT_THAT(text, HasSubstr("Change is that of the means, so it can differ from the change of "
                              "the medians."));
  EXPECT_THAT(text, HasSubstr("Student's t test on the values themselves."));
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("runs are distributed normally. Make")));
  options.metrics = parse_metrics("tpmC,new_order.p50");
  comparison = compare(base, other, options);
  text = unfolded(compare_text(comparison));
  EXPECT_THAT(text, HasSubstr("on logarithms, or on the values"));
  EXPECT_THAT(comparison.notes,
              Contains(HasSubstr("log-normally (normally for metrics that are sometimes 0)")));
  options.metrics = parse_metrics("new_order.p50");
  comparison = compare(base, other, options);
  text = unfolded(compare_text(comparison));
  EXPECT_THAT(text, HasSubstr("Change is that of the geometric means, so it can"));
  EXPECT_THAT(text, HasSubstr("Student's t test on logarithms."));
  EXPECT_THAT(text, Not(HasSubstr("not a percentage")));
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("runs are distributed log-normally. Make")));
}

TEST(CompareTest, AMetricThatIsZeroInAllRunsHasNoInterval) {
  const Comparison comparison =
      compare(compared_results({3000, 3010, 3020}), compared_results({2990, 2995, 3001}, 30), [] {
        CompareOptions options;
        options.metrics = parse_metrics("tpmC,failed");
        return options;
      }());
  ASSERT_EQ(*row(comparison, "failed").base_median, 0);
  EXPECT_THAT(compare_text(comparison), testing::ContainsRegex("failed +0 +0 +\\+0\n"));
  EXPECT_THAT(compare_markdown(comparison), HasSubstr("| failed | 0 | 0 |  | +0 |  |  |  |"));
}

TEST(CompareTest, WhatDiffersIsRefusedWithBothValues) {
  const std::vector<Result> base = compared_results(old_build);
  std::vector<Result> other = compared_results(slower, 30);
  for (Result& run : other) run.plan.warehouses = 20;
  other[2].plan.isolation = "serializable";
  const CompareOptions limits = with_limits({"tpmC < -3%"});
  Comparison comparison = compare(base, other, limits);
  ASSERT_EQ(comparison.obstacles.size(), 2u);
  EXPECT_EQ(comparison.obstacles[0].key, "warehouses");
  EXPECT_EQ(comparison.obstacles[0].text, "warehouses: base has 10, new has 20");
  EXPECT_EQ(comparison.obstacles[1].text,
            "isolation: base has read committed, new has read committed and serializable");
  EXPECT_TRUE(comparison.differences.empty());
  CompareOptions allowed = limits;
  allowed.allow_different = {"warehouses"};
  EXPECT_EQ(compare(base, other, allowed).obstacles.size(), 1u);
  allowed.allow_different = {"warehouses", "isolation"};
  comparison = compare(base, other, allowed);
  EXPECT_TRUE(comparison.obstacles.empty());
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("Allowed: warehouses: base has 10")));
  EXPECT_TRUE(comparison.fails());
  allowed.allow_different = {"all"};
  EXPECT_TRUE(compare(base, other, allowed).obstacles.empty());
}

TEST(CompareTest, RunsOfOneSideInABlockAreNoted) {
  const Comparison comparison =
      compare(compared_results(old_build), compared_results(as_fast, 100'000));
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("Alternate the runs")));
  EXPECT_THAT(compare_builds(old_build, as_fast).notes,
              Not(Contains(HasSubstr("Alternate the runs"))));
}

TEST(CompareTest, TheTextFitsATerminalAndEverythingIsInTheJson) {
  std::vector<Result> base = compared_results(old_build);
  std::vector<Result> other = compared_results(slower, 30);
  for (Result& run : other) {
    run.tool.commit = "<script>alert(1)</script> \x1b[31m [x](http://evil) @all";
    run.environment.server->settings["work_mem"] = "4MB | `x`";
  }
  const Comparison comparison =
      compare(base, other, with_limits({"tpmC < -3%", "new_order.p99 > +10%"}));
  const std::string text = compare_text(comparison);
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    EXPECT_LE(end - start, 100u) << text.substr(start, end - start);
    start = end + 1;
  }
  EXPECT_THAT(text, HasSubstr("WORSE"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("FAILS: 1 of 2 limits broken."));
  const std::string markdown = compare_markdown(comparison);
  EXPECT_THAT(markdown, Not(HasSubstr("<script")));
  EXPECT_THAT(markdown, Not(HasSubstr("](http")));
  EXPECT_THAT(markdown, Not(HasSubstr("http:")));
  EXPECT_THAT(markdown, Not(HasSubstr("@all")));
  EXPECT_THAT(markdown, HasSubstr("**worse**"));
  const nlohmann::json document = nlohmann::json::parse(compare_json(comparison));
  EXPECT_EQ(document["metrics"].size(), comparison.differences.size());
  EXPECT_EQ(document["metrics"][0]["verdict"], "worse");
  EXPECT_EQ(document["metrics"][0]["base_values"].size(), 5u);
  EXPECT_EQ(document["limits"][0]["state"], "broken");
  EXPECT_EQ(document["fails"], true);
  EXPECT_TRUE(document["metrics"][1]["change"].is_null());  // no efficiency without delays
}

// A machine that loses a fifth within the hour, and 5% of the new build besides.
const std::vector<double> drifting{3000, 2900, 2700, 2750, 2500, 2420};
const std::vector<double> drifting_slower{2845, 2770, 2550, 2620, 2370, 2290};

Comparison compare_pairs(const std::vector<double>& base, const std::vector<double>& other,
                         CompareOptions options = {}) {
  options.is_paired = true;
  const ComparedSides sides = compared_in_turns(base, other);
  return compare(sides.base, sides.new_runs, options);
}

TEST(CompareTest, PairsSeeThroughADrift) {
  const CompareOptions limits = with_limits({"tpmC < -3%"});
  const ComparedSides sides = compared_in_turns(drifting, drifting_slower);
  const Comparison blind = compare(sides.base, sides.new_runs, limits);
  EXPECT_EQ(blind.limits[0].state, State::not_significant);
  EXPECT_EQ(blind.pairs, 0u);
  EXPECT_THAT(blind.notes,
              Contains(HasSubstr("so --paired can be used. It detects smaller changes")));

  const Comparison paired = compare_pairs(drifting, drifting_slower, limits);
  EXPECT_EQ(paired.pairs, 6u);
  const MetricDifference& tpmc = row(paired, "tpmC");
  EXPECT_EQ(tpmc.method, Method::signed_ranks);
  EXPECT_DOUBLE_EQ(tpmc.p_lower, 1.0 / 64);
  EXPECT_NEAR(*tpmc.change, -5.1, 0.2);
  EXPECT_NEAR(tpmc.low, (2550.0 / 2700 - 1) * 100, 1e-9);
  EXPECT_NEAR(tpmc.high, (2770.0 / 2900 - 1) * 100, 1e-9);
  EXPECT_EQ(paired.limits[0].state, State::broken);
  EXPECT_THAT(paired.limits[0].sentence, HasSubstr("%, paired), significant (one-sided p 0.0156)"));
  EXPECT_THAT(paired.notes, Not(Contains(HasSubstr("--paired"))));
}

TEST(CompareTest, PairsAreFoundByTheirStartsAndShownInThatOrder) {
  ComparedSides sides = compared_in_turns(drifting, drifting_slower);
  std::ranges::reverse(sides.base);
  std::swap(sides.new_runs[1], sides.new_runs[4]);
  CompareOptions options;
  options.is_paired = true;
  const Comparison comparison = compare(sides.base, sides.new_runs, options);
  const MetricDifference& tpmc = row(comparison, "tpmC");
  for (std::size_t k = 0; k < drifting.size(); ++k) {
    EXPECT_EQ(tpmc.base_values[k], drifting[k]);
    EXPECT_EQ(tpmc.new_values[k], drifting_slower[k]);
  }
  EXPECT_DOUBLE_EQ(tpmc.p_lower, 1.0 / 64);
}

TEST(CompareTest, FewPairsAreJudgedByStudentsTestAndSaySo) {
  const Comparison comparison = compare_pairs(
      {3000, 2900, 2700, 2750, 2500}, {2845, 2770, 2550, 2620, 2370}, with_limits({"tpmC < -3%"}));
  EXPECT_EQ(row(comparison, "tpmC").method, Method::paired_student);
  EXPECT_EQ(comparison.limits[0].state, State::broken);
  EXPECT_THAT(comparison.notes,
              Contains(HasSubstr(
                  "5 pairs are too few for the signed-rank test at significance level 0.0250")));
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("Make 6 or more pairs.")));
  // Six are too few for the first of four limits: 5% / 4 is below 1 / 64.
  const Comparison shared =
      compare_pairs(drifting, drifting_slower,
                    with_limits({"tpmC < -3%", "all.p50 > +1%", "all.p90 > +1%", "all.p99 > +1%"}));
  EXPECT_EQ(row(shared, "tpmC").method, Method::paired_student);
  EXPECT_THAT(shared.notes, Contains(HasSubstr("at significance level 0.0125 (4 limits)")));
  EXPECT_THAT(shared.notes, Contains(HasSubstr("Make 7 or more pairs.")));
}

TEST(CompareTest, SeveralLimitsShareTheLevelOfPairsToo) {
  // One of seven pairs is the other way round, by least: 2 patterns of 128, which is 1.6%.
  const std::vector<double> base(7, 100);
  const std::vector<double> other{100.5, 99, 98, 97, 96, 95, 94};
  const Comparison alone = compare_pairs(base, other, with_limits({"tpmC < 0%"}));
  EXPECT_DOUBLE_EQ(row(alone, "tpmC").p_lower, 2.0 / 128);
  EXPECT_EQ(alone.limits[0].state, State::broken);
  const Comparison shared = compare_pairs(
      base, other, with_limits({"tpmC < 0%", "all.p50 > +1%", "all.p90 > +1%", "all.p99 > +1%"}));
  EXPECT_EQ(row(shared, "tpmC").method, Method::signed_ranks);
  EXPECT_EQ(shared.limits[0].state, State::not_significant);
}

TEST(CompareTest, WhatIsZeroAtTimesIsComparedByTheDifferencesOfPairs) {
  ComparedSides sides = compared_in_turns(drifting, drifting);
  for (std::size_t i = 0; i < 6; ++i) sides.new_runs[i].transactions[0].failed_count = 10 + i;
  CompareOptions options = with_limits({"failed > +5", "retries > +0"});
  options.is_paired = true;
  const Comparison comparison = compare(sides.base, sides.new_runs, options);
  const MetricDifference& failed = row(comparison, "failed");
  EXPECT_FALSE(failed.is_relative);
  EXPECT_EQ(*failed.change, 12.5);
  EXPECT_EQ(failed.low, 10);
  EXPECT_EQ(failed.high, 15);
  EXPECT_EQ(comparison.limits[0].state, State::broken);
  EXPECT_EQ(comparison.limits[1].state, State::kept);  // 0 to 0
  EXPECT_EQ(row(comparison, "retries").p(), 1);
}

TEST(CompareTest, APairWithoutAValueTellsNothing) {
  ComparedSides sides = compared_in_turns(drifting, drifting_slower);
  const auto forget = [](Result& run) { run.transactions[0].latency = {}; };
  forget(sides.base[1]);
  forget(sides.new_runs[2]);
  CompareOptions options = with_limits({"new_order.p99 > +10%"});
  options.is_paired = true;
  EXPECT_EQ(row(compare(sides.base, sides.new_runs, options), "new_order.p99").method,
            Method::paired_student);
  for (std::size_t i = 1; i < 6; ++i) forget(sides.base[i]);
  const Comparison comparison = compare(sides.base, sides.new_runs, options);
  EXPECT_EQ(row(comparison, "new_order.p99").method, Method::none);
  EXPECT_EQ(row(comparison, "new_order.p99").reason, "too few pairs have a value on both sides");
}

TEST(CompareTest, WithoutPairsThereIsNoPairedComparison) {
  CompareOptions options;
  options.is_paired = true;
  EXPECT_THROW(compare(compared_results(old_build), compared_results({3000}, 30), options),
               NoPairs);
  EXPECT_THROW(compare(compared_results(old_build), compared_results(as_fast, 100'000), options),
               NoPairs);
  // What is not comparable is refused for that.
  std::vector<Result> other = compared_results({3000}, 30);
  other[0].plan.warehouses = 20;
  EXPECT_FALSE(compare(compared_results(old_build), other, options).obstacles.empty());
}

TEST(CompareTest, OnlyRunsInTurnsGetTheHintAtPairs) {
  const auto hint = Contains(HasSubstr("--paired"));
  EXPECT_THAT(compare_builds(old_build, as_fast).notes, hint);
  EXPECT_THAT(compare_builds(old_build, {3000, 3001, 3002, 3003}).notes, Not(hint));
  EXPECT_THAT(compare_builds({3000, 3010}, {3000, 3001}).notes, Not(hint));
  EXPECT_THAT(compare(compared_results(old_build), compared_results(as_fast, 100)).notes,
              Not(hint));
}

TEST(CompareTest, PairsAreNamedWhereverTheyAreShown) {
  const Comparison comparison =
      compare_pairs(drifting, drifting_slower, with_limits({"tpmC < -3%"}));
  const std::string text = compare_text(comparison);
  EXPECT_THAT(
      text,
      HasSubstr("paired: 6 pairs, each of a base run and the new run just before or after it"));
  EXPECT_THAT(text, HasSubstr("p is two-sided, from the signed-rank test"));
  const std::string markdown = compare_markdown(comparison);
  EXPECT_THAT(markdown, HasSubstr("| change, paired |"));
  EXPECT_THAT(markdown, HasSubstr("paired: 6 pairs"));
  const nlohmann::json document = nlohmann::json::parse(compare_json(comparison));
  EXPECT_EQ(document["paired"], true);
  EXPECT_EQ(document["pairs"], 6);
  EXPECT_EQ(document["metrics"][0]["method"], "signed_ranks");

  const Comparison unpaired = compare_builds(old_build, as_fast);
  EXPECT_THAT(compare_text(unpaired), Not(HasSubstr("paired: ")));
  EXPECT_THAT(compare_markdown(unpaired), HasSubstr("| change |"));
  EXPECT_EQ(nlohmann::json::parse(compare_json(unpaired))["paired"], false);
  EXPECT_TRUE(nlohmann::json::parse(compare_json(unpaired))["pairs"].is_null());
}

// A run of so many seconds, whose rates resemble their neighbours by `memory`.
Result run_in_seconds(std::uint64_t seed, double rate, double memory, double p99_ms) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, 1);
  std::exponential_distribution<double> latency(1);
  ComparedRun figures;
  figures.start_ts += static_cast<std::int64_t>(seed);
  Result result = compared_result(figures);
  TransactionResult& new_order = result.transactions[0];
  new_order.latency = {};
  new_order.ok_count = 0;
  double deviation = 0;
  for (int second = 1; second <= 120; ++second) {
    deviation = memory * deviation + std::sqrt(1 - memory * memory) * 0.05 * normal(random);
    const auto count = static_cast<std::uint64_t>(rate * std::exp(deviation));
    measure::HistogramSnapshot own;
    for (std::uint64_t i = 0; i < count; ++i) {
      own.record(
          static_cast<std::uint64_t>(p99_ms / 4.6 * latency(random) * std::exp(-deviation) * 1e6));
    }
    new_order.latency.merge(own);
    new_order.ok_count += count;
    TimePoint point;
    point.t = second;
    point.phase = "measure";
    point.ok = {count, 0, 0, 0, 0};
    point.p50_ms = static_cast<double>(own.percentile_ns(50)) * 1e-6;
    point.p90_ms = static_cast<double>(own.percentile_ns(90)) * 1e-6;
    point.p99_ms = static_cast<double>(own.percentile_ns(99)) * 1e-6;
    result.time_series.push_back(point);
  }
  result.summary.time_seconds = 120;
  complete_summary(result);
  return result;
}

TEST(CompareTest, OneRunASideIsJudgedWithinTheRuns) {
  const std::vector<Result> base{run_in_seconds(1, 400, 0.3, 20)};
  const std::vector<Result> slow{run_in_seconds(2, 360, 0.3, 30)};
  const Comparison comparison =
      compare(base, slow, with_limits({"tpmC < -3%", "new_order.p99 > +10%", "retries > +5"}));
  EXPECT_EQ(row(comparison, "tpmC").method, Method::within_run);
  EXPECT_NEAR(*row(comparison, "tpmC").change, -10, 2);
  EXPECT_EQ(row(comparison, "new_order.p99").method, Method::within_run);
  EXPECT_GT(row(comparison, "new_order.p99").low, 20);
  EXPECT_EQ(comparison.limits[0].state, State::broken);
  EXPECT_EQ(comparison.limits[1].state, State::broken);
  EXPECT_EQ(comparison.limits[2].state, State::kept);
  EXPECT_EQ(row(comparison, "client.memory").method, Method::none);
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("One run per side")));
}

TEST(CompareTest, IntervalsWithinRunsHoldTheTruthEvenWhereSecondsResembleEachOther) {
  int tpmc_misses = 0;
  int p99_misses = 0;
  int p50_misses = 0;
  constexpr int rounds = 150;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const std::vector<Result> base{run_in_seconds(10 + 2 * round, 60, 0.7, 20)};
    const std::vector<Result> same{run_in_seconds(11 + 2 * round, 60, 0.7, 20)};
    const Comparison comparison = compare(base, same);
    const auto misses = [&comparison](const char* name) {
      const MetricDifference& one = row(comparison, name);
      EXPECT_EQ(one.method, Method::within_run);
      return one.low > 0 || one.high < 0 ? 1 : 0;
    };
    tpmc_misses += misses("tpmC");
    p99_misses += misses("new_order.p99");
    p50_misses += misses("new_order.p50");
  }
  // 5% of 150 are 7.5; up to four deviations more, and batches of 6 s still resemble each other.
  EXPECT_LE(tpmc_misses, 18);
  EXPECT_LE(p99_misses, 18);
  EXPECT_LE(p50_misses, 18);
}

TEST(CompareTest, IntervalsOfLessThanAMinuteAreSaidToBeNarrow) {
  const auto narrow = Contains(HasSubstr("the intervals are too narrow"));
  std::vector<Result> base = compared_results({3000});
  const std::vector<Result> other = compared_results({3000}, 30);
  EXPECT_THAT(compare(base, other).notes, Not(narrow));  // 60 s
  base[0].summary.time_seconds = 59;
  EXPECT_THAT(compare(base, other).notes, narrow);
  EXPECT_THAT(compare(base, other).notes, Contains(HasSubstr("A run measured only 59 s")));
  // With several runs, seconds are not asked.
  base.push_back(compared_results({3010}, 90)[0]);
  EXPECT_THAT(compare(base, other).notes, Not(narrow));
}

TEST(CompareTest, AShortRunIsNotJudgedAndSaysWhy) {
  const Comparison comparison =
      compare(compared_results({3000}), compared_results({2500}, 30), with_limits({"tpmC < -3%"}));
  EXPECT_EQ(comparison.limits[0].state, State::not_judged);
  EXPECT_THAT(comparison.limits[0].sentence, HasSubstr("less than 20 s were measured"));
  EXPECT_TRUE(comparison.fails());
}

}  // namespace
}  // namespace drover::report
