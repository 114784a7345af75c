#include "report/page/hdr_log.h"

#include <gtest/gtest.h>

namespace drover::report {
namespace {

TEST(HdrLog, HasTheHeaderOfTheFormatAndALine) {
  measure::HistogramSnapshot latency;
  latency.record(1'500'000);
  const std::string log = hdr_log(latency, 1'700'000'000, 10.5);
  EXPECT_TRUE(log.starts_with(
      "#[Histogram log format version 1.3]\n"
      "#[StartTime: 1700000000.000 (seconds since epoch), Tue Nov 14 22:13:20 UTC 2023]\n"
      "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
      "0.000,10.500,0.002,HISTFAAA"))
      << log;
  EXPECT_TRUE(log.ends_with(hdr_encoded(latency) + "\n"));
}

}  // namespace
}  // namespace drover::report
