#include <gtest/gtest.h>

#include <array>
#include <string>

#include "report/audit/audited_result_test.h"

namespace drover::report {
namespace {

// How often an honest run is called broken: of all lines together, about once in a thousand runs.
TEST(AuditOfHonestRuns, FalseAlarmsAreRare) {
  int alarms = 0;
  std::string what;
  constexpr int runs = 1'000;
  for (int i = 0; i < runs; ++i) {
    SimulatedRun run;
    run.seed = static_cast<std::uint64_t>(1'000 + i);
    run.warehouses = std::array{1, 5, 10, 20}[static_cast<std::size_t>(i % 4)];
    run.interval_s = std::array{15.0, 60.0, 120.0}[static_cast<std::size_t>(i % 3)];
    run.warmup_s = std::array{0.0, 3.0, 21.0, 21.0, 21.0}[static_cast<std::size_t>(i % 5)];
    const Result result = simulate_result(run);
    const AuditSummary summary = summarise(result.audit);
    EXPECT_TRUE(summary.valid) << summary.sentence;
    if (summary.compliant) continue;
    ++alarms;
    what += summary.sentence + "\n" + all_text(result.audit);
  }
  EXPECT_LE(alarms, 1) << what;
}

TEST(AuditOfHonestRuns, WithoutDelaysToo) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SimulatedRun run;
    run.seed = seed;
    run.warehouses = 4;
    run.no_delays = true;
    run.warmup_s = 1;
    run.interval_s = 11;
    run.latency_ms = 60;
    const Result result = simulate_result(run);
    EXPECT_TRUE(summarise(result.audit).compliant) << all_text(result.audit);
    EXPECT_EQ(line_named(result.audit, "think").judgement, Judgement::not_judged);
    EXPECT_EQ(line_named(result.audit, "keying").judgement, Judgement::not_judged);
  }
}

}  // namespace
}  // namespace drover::report
