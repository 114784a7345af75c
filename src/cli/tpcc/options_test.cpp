#include "cli/tpcc/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/usage_error.h"

namespace drover::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using tpcc::Isolation;

DatabaseOption database_of(DatabaseKind kind) {
  return {kind == DatabaseKind::ydb ? "ydb://host:2136/local" : "postgresql://host/name", ""};
}

std::optional<Isolation> isolation_of(const TpccRequest& request, DatabaseKind kind) {
  return make_tpcc_run(request, database_of(kind)).options.isolation;
}

// Empty if nothing is wrong.
std::string problem_of(const TpccRequest& request, DatabaseKind kind) {
  try {
    make_tpcc_run(request, database_of(kind));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(TpccRun, HasTheIsolationOfEachKindOfDatabase) {
  TpccRequest request;
  EXPECT_EQ(isolation_of(request, DatabaseKind::postgres), std::nullopt) << "as the server has it";
  EXPECT_EQ(isolation_of(request, DatabaseKind::ydb), Isolation::serializable);
  request.isolation = "repeatable-read";
  EXPECT_EQ(isolation_of(request, DatabaseKind::postgres), Isolation::repeatable_read);
  request.isolation.reset();
  request.tx_mode = "snapshot-rw";
  EXPECT_EQ(isolation_of(request, DatabaseKind::ydb), Isolation::snapshot);
}

TEST(TpccRun, SaysWhichOptionTheOtherDatabaseHas) {
  TpccRequest request;
  request.isolation = "serializable";
  EXPECT_THAT(problem_of(request, DatabaseKind::ydb),
              AllOf(HasSubstr("--isolation"), HasSubstr("--tx-mode")));
  request.isolation.reset();
  request.tx_mode = "serializable-rw";
  EXPECT_THAT(problem_of(request, DatabaseKind::postgres),
              AllOf(HasSubstr("--tx-mode"), HasSubstr("--isolation")));
}

TEST(TpccRun, WatchesTheServerWhereItIsAskedTo) {
  TpccRequest request;
  request.warehouses = "1";
  EXPECT_FALSE(make_tpcc_run(request, {}).run.settings.server_stats);
  request.server_stats = true;
  EXPECT_TRUE(make_tpcc_run(request, {}).run.settings.server_stats);
  request.simulate_ms = 5;
  EXPECT_THAT(problem_of(request, DatabaseKind::postgres),
              AllOf(HasSubstr("--server-stats"), HasSubstr("no server")));
}

TEST(TpccRun, RefusesLevelsThatThereAreNot) {
  TpccRequest request;
  request.tx_mode = "snapshot";
  EXPECT_THAT(problem_of(request, DatabaseKind::ydb), HasSubstr("--tx-mode snapshot"));
  request.tx_mode.reset();
  request.isolation = "snapshot";
  EXPECT_THAT(problem_of(request, DatabaseKind::postgres), HasSubstr("--isolation snapshot"));
}

}  // namespace
}  // namespace drover::cli
