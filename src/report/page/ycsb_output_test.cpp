#include "report/page/report.h"

#include <gtest/gtest.h>

namespace drover::report {
namespace {

Result closed_loop() {
  Result result;
  result.plan.benchmark = "ycsb";
  result.summary.time_seconds = 2;
  TransactionResult& read = result.transactions.emplace_back();
  read.name = "READ";
  read.ok_count = 4;
  for (const std::uint64_t us : {100, 100, 100, 300}) read.latency.record(us * 1'000);
  return result;
}

TEST(YcsbLines, AreThoseThatScriptsRead) {
  EXPECT_EQ(ycsb_lines(closed_loop(), YcsbInterval::op, {50, 95, 99.9, 99.99999}),
            "[OVERALL], RunTime(ms), 2000\n"
            "[OVERALL], Throughput(ops/sec), 2\n"
            "[READ], Operations, 4\n"
            "[READ], AverageLatency(us), 150\n"
            "[READ], MinLatency(us), 100\n"
            "[READ], MaxLatency(us), 300\n"
            "[READ], 50thPercentileLatency(us), 100\n"
            "[READ], 95thPercentileLatency(us), 300\n"
            "[READ], 99.9PercentileLatency(us), 300\n"
            "[READ], 99.99999PercentileLatency(us), 300\n"
            "[READ], Return=OK, 4\n");
}

TEST(YcsbLines, OfAnOpenLoopHaveTheIntendedLatency) {
  Result result = closed_loop();
  result.transactions[0].service.record(50'000);
  const std::string op = ycsb_lines(result, YcsbInterval::op, {99});
  EXPECT_NE(op.find("[READ], MaxLatency(us), 50\n"), std::string::npos) << op;
  EXPECT_EQ(op.find("Intended"), std::string::npos) << op;
  const std::string intended = ycsb_lines(result, YcsbInterval::intended, {99});
  EXPECT_NE(intended.find("[READ], MaxLatency(us), 300\n"), std::string::npos) << intended;
  EXPECT_EQ(intended.find("Intended"), std::string::npos) << intended;
  const std::string both = ycsb_lines(result, YcsbInterval::both, {99});
  EXPECT_NE(both.find("[READ], MaxLatency(us), 50\n"), std::string::npos) << both;
  EXPECT_NE(both.find("[Intended-READ], MaxLatency(us), 300\n"), std::string::npos) << both;
}

TEST(YcsbLines, SayWhatFailedAndWhatWasVerified) {
  Result result = closed_loop();
  result.transactions[0].failed_count = 3;
  result.verification = {.values = 40, .wrong = 1, .not_found = 0, .first_wrong = ""};
  const std::string lines = ycsb_lines(result, YcsbInterval::op, {});
  EXPECT_NE(lines.find("[READ], Return=ERROR, 3\n[READ-FAILED], Operations, 3\n"),
            std::string::npos)
      << lines;
  EXPECT_NE(lines.find("[VERIFY], Operations, 40\n[VERIFY], Return=OK, 39\n"
                       "[VERIFY], Return=UNEXPECTED_STATE, 1\n"),
            std::string::npos)
      << lines;
}

TEST(YcsbLines, OrdinalsAreEnglish) {
  const std::string lines = ycsb_lines(closed_loop(), YcsbInterval::op, {1, 2, 3, 11, 12, 13, 21});
  for (const char* name : {"1st", "2nd", "3rd", "11th", "12th", "13th", "21st"}) {
    EXPECT_NE(lines.find(std::string("], ") + name + "Percentile"), std::string::npos) << name;
  }
}

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
