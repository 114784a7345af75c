// Payment (clause 2.5) on YDB: two requests batched, five single, and one more by name.
#include <fmt/format.h>

#include "workload/tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {

using coro::Task;

namespace {

constexpr std::size_t data_bytes_max = 500;

// A customer with bad credit gets the payment written before the old c_data, cut at 500 characters
// (clause 2.5.2.2). A character that is not ASCII is never divided.
std::string data_of_bad_credit(std::int32_t c_id, const PaymentInput& input, std::string_view old) {
  std::string data =
      fmt::format("{} {} {} {} {} {}.{:02}|{}", c_id, input.customer.c_d_id, input.customer.c_w_id,
                  input.d_id, input.w_id, input.amount_cents / 100, input.amount_cents % 100, old);
  if (data.size() <= data_bytes_max) return data;
  std::size_t end = data_bytes_max;
  while ((static_cast<unsigned char>(data[end]) & 0xC0U) == 0x80U) --end;
  data.resize(end);
  return data;
}

// The customer after the payment.
struct PaidCustomer {
  PaidCustomer(const ResultSetView& rows, std::size_t row, const PaymentInput& input)
      : c_id(rows.at(row, "c_id").int32()),
        balance_cents(rows.at(row, "c_balance").cents() - input.amount_cents),
        ytd_payment_cents(rows.at(row, "c_ytd_payment").cents() + input.amount_cents),
        payment_cnt(rows.at(row, "c_payment_cnt").int32() + 1) {
    if (rows.at(row, "c_credit").text() != "BC") return;
    data = data_of_bad_credit(c_id, input, rows.at(row, "c_data").text());
  }

  void add_to(Values& values) const {
    values.set({{"$c_id", c_id},
                {"$balance", money_of_cents(balance_cents)},
                {"$ytd_payment", money_of_cents(ytd_payment_cents)},
                {"$payment_cnt", payment_cnt},
                {"$data", data}});
  }

  std::int32_t c_id;
  std::int64_t balance_cents;
  std::int64_t ytd_payment_cents;
  std::int32_t payment_cnt;
  std::string data;  // empty: the credit is good, and c_data does not change
};

// h_data: w_name, four spaces, d_name.
std::string history_data(const ResultSetView& warehouse, const ResultSetView& district) {
  return fmt::format("{}    {}", warehouse.at(0, "w_name").text(), district.at(0, "d_name").text());
}

class Payment final : public StyledTransaction<PaymentInput> {
 public:
  Payment(const YdbDatabase& database, StatementStyle style)
      : StyledTransaction(style), text_(database) {}

 private:
  // Returns the values that need no row: all except those of the customer's row and $h_data.
  Values values_of(const PaymentInput& input, std::uint32_t mark) {
    Values values = {{"$w_id", input.w_id},
                     {"$d_id", input.d_id},
                     {"$amount", money_of_cents(input.amount_cents)},
                     {"$c_w_id", input.customer.c_w_id},
                     {"$c_d_id", input.customer.c_d_id},
                     {"$nano_ts", history_keys_.next()},
                     {"$date", marked_now_us(mark)}};
    set_choice(values, input.customer);
    return values;
  }

  Task<Outcome> batched(ServerSession& session, const PaymentInput& input, Trace& trace) override {
    const bool is_named = input.customer.by_name;
    Values values = values_of(input, trace.mark);
    const Statement& reading = is_named ? batched_read_by_name_ : batched_read_by_id_;
    const QueryResult read = co_await send(session, reading, values);
    require_one_row(read.set(0), "warehouse");
    require_one_row(read.set(1), "district");
    const ResultSetView customers = read.set(2);
    if (!is_named) require_one_row(customers, "customer");
    const PaidCustomer customer(customers, middle_row(customers), input);
    customer.add_to(values);
    const std::string data = history_data(read.set(0), read.set(1));
    values.set({{"$h_data", data}});
    const Statement& writing = customer.data.empty() ? batched_write_good_ : batched_write_bad_;
    trace.commit_sent = true;
    co_await send_and_commit(session, writing, values);
    co_return Outcome{};
  }

  Task<PaidCustomer> read_customer(ServerSession& session, const PaymentInput& input,
                                   Values& values) const {
    if (input.customer.by_name) {
      const QueryResult found = co_await send(session, find_by_name_, values);
      values.set({{"$c_id", found.set(0).at(middle_row(found.set(0)), "c_id").int32()}});
    }
    const QueryResult read = co_await send(session, get_customer_, values);
    require_one_row(read.set(0), "customer");
    co_return PaidCustomer(read.set(0), 0, input);
  }

  Task<Outcome> single(ServerSession& session, const PaymentInput& input, Trace& trace) override {
    Values values = values_of(input, trace.mark);
    const QueryResult warehouse = co_await send(session, update_warehouse_, values);
    require_one_row(warehouse.set(0), "warehouse");
    const QueryResult district = co_await send(session, update_district_, values);
    require_one_row(district.set(0), "district");
    const PaidCustomer customer = co_await read_customer(session, input, values);
    customer.add_to(values);
    const Statement& update = customer.data.empty() ? update_good_ : update_bad_;
    co_await send(session, update, values);
    const std::string data = history_data(warehouse.set(0), district.set(0));
    values.set({{"$h_data", data}});
    trace.commit_sent = true;
    co_await send_and_commit(session, insert_history_, values);
    co_return Outcome{};
  }

  HistoryKeys history_keys_;

  StatementTexts text_;
  Statement batched_read_by_id_ = text_.of({"pay_warehouse", "pay_district", "pay_customer_by_id"});
  Statement batched_read_by_name_ =
      text_.of({"pay_warehouse", "pay_district", "pay_customers_by_name"});
  Statement batched_write_good_ = text_.of({"pay_good_customer", "pay_history"});
  Statement batched_write_bad_ =
      text_.of({"pay_bad_customer", "pay_history"});  // of a customer with bad credit: c_data, too
  Statement update_warehouse_ = text_.of({"pay_warehouse"});
  Statement update_district_ = text_.of({"pay_district"});
  Statement find_by_name_ = text_.of({"pay_find_by_name"});
  Statement get_customer_ = text_.of({"pay_customer_by_id"});
  Statement update_good_ = text_.of({"pay_good_customer"});
  Statement update_bad_ = text_.of({"pay_bad_customer"});
  Statement insert_history_ = text_.of({"pay_history"});
};

}  // namespace

std::unique_ptr<YdbTransaction> make_payment(const YdbDatabase& database, StatementStyle style) {
  return std::make_unique<Payment>(database, style);
}

}  // namespace drover::tpcc::ydb
