// Whether a commit without an answer happened: asked of a real server, for transactions that did
// and for transactions that did not.
#include "tpcc/postgres/resolve.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "coro/sleep.h"
#include "tpcc/postgres/ledger.h"
#include "tpcc/postgres/small_database_test.h"

namespace drover::tpcc::postgres {
namespace {

using namespace std::chrono_literals;
using coro::Task;

class ResolveTest : public testing::TestWithParam<StatementStyle> {
 protected:
  static void SetUpTestSuite() { database = std::make_unique<SmallDatabase>(); }
  static void TearDownTestSuite() { database.reset(); }

  void SetUp() override {
    database->make("doubted");
    PostgresOptions options;
    options.conninfo = database->conninfo();
    options.schema = "doubted";
    options.style = GetParam();
    backend = std::make_unique<PostgresBackend>(std::move(options));
    database->run(backend->open());
  }
  void TearDown() override { backend.reset(); }

  // Executes it, and doubts it then.
  Doubt executed(Input input, std::uint32_t mark) {
    Doubt doubt{std::move(input), {.mark = mark}};
    auto body = [&]() -> Task<void> {
      Session* session = co_await backend->acquire();
      const SessionLease lease(*backend, *session);
      co_await lease->execute(doubt.input, doubt.trace);
    };
    database->run(body());
    EXPECT_TRUE(doubt.trace.commit_sent);
    return doubt;
  }

  std::vector<Resolution> resolve(std::vector<Doubt> doubts) {
    return database->run(backend->resolve(std::move(doubts)));
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

  static std::unique_ptr<SmallDatabase> database;
  std::unique_ptr<PostgresBackend> backend;
};

std::unique_ptr<SmallDatabase> ResolveTest::database;

constexpr auto yes = Resolution::committed;
constexpr auto no = Resolution::not_committed;

TEST_P(ResolveTest, FindsWhatHappened) {
  const std::vector<Doubt> doubts = {
      executed(order(), 0),
      executed(payment(false), 1),
      executed(payment(true), 999'999),
      executed(DeliveryInput{.w_id = 1, .carrier_id = 3}, 500'000),
  };
  EXPECT_EQ(resolve(doubts), (std::vector{yes, yes, yes, yes}));
}

TEST_P(ResolveTest, KnowsWhatDidNotHappen) {
  const Doubt order_of_another = executed(order(), 7);
  Doubt other_lines = order_of_another;
  std::get<NewOrderInput>(other_lines.input).lines_all[4].quantity = 9;
  Doubt fewer_lines = order_of_another;
  std::get<NewOrderInput>(fewer_lines.input).ol_cnt = 4;
  Doubt no_such_order = order_of_another;
  no_such_order.trace.o_id += 1;

  const Doubt paid = executed(payment(false), 11);
  Doubt other_mark = paid;
  other_mark.trace.mark = 12;
  Doubt other_amount = paid;
  std::get<PaymentInput>(other_amount.input).amount_cents += 1;
  Doubt other_customer = paid;
  std::get<PaymentInput>(other_customer.input).customer.c_id += 1;

  const Doubt delivered = executed(DeliveryInput{.w_id = 1, .carrier_id = 3}, 13);
  Doubt other_delivery = delivered;
  other_delivery.trace.mark = 14;
  Doubt other_carrier = delivered;
  std::get<DeliveryInput>(other_carrier.input).carrier_id = 4;
  Doubt other_warehouse = delivered;
  std::get<DeliveryInput>(other_warehouse.input).w_id = 2;

  EXPECT_EQ(resolve({other_lines, no_such_order, other_mark, other_amount, other_customer,
                     other_delivery, other_carrier, other_warehouse, paid}),
            (std::vector{no, no, no, no, no, no, no, no, yes}));
  EXPECT_EQ(resolve({fewer_lines}), (std::vector{no}))
      << "an order has all its lines or is another";
}

// Tables of whole seconds have lost the marks: nobody knows, and it is said so.
TEST_P(ResolveTest, DoesNotGuessWhereTheMarksAreLost) {
  const Doubt ordered = executed(order(), 1);
  const Doubt paid = executed(payment(false), 1);
  database->script("ALTER TABLE history ALTER h_date TYPE timestamp(0)");
  EXPECT_EQ(resolve({paid, ordered}), (std::vector{Resolution::unknown, yes}));
}

// The server has been sent the commit and has not got to it: the session has to be ended first, or
// it would happen after we said that it had not.
TEST_P(ResolveTest, EndsTheSessionsThatCouldStillDoIt) {
  PaymentInput held_up = payment(false);
  std::vector<Resolution> answers;
  auto body = [&]() -> Task<void> {
    const auto other = co_await open_in_schema(database->conninfo(), "doubted");
    co_await other->script(
        "BEGIN; SELECT FROM warehouse FOR UPDATE; SELECT FROM customer FOR UPDATE");
    Doubt doubt{held_up, {.mark = 77}};
    {
      Session* session = co_await backend->acquire();
      const SessionLease lease(*backend, *session);
      coro::CancelSource& source = co_await coro::current_source();
      coro::Scope scope(source);
      auto execute = [&]() -> Task<void> { co_await lease->execute(doubt.input, doubt.trace); };
      scope.start(execute());
      for (;;) {
        const Result waits =
            co_await other->query("SELECT count(*) FROM pg_locks WHERE NOT granted");
        if (waits.text(0, 0) != "0") break;
        co_await coro::sleep_for(1ms);
      }
      scope.cancel();
      co_await scope.join();
    }
    answers = co_await backend->resolve({doubt});
    const Result waits = co_await other->query("SELECT count(*) FROM pg_locks WHERE NOT granted");
    EXPECT_EQ(waits.text(0, 0), "0") << "the session is gone";
    co_await other->script("COMMIT");
  };
  database->run(body());
  EXPECT_EQ(answers, (std::vector{no}));
  EXPECT_EQ(database->value("SELECT count(*) FROM history WHERE h_amount = 123.45"), "0");
}

TEST_P(ResolveTest, SaysUnknownWhenTheServerIsNotThere) {
  const Doubt doubt = executed(order(), 1);
  PostgresOptions nowhere;
  nowhere.conninfo = database->conninfo() + " port=1";
  nowhere.resolve_patience = 100ms;
  PostgresBackend away(nowhere);
  EXPECT_EQ(database->run(away.resolve({doubt})), (std::vector{Resolution::unknown}));
}

// Somebody holds the tables: the end of a run does not wait for ever.
TEST_P(ResolveTest, SaysUnknownWhenTheDataCannotBeReadInTime) {
  const Doubt doubt = executed(order(), 1);
  database->script("BEGIN; LOCK TABLE order_line, district IN ACCESS EXCLUSIVE MODE");
  PostgresOptions options;
  options.conninfo = database->conninfo();
  options.schema = "doubted";
  options.resolve_patience = 50ms;
  PostgresBackend hurried(options);
  EXPECT_EQ(database->run(hurried.resolve({doubt})), (std::vector{Resolution::unknown}));
  EXPECT_FALSE(database->run(read_ledger_patiently(database->conninfo(), "doubted", 2, 50ms)));
  database->script("ROLLBACK");
  EXPECT_TRUE(database->run(read_ledger_patiently(database->conninfo(), "doubted", 2, 60s)));
}

INSTANTIATE_TEST_SUITE_P(Styles, ResolveTest,
                         testing::Values(StatementStyle::batched, StatementStyle::single),
                         [](const auto& info) { return style_name(info.param); });

}  // namespace
}  // namespace drover::tpcc::postgres
