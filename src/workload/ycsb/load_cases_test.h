// For tests: what a load must do on every database. A file of tests has a fixture of its database, which has
// load_in_pieces(properties, rows_of_piece) and the isolation of its runs, and instantiates these with it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "database/error.h"
#include "workload/ycsb/database_test.h"

namespace drover::ycsb {

template <class LoadOnIt>
class LoadOnDatabase : public LoadOnIt {};

TYPED_TEST_SUITE_P(LoadOnDatabase);

TYPED_TEST_P(LoadOnDatabase, LoadsTheRowsThatTheCheckExpects) {
  const Properties properties = properties_of("a", {"recordcount=1000"});
  const LoadProgress done = this->load_in_pieces(properties, 90);
  EXPECT_EQ(done.rows, 1000U);
  EXPECT_EQ(done.rows_total, 1000U);
  EXPECT_GT(done.bytes, 1'000'000U);
  const CheckReport report = this->check(properties);
  EXPECT_TRUE(report.holds());
  EXPECT_EQ(report.rows, 1000U);
  EXPECT_EQ(report.rows_loaded, 1000U);
  EXPECT_EQ(report.values, 10'000U);
  EXPECT_EQ(report.versions, 0U);
}

TYPED_TEST_P(LoadOnDatabase, TheSameCommandAgainHasNothingToDo) {
  const Properties properties = properties_of("a", {"recordcount=100"});
  this->load(properties);
  const LoadProgress again = this->load(properties);
  EXPECT_EQ(again.rows_there, 100U);
  EXPECT_EQ(again.rows_total, 0U);
  EXPECT_EQ(again.rows, 0U);
}

TYPED_TEST_P(LoadOnDatabase, SeveralLoadTheirParts) {
  const auto part = TestFixture::part;
  this->load_in_pieces(part(0, 300), 70);
  EXPECT_EQ(this->load_in_pieces(part(600, 400), 70).rows, 400U);
  EXPECT_EQ(this->check(part(0, 1000)).rows, 700U);
  const LoadProgress rest = this->load_in_pieces(part(0, 1000), 70);
  EXPECT_EQ(rest.rows_there, 700U);
  EXPECT_EQ(rest.rows, 300U);
  const CheckReport report = this->check(part(0, 1000));
  EXPECT_TRUE(report.holds());
  EXPECT_EQ(report.rows, 1000U);
}

TYPED_TEST_P(LoadOnDatabase, RowsOfOtherPropertiesAreRefused) {
  this->load(properties_of("a", {"recordcount=10"}));
  for (const auto& [setting, difference] : std::vector<std::pair<std::string, std::string>>{
           {"fieldlength=50", "fieldlength=100, and not fieldlength=50"},
           {"fieldcount=5", "fieldcount=10, and not fieldcount=5"},
           {"zeropadding=9", "zeropadding=1, and not zeropadding=9"},
           {"insertorder=ordered", "insertorder=hashed, and not insertorder=ordered"}}) {
    LoadObserver nobody;
    const Properties other = properties_of("a", {"recordcount=20", setting});
    const std::string message = this->unfit(this->database->load({.properties = other}, nobody));
    EXPECT_NE(message.find(difference), std::string::npos) << message;
  }
}

TYPED_TEST_P(LoadOnDatabase, RowsThatARunHasInsertedAreNoPartOfALoad) {
  const Properties properties = properties_of("d", {"recordcount=20", "insertproportion=1"});
  this->load(properties);
  this->run_engine(properties, {.operations = 50, .isolation = TestFixture::isolation});
  try {
    this->load(properties_of("d", {"recordcount=100"}));
    ADD_FAILURE() << "rows were loaded twice";
  } catch (const database::Error& error) {
    EXPECT_NE(std::string(error.what()).find("a run has inserted"), std::string::npos);
  }
}

REGISTER_TYPED_TEST_SUITE_P(LoadOnDatabase, LoadsTheRowsThatTheCheckExpects,
                            TheSameCommandAgainHasNothingToDo, SeveralLoadTheirParts,
                            RowsOfOtherPropertiesAreRefused,
                            RowsThatARunHasInsertedAreNoPartOfALoad);

}  // namespace drover::ycsb
