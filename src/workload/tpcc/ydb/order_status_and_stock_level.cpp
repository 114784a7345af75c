// Order-Status and Stock-Level on YDB, which only read, in one snapshot.
//
// Order-Status (clause 2.6): one request batched, two by name; three single.
// Stock-Level (clause 2.8): one request batched, two single.
#include "workload/tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {

using coro::Task;

namespace {

class OrderStatus final : public StyledTransaction<OrderStatusInput> {
 public:
  OrderStatus(const YdbDatabase& database, StatementStyle style)
      : StyledTransaction(style), text_(database) {}

 private:
  static Values values_of(const CustomerChoice& choice) {
    Values values = {{"$w_id", choice.c_w_id}, {"$d_id", choice.c_d_id}};
    set_choice(values, choice);
    return values;
  }

  Task<void> find_by_name(ServerSession& session, Values& values) const {
    const QueryResult found = co_await send(session, find_by_name_, values);
    values.set({{"$c_id", found.set(0).at(middle_row(found.set(0)), "c_id").int32()}});
  }

  Task<Outcome> batched(ServerSession& session, const OrderStatusInput& input, Trace&) override {
    Values values = values_of(input.customer);
    const bool is_named = input.customer.by_name;
    if (is_named) co_await find_by_name(session, values);
    const Statement& reading = is_named ? batched_orders_ : batched_by_id_;
    const QueryResult read =
        co_await session.execute_and_commit(reading.text, values.of(reading), at_once);
    if (!is_named) require_one_row(read.set(0), "customer");
    co_return Outcome{};
  }

  Task<Outcome> single(ServerSession& session, const OrderStatusInput& input, Trace&) override {
    Values values = values_of(input.customer);
    if (input.customer.by_name) {
      co_await find_by_name(session, values);
    } else {
      const QueryResult read = co_await send(session, get_customer_, values);
      require_one_row(read.set(0), "customer");
    }
    const QueryResult order = co_await send(session, get_newest_order_, values);
    if (order.set(0).rows() == 0) {
      co_await session.commit();
      co_return Outcome{};
    }
    values.set({{"$o_id", order.set(0).at(0, "o_id").int32()}});
    co_await send_and_commit(session, get_lines_, values);
    co_return Outcome{};
  }

  StatementTexts text_;
  Statement batched_by_id_ =
      text_.of({"os_customer_by_id", "os_name_order_id", "os_order", "os_lines"});
  Statement batched_orders_ = text_.of({"os_name_order_id", "os_order", "os_lines"});
  Statement find_by_name_ = text_.of({"os_customers_by_name"});
  Statement get_customer_ = text_.of({"os_customer_by_id"});
  Statement get_newest_order_ = text_.of({"os_order"});
  Statement get_lines_ = text_.of({"os_lines"});
};

class StockLevel final : public StyledTransaction<StockLevelInput> {
 public:
  StockLevel(const YdbDatabase& database, StatementStyle style)
      : StyledTransaction(style), text_(database) {}

 private:
  static Values values_of(const StockLevelInput& input) {
    return {{"$w_id", input.w_id}, {"$d_id", input.d_id}, {"$threshold", input.threshold}};
  }

  Task<Outcome> batched(ServerSession& session, const StockLevelInput& input, Trace&) override {
    Parameters reading = values_of(input).of(count_at_once_);
    const QueryResult read =
        co_await session.execute_and_commit(count_at_once_.text, std::move(reading), at_once);
    require_one_row(read.set(0), "district");
    require_one_row(read.set(1), "Stock-Level");
    co_return Outcome{};
  }

  Task<Outcome> single(ServerSession& session, const StockLevelInput& input, Trace&) override {
    Values values = values_of(input);
    const QueryResult district = co_await send(session, get_next_order_, values);
    require_one_row(district.set(0), "district");
    values.set({{"$next", district.set(0).at(0, "d_next_o_id").int32()}});
    const QueryResult count = co_await send_and_commit(session, count_since_, values);
    require_one_row(count.set(0), "Stock-Level");
    co_return Outcome{};
  }

  StatementTexts text_;
  Statement count_at_once_ = text_.of({"sl_next_order", "sl_name_next", "sl_count"});
  Statement get_next_order_ = text_.of({"sl_next_order"});
  Statement count_since_ = text_.of({"sl_count"});
};

}  // namespace

std::unique_ptr<YdbTransaction> make_order_status(const YdbDatabase& database,
                                                  StatementStyle style) {
  return std::make_unique<OrderStatus>(database, style);
}

std::unique_ptr<YdbTransaction> make_stock_level(const YdbDatabase& database,
                                                 StatementStyle style) {
  return std::make_unique<StockLevel>(database, style);
}

}  // namespace drover::tpcc::ydb
