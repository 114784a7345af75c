#include "workload/tpcc/terminals/run_records.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <tuple>
#include <vector>

#include "support/temporary_folder.h"

namespace drover::tpcc {
namespace {

coro::Instant second(int number) {
  return coro::Instant{} + std::chrono::seconds(number);
}

void add(AcknowledgedWrites& writes, int from, int until) {
  for (int i = from; i < until; ++i)
    writes.add(DeliveryInput{.w_id = i, .carrier_id = 1}, {}, second(i));
}

int warehouse_of(const AcknowledgedWrite& write) {
  return std::get<DeliveryInput>(write.write.input).w_id;
}

TEST(AcknowledgedWrites, KeepNothingUntilSomebodyAsks) {
  AcknowledgedWrites writes;
  add(writes, 0, 10);
  writes.on_session_lost();
  EXPECT_TRUE(writes.all().empty());
}

TEST(AcknowledgedWrites, TheLastOnesOfAWorkersShare) {
  constexpr int room = AcknowledgedWrites::recent_most / 4;
  AcknowledgedWrites writes;
  writes.keep_of(4);
  add(writes, 0, room + 7);
  const std::vector<AcknowledgedWrite> all = writes.all();
  ASSERT_EQ(all.size(), static_cast<std::size_t>(room));
  EXPECT_EQ(warehouse_of(all.front()), 7);
  EXPECT_EQ(warehouse_of(all.back()), room + 6);
  EXPECT_EQ(all.back().answered, second(room + 6));
}

TEST(AcknowledgedWrites, ThoseBeforeALossAreKeptWhileOthersCome) {
  constexpr int room = AcknowledgedWrites::recent_most;
  AcknowledgedWrites writes;
  writes.keep_of(1);
  add(writes, 0, 10);
  writes.on_session_lost();
  writes.on_session_lost();  // another one, of the same failover
  add(writes, 10, 10 + 2 * room);
  const std::vector<AcknowledgedWrite> all = writes.all();
  ASSERT_EQ(all.size(), static_cast<std::size_t>(10 + room));
  EXPECT_EQ(warehouse_of(all[0]), 0);
  EXPECT_EQ(warehouse_of(all[9]), 9);
  EXPECT_EQ(warehouse_of(all[10]), 10 + room);
}

TEST(AcknowledgedWrites, OfManyLossesTheLastOnesAreKept) {
  constexpr int most = AcknowledgedWrites::suspects_most;
  AcknowledgedWrites writes;
  writes.keep_of(1);
  for (int i = 0; i < most + 1000; i += 1000) {
    add(writes, i, i + 1000);
    writes.on_session_lost();
  }
  const std::vector<AcknowledgedWrite> all = writes.all();
  ASSERT_EQ(all.size(), static_cast<std::size_t>(most));
  EXPECT_EQ(warehouse_of(all.front()), 1000);
}

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

DeliveryRecord example() {
  DeliveryRecord record;
  record.queued = 1763730000.25;
  record.completed = 1763730001.5;
  record.w_id = 3;
  record.carrier_id = 7;
  record.orders = {2107, 0, 2104};
  return record;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(DeliveryLogTest, ALineNamesTheOrdersOfTheDistrictsThatHadOne) {
  EXPECT_EQ(format_delivery(example()),
            "{\"queued\":1763730000.250000,\"w_id\":3,\"o_carrier_id\":7,"
            "\"orders\":[[1,2107],[3,2104]],\"completed\":1763730001.500000}\n");
}

TEST(DeliveryLogTest, AFailedOneSaysSo) {
  DeliveryRecord record = example();
  record.failed = true;
  EXPECT_EQ(format_delivery(record),
            "{\"queued\":1763730000.250000,\"w_id\":3,\"o_carrier_id\":7,"
            "\"error\":\"not delivered\",\"completed\":1763730001.500000}\n");
}

TEST(DeliveryLogTest, WritesWhatWasAppended) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() / "deliveries";
  DeliveryLog log(path);
  log.append(example());
  log.write_out();
  log.append(example());
  log.close();
  EXPECT_EQ(log.failure(), "");
  EXPECT_EQ(text_of(path), format_delivery(example()) + format_delivery(example()));
}

TEST(DeliveryLogTest, SaysWhyItCannotBeMade) {
  try {
    DeliveryLog log("/no/such/folder/deliveries");
    ADD_FAILURE() << "it was made";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(
        error.what(),
        "cannot create the delivery log \"/no/such/folder/deliveries\": No such file or directory");
  }
}

TEST(DeliveryLogTest, AFullDiskIsNoReasonToEndTheRun) {
  DeliveryLog log("/dev/full");
  log.append(example());
  log.write_out();
  EXPECT_EQ(log.failure(),
            "cannot write to the delivery log \"/dev/full\": No space left on device");
  log.append(example());
  log.close();
}

}  // namespace
}  // namespace drover::tpcc
