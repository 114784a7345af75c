#include "workload/ycsb/clients/ledger.h"

#include <gtest/gtest.h>

namespace drover::ycsb {
namespace {

TEST(YcsbLedger, WhatIsInDoubtMayBeThereOrNot) {
  const Ledger ledger = {.inserts = 10, .inserts_unresolved = 2, .versions = 50};
  const TableSums before = {.rows = 100, .versions = 7};
  const LedgerComparison one = compare(ledger, before, {.rows = 111, .versions = 57});
  EXPECT_TRUE(one.holds());
  EXPECT_EQ(one.rows.resolved_by_sum(), 1U);
  EXPECT_EQ(one.versions->resolved_by_sum(), 0U);

  const LedgerComparison lost = compare(ledger, before, {.rows = 109, .versions = 57});
  EXPECT_FALSE(lost.holds());
  EXPECT_EQ(lost.rows.lost(), 1U);

  const LedgerComparison more = compare(ledger, before, {.rows = 112, .versions = 60});
  EXPECT_FALSE(more.holds());
  EXPECT_TRUE(more.rows.holds());
  EXPECT_EQ(more.versions->unexplained(), 3U);

  const LedgerComparison fewer = compare(ledger, before, {.rows = 90, .versions = 57});
  EXPECT_EQ(fewer.rows.lost(), 20U);
  EXPECT_FALSE(compare(ledger, {.rows = 100}, {.rows = 110}).versions);
}

}  // namespace
}  // namespace drover::ycsb
