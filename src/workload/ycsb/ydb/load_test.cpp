#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "database/error.h"
#include "database/ydb/database_access.h"
#include "workload/ycsb/load_cases_test.h"
#include "workload/ycsb/ydb/served_table_test.h"

namespace drover::ycsb::ydb {
namespace {

TEST(TableOnYdb, IsCutWhereItsKeysAre) {
  const Properties properties = properties_of("a", {"recordcount=100000"});
  EXPECT_EQ(partitions_wanted(properties), 50U);
  const std::vector<std::string> keys = split_keys(properties, 50);
  ASSERT_EQ(keys.size(), 49U);
  EXPECT_TRUE(std::ranges::is_sorted(keys));
  for (const std::string& key : keys) EXPECT_TRUE(key.starts_with("user"));
  EXPECT_EQ(split_keys(properties_of("a", {"recordcount=100", "insertorder=ordered"}), 4),
            (std::vector<std::string>{"user31", "user54", "user77"}));
}

TEST(TableOnYdb, OfFewRowsIsOnePartition) {
  EXPECT_EQ(partitions_wanted(properties_of("a", {"recordcount=150"})), 1U);
  EXPECT_EQ(partitions_wanted(properties_of("a", {"recordcount=0"})), 1U);
  EXPECT_TRUE(split_keys(properties_of("a", {"recordcount=0"}), 1).empty());
}

TEST(TableOnYdb, HasNoNameThatWouldBeAPath) {
  EXPECT_THROW(table_of(properties_of("a", {"table=a/b"})), PropertyError);
  EXPECT_THROW(table_of(properties_of("a", {"fieldnameprefix=`"})), PropertyError);
}

class LoadOnYdb : public ServedTable {
 protected:
  LoadProgress load_in_pieces(const Properties& properties, std::uint64_t rows_of_piece) {
    const LoadSettings settings{
        .properties = properties, .connections = 3, .rows_of_piece = rows_of_piece};
    return run(database->load(settings));
  }

  static constexpr auto isolation = database::Isolation::serializable;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Ydb, LoadOnDatabase, LoadOnYdb);

TEST_F(LoadOnYdb, TheKeysAreThoseOfTheOriginal) {
  load_in_pieces(part(0, 1), 1);
  EXPECT_EQ(query("SELECT count(*) FROM {} WHERE ycsb_key = 'user6284781860667377211'"), "1");
  EXPECT_TRUE(check(part(0, 1)).snapshot_refusal);
}

// As a load leaves them that was killed: rows of a piece that is not recorded.
TEST_F(LoadOnYdb, WhatIsNotRecordedIsLoadedAgain) {
  load_in_pieces(part(0, 1000), 100);
  query("DELETE FROM {0} WHERE first_row IN (300, 500)", "drover_ycsb_loaded");
  query("DELETE FROM {0} WHERE ycsb_key = (SELECT min(ycsb_key) FROM {0})");
  query("DELETE FROM {0} WHERE first_row = 0", "drover_ycsb_loaded");
  load_in_pieces(part(100, 200), 100);
  const LoadProgress rest = load_in_pieces(part(0, 1000), 100);
  EXPECT_EQ(rest.rows_there, 700U);
  EXPECT_EQ(rest.rows, 300U);
  EXPECT_EQ(check(part(0, 1000)).rows_loaded, 1000U);
}

TEST_F(LoadOnYdb, WhatWasUpdatedIsNotWrittenOver) {
  const Properties properties = properties_of("a", {"recordcount=50"});
  load(properties);
  query("DELETE FROM {0}", "drover_ycsb_loaded");
  query(
      "UPDATE {0} SET field9 = '0000000001' || substr(field9, 11) WHERE ycsb_key = "
      "(SELECT max(ycsb_key) FROM {0})");
  try {
    load(properties);
    ADD_FAILURE() << "an update was lost";
  } catch (const database::Error& error) {
    EXPECT_NE(std::string(error.what()).find("no load has written"), std::string::npos);
  }
  EXPECT_EQ(run(database->read_sums(properties, ValueKind::counted)).versions, 1U);
}

TEST_F(LoadOnYdb, ATableOfSomethingElseIsNeitherFilledNorDropped) {
  auto make = [](database::ydb::DatabaseAccess& access) -> coro::Task<void> {
    co_await access.make_folder();
    co_await access.change_scheme("CREATE TABLE orders (id Utf8 NOT NULL, PRIMARY KEY (id));");
  };
  run(database::ydb::DatabaseAccess::use(where, make));
  const Properties properties = properties_of("a", {"recordcount=10", "table=orders"});
  for (const std::string& refusal :
       {unfit(database->clean("orders")), unfit(database->load({.properties = properties}))}) {
    EXPECT_NE(refusal.find("the table orders has no column ycsb_key"), std::string::npos)
        << refusal;
  }
  EXPECT_EQ(query("SELECT count(*) FROM {}", "orders"), "0");
}

TEST_F(LoadOnYdb, LongRowsAndCleaning) {
  const Properties properties =
      properties_of("a", {"recordcount=3", "fieldcount=2", "fieldlength=700000", "table=Long"});
  load(properties);
  EXPECT_TRUE(check(properties).holds());
  load(properties_of("a", {"recordcount=10"}));
  using Names = std::vector<std::string>;
  EXPECT_EQ(run(database->clean("usertable")), Names{"usertable"});
  EXPECT_EQ(run(database->clean("Long")), (Names{"Long", "drover_ycsb", "drover_ycsb_loaded"}));
  EXPECT_EQ(run(database->clean("Long")), Names{});
}

TEST_F(LoadOnYdb, ARowThatNoMessageHoldsIsRefusedBeforeTheLoad) {
  for (const auto& [fields, length, fits] :
       {std::tuple("59", "1048576", true), std::tuple("60", "1048576", false),
        std::tuple("1000", "61000", true), std::tuple("1000", "62000", false)}) {
    const Properties properties =
        properties_of("a", {"insertcount=0", std::string("fieldcount=") + fields,
                            std::string("fieldlength=") + length});
    std::string refusal;
    try {
      load(properties);
    } catch (const PropertyError& error) {
      refusal = error.what();
    }
    EXPECT_EQ(refusal.empty(), fits) << refusal;
    if (!fits) {
      EXPECT_NE(refusal.find("messages of at most 64,000,000 bytes"), std::string::npos);
    }
    run(database->clean("usertable"));
  }
}

TEST_F(LoadOnYdb, CheckCountsWhatIsWrong) {
  const Properties properties = properties_of("a", {"recordcount=300"});
  load(properties);
  query("UPDATE {0} SET field2 = field3 WHERE ycsb_key = (SELECT max(ycsb_key) FROM {0})");
  query(
      "UPDATE {0} SET field5 = '0000000042' || substr(field5, 11) "
      "WHERE ycsb_key = (SELECT min(ycsb_key) FROM {0})");
  query("DELETE FROM {0} WHERE ycsb_key = (SELECT ycsb_key FROM {0} ORDER BY 1 OFFSET 9 LIMIT 1)");
  const CheckReport report = check(properties);
  EXPECT_FALSE(report.holds());
  EXPECT_EQ(report.values_wrong, 1U);
  ASSERT_EQ(report.first_wrong.size(), 1U);
  EXPECT_EQ(report.first_wrong[0].field, "field2");
  EXPECT_EQ(report.rows_lost(), 1U);
  EXPECT_EQ(report.versions, 42U);
  EXPECT_EQ(run(database->read_sums(properties, ValueKind::counted)).versions, 42U);
}

}  // namespace
}  // namespace drover::ycsb::ydb
