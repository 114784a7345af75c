// For tests: what a load must do on every database. A file of tests has a fixture of its database,
// which has load_in_pieces(properties, rows_of_piece) and the isolation of its runs, and
// instantiates these with it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "database/error.h"
#include "support/over_the_wire.h"
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
    const Properties other = properties_of("a", {"recordcount=20", setting});
    const std::string message = this->unfit(this->database->load({.properties = other}));
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

// The rows that runs insert follow the last part.
TYPED_TEST_P(LoadOnDatabase, APartThatWasNeverLoadedIsKnownToBeMissing) {
  this->load(properties_of("c", {"recordcount=20"}));
  const Properties part = properties_of(
      "d", {"insertstart=5000000", "insertcount=10", "readproportion=0", "insertproportion=1"});
  this->load(part);
  using Ranges = std::vector<RowRange>;
  const Properties all = properties_of("c", {});
  const RunPreparation prepared = this->run(this->database->prepare(all));
  EXPECT_EQ(prepared.next_row, 5'000'010U);
  EXPECT_EQ(prepared.missing_rows, (Ranges{{20, 5'000'000}}));
  this->run_engine(part, {.operations = 30, .isolation = TestFixture::isolation});
  const RunPreparation grown = this->run(this->database->prepare(all));
  EXPECT_EQ(grown.next_row, 5'000'040U);
  EXPECT_EQ(grown.missing_rows, (Ranges{{20, 5'000'000}}));
}

// Two hosts, and a third one that makes the table and concludes.
TYPED_TEST_P(LoadOnDatabase, SeveralHostsLoadAndCheckTheirShares) {
  const Properties properties = TestFixture::part(100, 899);
  const auto load_share = [&](load::Share share) {
    return this->database->load({.properties = properties, .share = share});
  };
  const load::Share first{0, 1, 3};
  const load::Share second{1, 2, 3};
  EXPECT_EQ(this->run(load_share({0, 0, 3})).rows_total, 0U);
  LoadProgress done;
  auto load_one = [&](load::Share share) -> coro::Task<void> {
    const LoadProgress own = test::over_the_wire(co_await load_share(share));
    EXPECT_EQ(own.rows, share.of(899));
    done.rows += own.rows;
  };
  auto load_both = [&](coro::Scope& scope) -> coro::Task<void> {
    scope.start(load_one(first));
    scope.start(load_one(second));
    co_return;
  };
  this->run(coro::with_scope(load_both));
  EXPECT_EQ(done.rows, 899U);
  const LoadProgress whole = this->run(load_share({}));
  EXPECT_EQ(whole.rows_there, 899U);
  EXPECT_EQ(whole.rows, 0U);

  auto check_one = [&](CheckPart part, load::Share share, CheckReport& sums) -> coro::Task<void> {
    part.share = share;
    const CheckReport own =
        co_await this->database->check({.properties = properties, .part = part});
    sums.add(test::over_the_wire(own));
  };
  CheckSettings settings{.properties = properties};
  settings.check_elsewhere = [&](const CheckPart& all, CheckReport& sums) -> coro::Task<void> {
    auto check_both = [&](coro::Scope& scope) -> coro::Task<void> {
      scope.start(check_one(test::over_the_wire(all), second, sums));
      scope.start(check_one(test::over_the_wire(all), first, sums));
      co_return;
    };
    co_await coro::with_scope(check_both);
  };
  const CheckReport alone = this->check(properties);
  const CheckReport report = this->run(this->database->check(settings));
  EXPECT_TRUE(report.holds());
  EXPECT_EQ(report.rows, 899U);
  EXPECT_EQ(report.rows_loaded, 899U);
  EXPECT_EQ(report.values, 8'990U);
  EXPECT_EQ(report.pieces, alone.pieces);
  EXPECT_EQ(report.snapshot_refusal, alone.snapshot_refusal);
}

// Of one that is lost nothing is claimed.
TYPED_TEST_P(LoadOnDatabase, WhatNobodyHasReadIsNotClaimed) {
  const Properties properties = properties_of("a", {"recordcount=10"});
  this->load(properties);
  CheckSettings settings{.properties = properties};
  settings.check_elsewhere = [](const CheckPart&, CheckReport&) -> coro::Task<void> { co_return; };
  try {
    this->run(this->database->check(settings));
    ADD_FAILURE() << "it was claimed";
  } catch (const database::Error& error) {
    EXPECT_NE(std::string(error.what()).find("0 of 1 pieces of the table were read"),
              std::string::npos)
        << error.what();
  }
}

REGISTER_TYPED_TEST_SUITE_P(LoadOnDatabase, LoadsTheRowsThatTheCheckExpects,
                            TheSameCommandAgainHasNothingToDo, SeveralLoadTheirParts,
                            SeveralHostsLoadAndCheckTheirShares, WhatNobodyHasReadIsNotClaimed,
                            RowsOfOtherPropertiesAreRefused,
                            APartThatWasNeverLoadedIsKnownToBeMissing,
                            RowsThatARunHasInsertedAreNoPartOfALoad);

}  // namespace drover::ycsb
