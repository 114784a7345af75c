// Whether a commit without an answer happened: for transactions that did and for transactions that
// did not, and where the answer of the server was lost on its way.
#include "tpcc/ydb/resolve.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "database/error.h"
#include "tpcc/ydb/ledger.h"
#include "tpcc/ydb/small_database_test.h"

namespace drover::tpcc::ydb {
namespace {

using namespace std::chrono_literals;
using coro::Task;
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
    backend = std::make_unique<YdbBackend>(YdbOptions{
        .database = database->database(), .style = GetParam(), .resolve_patience = 10min});
    database->run(backend->open());
  }

  // Executes it, and doubts it then.
  Doubt executed(Input input, std::uint32_t mark) {
    Doubt doubt{std::move(input), {.mark = mark}};
    database->run(execute(doubt));
    EXPECT_TRUE(doubt.trace.commit_sent);
    return doubt;
  }

  // The same, with a fault of the server: the failure must leave it in doubt.
  Doubt doubted(Input input, std::uint32_t mark, const std::string& faults) {
    Doubt doubt{std::move(input), {.mark = mark}};
    database->server().set_faults(faults);
    try {
      database->run(execute(doubt));
      ADD_FAILURE() << faults << ": it has gone well";
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::ambiguous_commit) << faults << error.what();
    }
    database->server().set_faults("{}");
    EXPECT_TRUE(doubt.trace.commit_sent);
    return doubt;
  }

  std::vector<Resolution> resolve(std::vector<Doubt> doubts) {
    return database->run(backend->resolve(std::move(doubts)));
  }

  // The tables that resolve() writes to.
  std::string touched() {
    std::string all;
    for (const char* table : {"warehouse", "district", "oorder"}) {
      all += database->value(
          fmt::format("SELECT md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM {} t", table));
    }
    return all;
  }

  static NewOrderInput order() {
    NewOrderInput input{};
    input.w_id = 1;
    input.d_id = 2;
    input.c_id = 3;
    input.ol_cnt = 5;
    input.all_local = true;
    for (std::int32_t i = 0; i < input.ol_cnt; ++i) {
      input.lines_all[static_cast<std::size_t>(i)] = {
          .i_id = 10 + i, .supply_w_id = 1, .quantity = 1 + i};
    }
    return input;
  }

  static PaymentInput payment(bool by_name) {
    PaymentInput input{};
    input.w_id = 1;
    input.d_id = 4;
    input.customer.c_w_id = 2;
    input.customer.c_d_id = 5;
    input.customer.by_name = by_name;
    input.customer.c_id = 6;
    input.customer.c_last = 7;
    input.amount_cents = 123'45;
    return input;
  }

  static std::shared_ptr<SmallYdbDatabase> database;
  std::unique_ptr<YdbBackend> backend;

 private:
  Task<void> execute(Doubt& doubt) {
    Session* session = co_await backend->acquire();
    const SessionLease lease(*backend, *session);
    co_await lease->execute(doubt.input, doubt.trace);
  }
};

std::shared_ptr<SmallYdbDatabase> YdbResolve::database;

constexpr auto yes = Resolution::committed;
constexpr auto no = Resolution::not_committed;
const DeliveryInput delivery{.w_id = 1, .carrier_id = 3};

TEST_P(YdbResolve, FindsWhatHappened) {
  const std::vector<Doubt> doubts = {executed(order(), 0), executed(payment(false), 1),
                                     executed(payment(true), 999'999), executed(delivery, 500'000)};
  const std::string before = touched();
  EXPECT_EQ(resolve(doubts), (std::vector{yes, yes, yes, yes}));
  EXPECT_EQ(touched(), before) << "what is written to make sure is what was there";
  database->expect_conditions();
}

