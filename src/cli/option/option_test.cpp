#include "cli/option/option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover::cli {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

// Returns the error message of an option that is given this word; empty if it is accepted.
std::string problem_of(OptionTarget target, const char* value, OptionDetails details,
                       const std::string& word) {
  try {
    Option("--option", std::move(target), value, "", std::move(details)).give({word});
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Option, ReadsWholeNumbersInTheirRange) {
  std::int64_t number = 0;
  for (const char* word :
       {"0", "101", "abc", "1.5", "-1", "99999999999999999999", " 5", "5 ", "auto"}) {
    EXPECT_THAT(problem_of(&number, "N", in_range(1, 100), word),
                HasSubstr("expected a whole number from 1 to 100"))
        << word;
  }
  EXPECT_EQ(problem_of(&number, "N", in_range(1, 100), "10"), "");
  EXPECT_EQ(number, 10);
  EXPECT_EQ(problem_of(&number, "N", in_range(0, INT64_MAX), "9223372036854775807"), "");
  EXPECT_EQ(number, INT64_MAX);
}

TEST(Option, EmptiesAnOptionalByAuto) {
  std::optional<std::int64_t> number = 7;
  EXPECT_EQ(problem_of(&number, "N|auto", in_range(1, 64), "auto"), "");
  EXPECT_EQ(number, std::nullopt);
  EXPECT_EQ(problem_of(&number, "N|auto", in_range(1, 64), "x"),
            "--option x: expected a whole number from 1 to 64 or auto");
  EXPECT_EQ(Option("--threads", &number, "N|auto", "").default_text, "auto");
}

TEST(Option, ReadsDurations) {
  coro::Duration time{};
  for (const auto& [word, expected] : std::vector<std::pair<std::string, coro::Duration>>{
           {"10m", 10min}, {"1.5h", 90min}, {"250ms", 250ms}, {"0", 0s}, {"0s", 0s}}) {
    EXPECT_EQ(problem_of(&time, "TIME", {}, word), "");
    EXPECT_EQ(time, expected);
  }
  for (const char* word : {"5", "abc", "-5s", "5x", "5 s", "nan", "inf", "1e300s", "s", "400d"}) {
    EXPECT_THAT(problem_of(&time, "TIME", {}, word), HasSubstr("Expected a number with a unit"))
        << word;
  }
  EXPECT_EQ(problem_of(&time, "TIME", {.range = between(1s, 1h)}, "90m"),
            "--option 90m: expected a time from 1s to 1h");
  double seconds = 60;
  EXPECT_EQ(Option("--timeout", in_seconds(&seconds), "TIME", "").default_text, "60s");
  EXPECT_EQ(problem_of(in_seconds(&seconds), "TIME", {}, "250ms"), "");
  EXPECT_EQ(seconds, 0.25);
}

TEST(Option, ShowsDurationsAsAUserWritesThem) {
  for (const auto& [duration, expected] :
       std::vector<std::pair<coro::Duration, std::string>>{{0s, "0s"},
                                                           {60s, "60s"},
                                                           {90s, "90s"},
                                                           {10min, "10m"},
                                                           {1h, "1h"},
                                                           {90min, "90m"},
                                                           {250ms, "250ms"},
                                                           {1500ms, "1500ms"}}) {
    EXPECT_EQ(duration_text(duration), expected);
  }
}

TEST(Option, ReadsEnumerations) {
  enum class Style { batched, single };
  const Choices<Style> styles = {{"batched", Style::batched}, {"single", Style::single}};
  auto style = Style::single;
  const Option option("--statements", one_of(&style, styles), "", "");
  EXPECT_EQ(option.value, "batched|single");
  EXPECT_THAT(option.choices, ElementsAre("batched", "single"));
  EXPECT_EQ(option.default_text, "single");
  EXPECT_EQ(problem_of(one_of(&style, styles), "", {}, "batched"), "");
  EXPECT_EQ(style, Style::batched);
  EXPECT_EQ(problem_of(one_of(&style, styles), "", {}, "some"),
            "--option some: expected batched or single");
  std::optional<Style> detected = Style::single;
  EXPECT_EQ(problem_of(one_of(&detected, styles), "auto|batched|single", {}, "auto"), "");
  EXPECT_EQ(detected, std::nullopt);
}

TEST(Option, ReadsLists) {
  std::vector<std::uint64_t> weights;
  const OptionDetails details{.range = Range{1, 9}, .delimiter = ','};
  EXPECT_EQ(problem_of(&weights, "N,…", details, "2,1,1"), "");
  EXPECT_THAT(weights, ElementsAre(2, 1, 1));
  EXPECT_THAT(problem_of(&weights, "N,…", details, "2,10"), HasSubstr("from 1 to 9"));
  EXPECT_THAT(weights, ElementsAre(2, 1, 1)) << "a wrong value changes nothing";
}

TEST(Option, ReadsPartsRangesAndPercentages) {
  std::optional<Pair> pair;
  for (const char* word : {"1/1", "2/4", "10/10"}) {
    EXPECT_EQ(problem_of({&pair, part_syntax(10)}, "I/N", {}, word), "") << word;
  }
  EXPECT_EQ(pair, Pair(10, 10));
  for (const char* word : {"2", "/", "2/", "/4", "0/4", "5/4", "1/11", "1/2/3", "-1/2", "1 /2",
                           "1-2", "a/b", "1.5/2"}) {
    EXPECT_THAT(problem_of({&pair, part_syntax(10)}, "I/N", {}, word), HasSubstr("expected I/N"))
        << word;
  }
  EXPECT_EQ(problem_of({&pair, range_syntax(100)}, "A-B", {}, "7-100"), "");
  EXPECT_EQ(pair, Pair(7, 100));
  for (const char* word : {"7", "-", "7-", "-7", "0-7", "8-7", "1-101", "1-2-3", "1/2"}) {
    EXPECT_THAT(problem_of({&pair, range_syntax(100)}, "A-B", {}, word), HasSubstr("expected A-B"))
        << word;
  }
  double tolerance = 0.05;
  EXPECT_EQ(Option("--tolerance", {&tolerance, percent_syntax(0, 50)}, "P%", "").default_text,
            "5%");
  EXPECT_EQ(problem_of({&tolerance, percent_syntax(0, 50)}, "P%", {}, "12.5"), "");
  EXPECT_EQ(tolerance, 0.125);
  for (const char* word : {"51", "-1%", "5%%", "%", "x"}) {
    EXPECT_THAT(problem_of({&tolerance, percent_syntax(0, 50)}, "P%", {}, word),
                HasSubstr("expected a percentage from 0 to 50"))
        << word;
  }
}

constexpr double now = 1'795'636'700;  // 2026-11-25T19:58:20Z

double start_time_of(const std::string& text) {
  double time = 0;
  Option("--start-at", {&time, start_time_syntax([] { return now; })}, "TIME", "").give({text});
  return time;
}

std::string refusal_of(const std::string& text) {
  double time = 0;
  return problem_of({&time, start_time_syntax([] { return now; })}, "TIME", {}, text);
}

TEST(StartTime, IsUnixSecondsOrATimeWithItsZone) {
  for (const char* text :
       {"1795636800", "1795636800.0", "2026-11-25T20:00:00Z", "2026-11-25T20:00:00.000Z",
        "2026-11-25T21:00:00+01:00", "2026-11-25T14:30:00-0530", "2026-11-26T01:30:00+0530"}) {
    EXPECT_EQ(start_time_of(text), 1'795'636'800) << text;
  }
  EXPECT_EQ(start_time_of("1795636800.25"), 1'795'636'800.25);
  EXPECT_EQ(start_time_of("2026-11-25T20:00:00.25Z"), 1'795'636'800.25);
  EXPECT_EQ(start_time_of("1795636700"), now);
}

TEST(StartTime, WhatIsNoTimeIsRefused) {
  for (const char* text : {"soon", "20:00", "2026-11-25", "2026-11-25T20:00:00", "nan", "inf", "-5",
                           "1795636800s", "2026-13-25T20:00:00Z", "2026-02-30T20:00:00Z",
                           "2026-11-25T24:00:00Z", "2026-11-25T20:60:00Z", "2026-11-25 20:00:00Z",
                           "2026-11-25T20:00:00.Z", "2026-11-25T20:00:00.", "2026-11-25T20:00:00+1",
                           "2026-11-25T20:00:00+15:00", "2026-11-25T20:00:00Zulu"}) {
    EXPECT_THAT(refusal_of(text), HasSubstr("the text is not a time with a time zone")) << text;
  }
}

TEST(StartTime, SaysWhyATimeIsRefused) {
  EXPECT_THAT(refusal_of("+30s"), HasSubstr("differ between hosts"));
  EXPECT_THAT(refusal_of("1795636690"),
              HasSubstr("by this host's clock, this time passed 10.0 s ago"));
  EXPECT_THAT(refusal_of("1795636800000"), HasSubstr("more than a week ahead"));
}

}  // namespace
}  // namespace drover::cli
