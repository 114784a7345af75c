#include "cli/option/start_time.h"

#include <gmock/gmock.h>

#include <string>

#include "run/usage_error.h"

namespace drover::cli {
namespace {

using testing::HasSubstr;

constexpr double now = 1'795'636'700;  // 2026-11-25T19:58:20Z

std::string refusal_of(const std::string& text) {
  try {
    parse_start_time("--start-at", text, now);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(StartTime, IsUnixSecondsOrATimeWithItsZone) {
  for (const char* text :
       {"1795636800", "1795636800.0", "2026-11-25T20:00:00Z", "2026-11-25T20:00:00.000Z",
        "2026-11-25T21:00:00+01:00", "2026-11-25T14:30:00-0530", "2026-11-26T01:30:00+0530"}) {
    EXPECT_EQ(parse_start_time("--start-at", text, now), 1'795'636'800) << text;
  }
  EXPECT_EQ(parse_start_time("--start-at", "1795636800.25", now), 1'795'636'800.25);
  EXPECT_EQ(parse_start_time("--start-at", "2026-11-25T20:00:00.25Z", now), 1'795'636'800.25);
  EXPECT_EQ(parse_start_time("--start-at", "1795636700", now), now);
}

TEST(StartTime, WhatIsNoTimeIsRefused) {
  for (const char* text : {"", "soon", "20:00", "2026-11-25", "2026-11-25T20:00:00", "nan", "inf",
                           "-5", "1795636800s", "2026-13-25T20:00:00Z", "2026-02-30T20:00:00Z",
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