TEST_P(YdbResolve, KnowsWhatDidNotHappen) {
  const Doubt ordered = executed(order(), 7);
  Doubt other_lines = ordered;
  std::get<NewOrderInput>(other_lines.input).lines_all[4].quantity = 9;
  Doubt fewer_lines = ordered;
  std::get<NewOrderInput>(fewer_lines.input).ol_cnt = 4;
  Doubt no_such_order = ordered;
  no_such_order.trace.o_id += 1;

  const Doubt paid = executed(payment(false), 11);
  Doubt other_mark = paid;
  other_mark.trace.mark = 12;
  Doubt other_amount = paid;
  std::get<PaymentInput>(other_amount.input).amount_cents += 1;
  Doubt other_customer = paid;
  std::get<PaymentInput>(other_customer.input).customer.c_id += 1;

  const Doubt delivered = executed(delivery, 13);
  Doubt other_delivery = delivered;
  other_delivery.trace.mark = 14;
  Doubt other_carrier = delivered;
  std::get<DeliveryInput>(other_carrier.input).carrier_id = 4;
  Doubt other_warehouse = delivered;
  std::get<DeliveryInput>(other_warehouse.input).w_id = 2;
  Doubt other_order = delivered;
  other_order.trace.o_id += 1;

  EXPECT_EQ(
      resolve({other_lines, fewer_lines, no_such_order, other_mark, other_amount, other_customer,
               other_delivery, other_carrier, other_warehouse, other_order, paid, delivered}),
      (std::vector{no, no, no, no, no, no, no, no, no, no, yes, yes}));
}

TEST_P(YdbResolve, TellsUndeterminedCommitsApart) {
  const std::string committed = R"({"undetermined_committed": {"count": 1}})";
  const std::string lost = R"({"undetermined_lost": {"count": 1}})";
  const std::vector<Doubt> doubts = {
      doubted(order(), 21, committed),        doubted(order(), 22, lost),
      doubted(payment(false), 23, committed), doubted(payment(true), 24, lost),
      doubted(delivery, 25, committed),       doubted(delivery, 26, lost)};
  EXPECT_EQ(resolve(doubts), (std::vector{yes, no, yes, no, yes, no}));
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
  const Doubt after = doubted(payment(false), 31, at_commit("transport_after"));
  open();
  const Doubt before = doubted(payment(false), 32, at_commit("transport_before"));
  EXPECT_EQ(resolve({after, before}), (std::vector{yes, no}));
  EXPECT_EQ(database->value("SELECT count(*) FROM history WHERE h_amount = 123.45"), "1");
  database->expect_conditions();
}

TEST_P(YdbResolve, SaysUnknownWhenTheServerIsNotThere) {
  const Doubt doubt = executed(order(), 1);
  YdbDatabase nowhere = database->database();
  nowhere.client.target.port = 1;
  nowhere.client.opening_timeout = 20ms;
  YdbBackend away({.database = nowhere, .resolve_patience = 100ms});
  EXPECT_EQ(database->run(away.resolve({doubt})), (std::vector{Resolution::unknown}));
  EXPECT_FALSE(database->run(read_ledger_patiently(nowhere, 2, 50ms)));
}

TEST_P(YdbResolve, SaysUnknownWhenTheTablesAreNotThere) {
  const Doubt doubt = executed(order(), 1);
  YdbDatabase empty = database->database();
  empty.folder = "nothing";
  YdbBackend without_tables({.database = empty, .resolve_patience = 10min});
  EXPECT_EQ(database->run(without_tables.resolve({doubt})), (std::vector{Resolution::unknown}));
}

TEST_P(YdbResolve, TheLedgerIsExact) {
  const LedgerSums before = database->run(read_ledger(database->database(), 2));
  EXPECT_EQ(before.next_o_ids, 20 * 31);
  EXPECT_EQ(before.ytd_cents, 2 * 300'000'00);
  executed(order(), 1);
  executed(payment(true), 2);
  const LedgerSums after = database->run(read_ledger(database->database(), 2));
  EXPECT_EQ(after.next_o_ids - before.next_o_ids, 1);
  EXPECT_EQ(after.ytd_cents - before.ytd_cents, 123'45);
  EXPECT_EQ(database->run(read_ledger(database->database(), 1)).next_o_ids, 10 * 31 + 1);
}

INSTANTIATE_TEST_SUITE_P(Styles, YdbResolve,
                         testing::Values(StatementStyle::batched, StatementStyle::single),
                         [](const auto& info) { return postgres::style_name(info.param); });

}  // namespace
}  // namespace drover::tpcc::ydb
