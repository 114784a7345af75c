#include "workload/tpcc/terminals/warehouse_availability.h"

#include <gtest/gtest.h>

#include <chrono>
#include <tuple>
#include <vector>

namespace drover::tpcc {
namespace {

using namespace std::chrono_literals;
using coro::Duration;
using coro::Instant;
using database::Error;
using database::ErrorClass;

Instant at(Duration time) {
  return Instant{} + time;
}

// Warehouses 2, 5 and 8: those of the second of three workers.
class WarehouseAvailabilityTest : public testing::Test {
 protected:
  using Stretches = std::vector<std::tuple<std::int32_t, Instant, Instant>>;

  void fail(std::int32_t w_id, Duration begun, const Error& error) {
    availability.failed(w_id, at(begun), error);
  }
  void fail(std::int32_t w_id, Duration begun) {
    fail(w_id, begun, Error(ErrorClass::statement, "08006", "connection refused"));
  }
  Stretches stretches() const {
    Stretches all;
    for (const auto& one : availability.stretches()) {
      all.emplace_back(one.w_id, one.start, one.end);
    }
    return all;
  }

  WarehouseAvailability availability{2, 3, 3};
};

TEST_F(WarehouseAvailabilityTest, IsAwayFromTheFirstOfThreeFailuresToTheNextCommit) {
  for (const Duration time : {1s, 2s, 3s}) fail(5, time);
  availability.committed(8, at(4s));
  for (const Duration time : {5s, 6s}) fail(5, time);
  availability.committed(5, at(7s));
  availability.committed(5, at(8s));
  EXPECT_EQ(stretches(), (Stretches{{5, at(1s), at(7s)}}));
}

TEST_F(WarehouseAvailabilityTest, TwoFailuresBetweenCommitsAreNoAbsence) {
  for (int i = 0; i < 10; ++i) {
    fail(2, 1s * i);
    fail(2, 1s * i + 1ms);
    fail(8, 1s * i);
    availability.committed(2, at(1s * i + 2ms));
  }
  EXPECT_EQ(stretches(), (Stretches{{8, at(0s), Instant::max()}}));
}

TEST_F(WarehouseAvailabilityTest, EachAbsenceIsAStretch) {
  for (const Duration begin : {10s, 20s}) {
    for (int i = 0; i < 3; ++i) fail(8, begin + 1s * i);
    availability.committed(8, at(begin + 5s));
  }
  for (int i = 0; i < 4; ++i) fail(8, 30s + 1s * i);
  EXPECT_EQ(
      stretches(),
      (Stretches{{8, at(10s), at(15s)}, {8, at(20s), at(25s)}, {8, at(30s), Instant::max()}}));
}

// Three transactions waited for a server that hung until the client lost patience.
TEST_F(WarehouseAvailabilityTest, AServerThatHangsIsAwaySinceTheLastCommit) {
  availability.committed(2, at(3s));
  for (const Duration begun : {2s, 4s, 5s})
    fail(2, begun, Error(ErrorClass::timed_out, "57014", ""));
  availability.committed(2, at(70s));
  EXPECT_EQ(stretches(), (Stretches{{2, at(3s), at(70s)}}));
}

TEST_F(WarehouseAvailabilityTest, CountsFailuresOfTheDatabaseOnly) {
  const auto is_away_after = [](const Error& error) {
    WarehouseAvailability one(1, 1, 1);
    for (int i = 0; i < 3; ++i) one.failed(1, at(1s), error);
    return !one.stretches().empty();
  };
  for (const char* sqlstate : {"08006", "53300", "57P01", "58C00", "XX000"}) {
    EXPECT_TRUE(is_away_after(Error(ErrorClass::statement, sqlstate, ""))) << sqlstate;
  }
  for (const char* sqlstate : {"", "0A000", "22003", "23505", "42P01"}) {
    EXPECT_FALSE(is_away_after(Error(ErrorClass::statement, sqlstate, ""))) << sqlstate;
  }
  for (const ErrorClass one :
       {ErrorClass::connection_lost, ErrorClass::ambiguous_commit, ErrorClass::unavailable,
        ErrorClass::timed_out, ErrorClass::retryable}) {
    EXPECT_TRUE(is_away_after(Error(one, "", ""))) << error_class_name(one);
  }
  EXPECT_FALSE(is_away_after(Error(ErrorClass::denied, "28P01", "")));
}

}  // namespace
}  // namespace drover::tpcc
