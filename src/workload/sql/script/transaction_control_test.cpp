#include "workload/sql/script/transaction_control.h"

#include <gtest/gtest.h>

#include <string>

namespace drover::sql {
namespace {

TEST(TransactionControl, HasSeveralForms) {
  using enum TransactionControl;
  for (const char* text : {"BEGIN;", "begin", "Begin Transaction ;", "START TRANSACTION;",
                           "BEGIN WORK", "BEGIN READ WRITE;", "begin\ntransaction\tread write;"}) {
    EXPECT_EQ(transaction_control(text), begin) << text;
  }
  for (const char* text : {"BEGIN READ ONLY;", "start transaction read only"}) {
    EXPECT_EQ(transaction_control(text), begin_read_only) << text;
  }
  for (const char* text : {"COMMIT;", "END", "end transaction;", "commit work;"}) {
    EXPECT_EQ(transaction_control(text), commit) << text;
  }
  for (const char* text : {"ROLLBACK;", "abort", "rollback transaction ;"}) {
    EXPECT_EQ(transaction_control(text), roll_back) << text;
  }
}

TEST(TransactionControl, IsNoneOfOtherStatements) {
  for (const char* text :
       {"", ";", "SELECT 1;", "beginning;", "UPDATE t SET commit = 1;", "$x = 1;", "-- BEGIN"}) {
    EXPECT_EQ(transaction_control(text), TransactionControl::none) << text;
  }
}

TEST(TransactionControl, GoesOnWithNothingElse) {
  for (const char* text :
       {"BEGIN ISOLATION LEVEL SERIALIZABLE;", "BEGIN READ;", "BEGIN READ ONLY WRITE;",
        "COMMIT READ ONLY;", "COMMIT AND CHAIN;", "ROLLBACK TO s;", "END TRANSACTION WORK;",
        "BEGIN;;", "BEGIN -- now", "ABORT SELECT 1"}) {
    EXPECT_FALSE(transaction_control(text)) << text;
  }
  EXPECT_FALSE(transaction_control("BEGIN" + std::string(100, ' ') + "READ"));
}

}  // namespace
}  // namespace drover::sql
