#include "workload/tpcc/terminals/acknowledged_writes.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace drover::tpcc
