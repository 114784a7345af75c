// Whether a commit without an answer happened: asked of a real server, for transactions that did
// and for transactions that did not.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "workload/tpcc/every_database/tested_database_test.h"

namespace drover::tpcc {
namespace {

class Resolve : public OnTestedDatabase<TestedStyle> {
 protected:
  void prepare() override {
    backend = database->backend(GetParam(), 1);
    database->run(backend->open());
  }

  // Executes it, and doubts it then.
  UnknownCommit executed(Input input, std::uint32_t mark) {
    UnknownCommit doubt{std::move(input), {.mark = mark}};
    database->run(execute(*backend, doubt));
    EXPECT_TRUE(doubt.trace.commit_sent);
    return doubt;
  }

  std::vector<ResolvedCommit> resolve(std::vector<UnknownCommit> doubts) {
    return database->run(backend->resolve(std::move(doubts)));
  }

  // The tables that somebody may write to in order to make sure.
  std::string touched() {
    std::string all;
    for (const Table table : {Table::Warehouse, Table::District, Table::Order})
      all += database->sql().digest(table);
    return all;
  }

  std::unique_ptr<Backend> backend;
};

INSTANTIATE_TEST_SUITE_P(Styles, Resolve, testing::ValuesIn(tested_styles()), name_of_tested_style);

const ResolvedCommit yes(Resolution::committed);
const ResolvedCommit no(Resolution::not_committed);
const ResolvedCommit ten(Resolution::committed, 10);  // orders
const DeliveryInput delivery{.w_id = 1, .carrier_id = 3};
const PaymentInput payment = payment_of(2, 5, 6, 123'45);

NewOrderInput order() {
  return order_of(1, 2, 3, {{10, 1, 1}, {11, 1, 2}, {12, 1, 3}, {13, 1, 4}, {14, 1, 5}});
}

TEST_P(Resolve, FindsWhatHappened) {
  const std::vector<UnknownCommit> doubts = {executed(order(), 0), executed(payment, 1),
                                             executed(payment_by_name(2, 5, 7, 123'45), 999'999),
                                             executed(delivery, 500'000)};
  const std::string before = touched();
  EXPECT_EQ(resolve(doubts), (std::vector{yes, yes, yes, ten}));
  EXPECT_EQ(touched(), before);
  database->expect_conditions();
}

TEST_P(Resolve, KnowsWhatDidNotHappen) {
  const UnknownCommit ordered = executed(order(), 7);
  UnknownCommit other_lines = ordered;
  std::get<NewOrderInput>(other_lines.input).lines_all[4].quantity = 9;
  UnknownCommit fewer_lines = ordered;
  std::get<NewOrderInput>(fewer_lines.input).ol_cnt = 4;
  UnknownCommit no_such_order = ordered;
  no_such_order.trace.o_id += 1;

  const UnknownCommit paid = executed(payment, 11);
  UnknownCommit other_mark = paid;
  other_mark.trace.mark = 12;
  UnknownCommit other_amount = paid;
  std::get<PaymentInput>(other_amount.input).amount_cents += 1;
  UnknownCommit other_customer = paid;
  std::get<PaymentInput>(other_customer.input).customer.c_id += 1;

  const UnknownCommit delivered = executed(delivery, 13);
  UnknownCommit other_delivery = delivered;
  other_delivery.trace.mark = 14;
  UnknownCommit other_carrier = delivered;
  std::get<DeliveryInput>(other_carrier.input).carrier_id = 4;
  UnknownCommit other_warehouse = delivered;
  std::get<DeliveryInput>(other_warehouse.input).w_id = 2;

  EXPECT_EQ(
      resolve({other_lines, fewer_lines, no_such_order, other_mark, other_amount, other_customer,
               other_delivery, other_carrier, other_warehouse, paid, delivered, ordered}),
      (std::vector{no, no, no, no, no, no, no, no, no, yes, ten, yes}));
}

// Districts without an order are skipped: what was really delivered counts.
TEST_P(Resolve, CountsWhatADeliveryDelivered) {
  database->script("DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id IN (1, 4, 9)");
  const std::vector<UnknownCommit> doubts = {executed(delivery, 21)};
  EXPECT_EQ(resolve(doubts), (std::vector{ResolvedCommit(Resolution::committed, 7)}));
}

TEST_P(Resolve, SaysUnknownWhenTheServerIsNotThere) {
  const UnknownCommit doubt = executed(order(), 1);
  const auto away = database->backend_of_nobody();
  EXPECT_EQ(database->run(away->resolve({doubt})), (std::vector<ResolvedCommit>(1)));
}

}  // namespace
}  // namespace drover::tpcc
