#include "cli/run_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/usage_error.h"

namespace drover::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using tpcc::Isolation;

Isolation isolation_of(const RunRequest& request, DatabaseKind kind) {
  return make_run_plan(request, kind).isolation;
}

// Empty if nothing is wrong.
std::string problem_of(const RunRequest& request, DatabaseKind kind) {
  try {
    make_run_plan(request, kind);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(RunPlan, HasTheIsolationOfEachKindOfDatabase) {
  RunRequest request;
  EXPECT_EQ(isolation_of(request, DatabaseKind::postgres), Isolation::read_committed);
  EXPECT_EQ(isolation_of(request, DatabaseKind::ydb), Isolation::serializable);
  request.isolation = "repeatable-read";
  EXPECT_EQ(isolation_of(request, DatabaseKind::postgres), Isolation::repeatable_read);
  request.isolation.reset();
  request.tx_mode = "snapshot-rw";
  EXPECT_EQ(isolation_of(request, DatabaseKind::ydb), Isolation::snapshot);
}

TEST(RunPlan, SaysWhichOptionTheOtherDatabaseHas) {
  RunRequest request;
  request.isolation = "serializable";
  EXPECT_THAT(problem_of(request, DatabaseKind::ydb),
              AllOf(HasSubstr("--isolation"), HasSubstr("--tx-mode")));
  request.isolation.reset();
  request.tx_mode = "serializable-rw";
  EXPECT_THAT(problem_of(request, DatabaseKind::postgres),
              AllOf(HasSubstr("--tx-mode"), HasSubstr("--isolation")));
}

TEST(RunPlan, RefusesLevelsThatThereAreNot) {
  RunRequest request;
  request.tx_mode = "snapshot";
  EXPECT_THAT(problem_of(request, DatabaseKind::ydb), HasSubstr("--tx-mode snapshot"));
  request.tx_mode.reset();
  request.isolation = "snapshot";
  EXPECT_THAT(problem_of(request, DatabaseKind::postgres), HasSubstr("--isolation snapshot"));
}

TEST(MetricsOption, IsAnAddressOrNothing) {
  EXPECT_FALSE(parse_metrics_address(""));
  EXPECT_EQ(parse_metrics_address("9464")->text(), "127.0.0.1:9464");
  EXPECT_EQ(parse_metrics_address("[::1]:9464")->text(), "[::1]:9464");
  EXPECT_FALSE(parse_metrics_address("0.0.0.0:9464")->loopback);
}

TEST(MetricsOption, SaysWhatItExpects) {
  for (const char* text : {"localhost", "example.com:9464", "70000", "::1:9464", "9464 "}) {
    try {
      parse_metrics_address(text);
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with("--metrics " + std::string(text) + ": expected ")) << message;
      EXPECT_NE(message.find("127.0.0.1:9464"), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace drover::cli
