#include "database/ydb/partitions.h"

#include <gmock/gmock.h>

namespace drover::database::ydb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Partitions, AreCutAtKeys) {
  EXPECT_THAT(keys_of_ranges(1), IsEmpty());
  EXPECT_THAT(keys_of_ranges(3), ElementsAre("2", "3"));
  EXPECT_EQ(keys_of_ranges(50).size(), 49U);
  EXPECT_EQ(keys_of_ranges(51).size(), 25U);
  const auto keys = keys_of_ranges(100'000'000'000);
  EXPECT_EQ(keys.size(), 49U);
  EXPECT_EQ(keys.back(), "98000000001");
}

TEST(Partitions, AreNotMergedAndMayGrow) {
  EXPECT_EQ(partition_settings(60, {"7", "9"}),
            " WITH (AUTO_PARTITIONING_BY_LOAD = DISABLED, AUTO_PARTITIONING_PARTITION_SIZE_MB = "
            "2000, AUTO_PARTITIONING_MIN_PARTITIONS_COUNT = 60, "
            "AUTO_PARTITIONING_MAX_PARTITIONS_COUNT = 120, PARTITION_AT_KEYS = (7, 9))");
  EXPECT_THAT(partition_settings(1, {}), HasSubstr("MAX_PARTITIONS_COUNT = 100)"));
  EXPECT_THAT(partition_settings(1, {}), Not(HasSubstr("PARTITION_AT_KEYS")));
}

}  // namespace
}  // namespace drover::database::ydb
