#include "workload/tpcc/ydb/import/schema.h"

#include <gmock/gmock.h>

#include "database/ydb/database_access.h"

namespace drover::tpcc::ydb {

using database::ydb::parse_folder;
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(YdbSchema, HasAllColumnsOfTheTables) {
  for (const Table table : all_tables) {
    const auto made = columns(table);
    for (const std::string_view name : column_names(table)) {
      EXPECT_TRUE(std::any_of(made.begin(), made.end(), [&](const Column& column) {
        return column.name == name;
      })) << name;
    }
    const std::size_t more = table == Table::History ? 1 : 0;  // h_c_nano_ts
    EXPECT_EQ(made.size(), column_names(table).size() + more) << table_name(table);
  }
}

TEST(YdbSchema, MakesTablesWithKeys) {
  const std::string text = create_table(Table::OrderLine, 1);
  EXPECT_THAT(text, HasSubstr("CREATE TABLE IF NOT EXISTS order_line (\n"));
  EXPECT_THAT(text, HasSubstr("ol_number Int32 NOT NULL,\n"));
  EXPECT_THAT(text, HasSubstr("ol_amount Decimal(22,9),\n"));
  EXPECT_THAT(text, HasSubstr("PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)"));
}

TEST(YdbSchema, SplitsTablesByWarehouses) {
  EXPECT_THAT(partition_keys(Table::Stock, 4), ElementsAre(2, 3, 4));
  EXPECT_THAT(partition_keys(Table::Stock, 1), IsEmpty());
  // 50 partitions of 20 warehouses; 45 warehouses of stock fill one of 2 GB, of customer 100.
  EXPECT_EQ(partition_keys(Table::Stock, 1'000).size(), 49U);
  EXPECT_EQ(partition_keys(Table::Stock, 15'000).front(), 46);
  EXPECT_EQ(partition_keys(Table::Stock, 15'000).back(), 14'986);
  EXPECT_EQ(partition_keys(Table::Customer, 15'000).front(), 101);
  EXPECT_EQ(partition_keys(Table::Item, 10).front(), 2'001);
  EXPECT_EQ(partition_keys(Table::Item, 10).size(), 49U);
  EXPECT_EQ(partition_keys(Table::Item, 1'000'000).front(), 101);
}

// A partition changes rows on one core: the small ones limit a run as the large ones do. These are
// the figures of docs/ydb.md.
TEST(YdbSchema, SplitsSmallTablesToo) {
  const auto partitions = [](Table table) {
    std::vector<std::size_t> counts;
    for (const int warehouses : {1, 10, 100, 1'000, 15'000}) {
      counts.push_back(partition_keys(table, warehouses).size() + 1);
    }
    return counts;
  };
  for (const Table table : {Table::Warehouse, Table::District, Table::NewOrder, Table::Order,
                            Table::History, Table::Customer}) {
    EXPECT_THAT(partitions(table), ElementsAre(1, 10, 50, 50, 150)) << table_name(table);
  }
  EXPECT_THAT(partitions(Table::Stock), ElementsAre(1, 10, 50, 50, 334));
  EXPECT_THAT(partitions(Table::OrderLine), ElementsAre(1, 10, 50, 50, 259));
  EXPECT_THAT(partitions(Table::Item), ElementsAre(50, 50, 50, 50, 151));
  EXPECT_THAT(create_table(Table::NewOrder, 1'000), HasSubstr("PARTITION_AT_KEYS = (21, 41, "));
  EXPECT_THAT(create_table(Table::District, 4), HasSubstr("PARTITION_AT_KEYS = (2, 3, 4)"));
}

TEST(YdbSchema, SaysHowManyPartitionsThereMayBe) {
  const std::string text = create_table(Table::Stock, 15'000);
  EXPECT_THAT(text, HasSubstr("AUTO_PARTITIONING_BY_LOAD = DISABLED"));
  EXPECT_THAT(text, HasSubstr("AUTO_PARTITIONING_MIN_PARTITIONS_COUNT = 334,"));
  EXPECT_THAT(text, HasSubstr("AUTO_PARTITIONING_MAX_PARTITIONS_COUNT = 668,"));
  EXPECT_THAT(text, HasSubstr("PARTITION_AT_KEYS = (46, 91, "));
  const std::string small = create_table(Table::Warehouse, 1);
  EXPECT_THAT(small, HasSubstr("AUTO_PARTITIONING_MIN_PARTITIONS_COUNT = 50,"));
  EXPECT_THAT(small, Not(HasSubstr("PARTITION_AT_KEYS")));
}

TEST(YdbSchema, KeepsMoneyExact) {
  EXPECT_EQ(static_cast<std::int64_t>(money_of_cents(-1).digits), -10'000'000);
  EXPECT_EQ(static_cast<std::int64_t>(rate_of_ten_thousandths(1'234).digits), 123'400'000);
}

TEST(YdbFolder, IsTakenWithoutSlashesAtItsEnds) {
  EXPECT_EQ(parse_folder(""), "");
  EXPECT_EQ(parse_folder("/"), "");
  EXPECT_EQ(parse_folder("/bench/tpcc-1.0/"), "bench/tpcc-1.0");
}

TEST(YdbFolder, IsRefusedIfItWouldHaveToBeQuoted) {
  for (const char* bad : {"a//b", "a b", "..", "a/.sys", "a\"b", "ä"}) {
    try {
      parse_folder(bad);
      ADD_FAILURE() << bad;
    } catch (const database::ydb::TargetError& error) {
      EXPECT_THAT(error.what(), HasSubstr("--schema"));
    }
  }
}

TEST(YdbFolder, StandsBeforeEachStatement) {
  YdbDatabase database{.client = {.target = database::ydb::parse_target("ydb://host/Root/test")}};
  EXPECT_EQ(folder_path(database), "/Root/test");
  database.folder = "bench/tpcc";
  EXPECT_EQ(folder_pragma(database), "PRAGMA TablePathPrefix(\"/Root/test/bench/tpcc\");\n");
}

}  // namespace
}  // namespace drover::tpcc::ydb
