// Whether a commit without an answer happened, where the answer of the server was lost on its way.
// What every database has to know is in tpcc/every_database.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "database/error.h"
#include "workload/tpcc/every_database/tested_database_test.h"
#include "workload/tpcc/ydb/database_on_ydb.h"
#include "workload/tpcc/ydb/small_database_test.h"

namespace drover::tpcc::ydb {
namespace {

using namespace std::chrono_literals;
using database::Error;
using database::ErrorClass;

class YdbResolve : public testing::TestWithParam<StatementStyle> {
 protected:
  static void SetUpTestSuite() { database = SmallYdbDatabase::shared_if_possible(); }
  static void TearDownTestSuite() { database.reset(); }

  void SetUp() override {
    if (!database) GTEST_SKIP() << test::YdbTestServer::reason_to_skip();
    database->reset();
    open();
  }
  void TearDown() override { backend.reset(); }

  // A new one: after resolve() nothing can be executed with the old one.
  void open() {
    const BackendSettings settings{.style = GetParam(), .resolve_timeout = 10min};
    backend = std::make_unique<YdbBackend>(database->database(), settings);
    database->run(backend->open());
  }

  // Executes it, and doubts it then.
  UnknownCommit executed(Input input, std::uint32_t mark) {
    UnknownCommit doubt{std::move(input), {.mark = mark}};
    database->run(execute(*backend, doubt));
    EXPECT_TRUE(doubt.trace.commit_sent);
    return doubt;
  }

  // The same, with a fault of the server: the failure must leave it in doubt.
  UnknownCommit doubted(Input input, std::uint32_t mark, const std::string& faults) {
    UnknownCommit doubt{std::move(input), {.mark = mark}};
    database->server().set_faults(faults);
    try {
      database->run(execute(*backend, doubt));
      ADD_FAILURE() << faults << ": it has gone well";
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::ambiguous_commit) << faults << error.what();
    }
    database->server().set_faults("{}");
    EXPECT_TRUE(doubt.trace.commit_sent);
    return doubt;
  }

  std::vector<ResolvedCommit> resolve(std::vector<UnknownCommit> doubts) {
    return database->run(backend->resolve(std::move(doubts)));
  }

  static std::shared_ptr<SmallYdbDatabase> database;
  std::unique_ptr<YdbBackend> backend;
};

std::shared_ptr<SmallYdbDatabase> YdbResolve::database;

INSTANTIATE_TEST_SUITE_P(Styles, YdbResolve, both_styles(), name_of_style);

const ResolvedCommit yes(Resolution::committed);
const ResolvedCommit no(Resolution::not_committed);
const ResolvedCommit ten(Resolution::committed, 10);  // orders
const DeliveryInput delivery{.w_id = 1, .carrier_id = 3};

const PaymentInput payment = payment_of(2, 5, 6, 123'45);
const PaymentInput payment_to_name = payment_by_name(2, 5, 7, 123'45);

NewOrderInput order() {
  return order_of(1, 2, 3, {{10, 1, 1}, {11, 1, 2}, {12, 1, 3}, {13, 1, 4}, {14, 1, 5}});
}

// The lines that bear its mark are found by the order's number.
TEST_P(YdbResolve, TellsDeliveriesApartByTheirOrders) {
  const UnknownCommit delivered = executed(delivery, 13);
  UnknownCommit other_order = delivered;
  other_order.trace.o_id += 1;
  EXPECT_EQ(resolve({other_order, delivered}), (std::vector{no, ten}));
}

// Servers before 2026 may answer RETURNING with no rows, or with rows that there are not.
TEST_P(YdbResolve, BelievesNoReturning) {
  const UnknownCommit delivered = executed(delivery, 14);
  database->server().set_faults(R"({"returning_lost": {}, "returning_invented": {}})");
  EXPECT_EQ(resolve({delivered}), (std::vector{ten}));
}

TEST_P(YdbResolve, TellsUndeterminedCommitsApart) {
  const std::string committed = R"({"undetermined_committed": {"count": 1}})";
  const std::string lost = R"({"undetermined_lost": {"count": 1}})";
  const std::vector<UnknownCommit> doubts = {
      doubted(order(), 21, committed),  doubted(order(), 22, lost),
      doubted(payment, 23, committed),  doubted(payment_to_name, 24, lost),
      doubted(delivery, 25, committed), doubted(delivery, 26, lost)};
  EXPECT_EQ(resolve(doubts), (std::vector{yes, no, yes, no, ten, no}));
  EXPECT_EQ(database->value("SELECT count(*) FROM history WHERE h_amount = 123.45"), "1");
  database->expect_conditions();
}

// The connection fails behind the commit, or before it, or in the middle of the answer.
TEST_P(YdbResolve, TellsLostAnswersApart) {
  const int commit = GetParam() == StatementStyle::batched ? 1 : 4;  // the requests before it
  const auto at_commit = [commit](const char* fault) {
    return fmt::format(R"({{"{}": {{"count": 1, "skip": {}, "methods": ["ExecuteQuery"]}}}})",
                       fault, commit);
  };
  const UnknownCommit after = doubted(payment, 31, at_commit("transport_after"));
  open();
  const UnknownCommit before = doubted(payment, 32, at_commit("transport_before"));
  EXPECT_EQ(resolve({after, before}), (std::vector{yes, no}));
  EXPECT_EQ(database->value("SELECT count(*) FROM history WHERE h_amount = 123.45"), "1");
  database->expect_conditions();
}

TEST_P(YdbResolve, ThereIsNoLedgerWhereTheServerIsNot) {
  YdbDatabase nowhere = database->database();
  nowhere.client.target.port = 1;
  nowhere.client.opening_timeout = 20ms;
  EXPECT_FALSE(database->run(make_database(nowhere)->read_ledger_within(50ms, {1, 2})));
}

TEST_P(YdbResolve, SaysUnknownWhenTheTablesAreNotThere) {
  const UnknownCommit doubt = executed(order(), 1);
  YdbDatabase empty = database->database();
  empty.folder = "nothing";
  YdbBackend without_tables(empty, {.resolve_timeout = 10min});
  EXPECT_EQ(database->run(without_tables.resolve({doubt})), (std::vector<ResolvedCommit>(1)));
}

TEST_P(YdbResolve, TheLedgerIsExact) {
  const auto ledger = [](WarehouseRange warehouses) {
    const auto asked = make_database(database->database());
    return database->run(asked->read_ledger_within(10min, warehouses)).value();
  };
  const LedgerSums before = ledger({1, 2});
  EXPECT_EQ(before.next_o_ids, 20 * 31);
  EXPECT_EQ(before.ytd_cents, 2 * 300'000'00);
  executed(order(), 1);
  executed(payment_to_name, 2);
  const LedgerSums after = ledger({1, 2});
  EXPECT_EQ(after.next_o_ids - before.next_o_ids, 1);
  EXPECT_EQ(after.ytd_cents - before.ytd_cents, 123'45);
  EXPECT_EQ(after.delivered(), before.delivered()) << "an order that is made is not delivered";
  executed(DeliveryInput{.w_id = 1, .carrier_id = 3}, 3);
  const LedgerSums delivered = ledger({1, 2});
  EXPECT_EQ(delivered.delivered(), before.delivered() + 10);
  EXPECT_EQ(ledger({1, 1}).next_o_ids, 10 * 31 + 1);
  EXPECT_EQ(ledger({2, 2}).next_o_ids, 10 * 31);
}

}  // namespace
}  // namespace drover::tpcc::ydb
