// Delivery (clause 2.7) on YDB: the oldest undelivered order of each of the ten districts, in one
// transaction: four requests batched, 17 single. It reads everything and then writes everything, so
// that it conflicts with other transactions for as short a time as possible.
//
// Sets Trace::o_id to the first order that it delivers. This number and the mark of its dates
// identify the Delivery in the data afterwards (resolve.cpp). It stays 0 if there is nothing to
// deliver.
#include <fmt/format.h>

#include <array>
#include <ranges>
#include <vector>

#include "database/error.h"
#include "workload/tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {

using coro::Task;

namespace {

constexpr std::string_view select_oldest = R"(
SELECT no_o_id FROM new_order WHERE no_w_id = $w_id AND no_d_id = {}
ORDER BY no_w_id, no_d_id, no_o_id LIMIT 1;)";

std::string all_oldest() {
  std::string text;
  for (int d = 1; d <= districts_per_warehouse; ++d) text += fmt::format(select_oldest, d);
  return text;
}

// The rows that a Delivery has read, by district.
struct DeliveryWork {
  struct District {
    std::int32_t d_id = 0;
    std::int32_t o_id = 0;  // 0: there is nothing to deliver
    std::int32_t c_id = 0;  // 0: unknown
    std::int64_t amount_cents = 0;
    std::vector<std::int32_t> lines;  // ol_number
    bool has_customer = false;
    std::int64_t balance_cents = 0;
    std::int32_t delivery_cnt = 0;
  };

  explicit DeliveryWork(const DeliveryInput& input)
      : w_id(input.w_id), carrier_id(input.carrier_id) {
    for (std::size_t i = 0; i < districts.size(); ++i) {
      districts.at(i).d_id = static_cast<std::int32_t>(i + 1);
    }
  }

  // Returns the districts that have an order to deliver.
  auto due() const {
    return districts | std::views::filter([](const District& one) { return one.o_id != 0; });
  }

  void read_oldest(std::size_t district, const ResultSetView& rows) {
    if (rows.rows() > 0) districts.at(district).o_id = rows.at(0, "no_o_id").int32();
  }

  void read_orders(const ResultSetView& rows) {
    each_row(rows, {"o_d_id", "o_c_id"},
             [&](auto d_id, auto c_id) { district_of(d_id).c_id = c_id.int32(); });
  }

  void read_lines(const ResultSetView& rows) {
    const auto take = [&](auto d_id, auto number, auto amount) {
      District& district = district_of(d_id);
      district.lines.push_back(number.int32());
      district.amount_cents += amount.cents();
    };
    each_row(rows, {"ol_d_id", "ol_number", "ol_amount"}, take);
  }

  void read_customers(const ResultSetView& rows) {
    const auto take = [&](auto d_id, auto balance, auto count) {
      District& district = district_of(d_id);
      district.has_customer = true;
      district.balance_cents = balance.cents();
      district.delivery_cnt = count.int32();
    };
    each_row(rows, {"c_d_id", "c_balance", "c_delivery_cnt"}, take);
  }

  void require_all() const {
    for (const District& district : due()) {
      if (district.has_customer) continue;
      throw database::Error(
          database::ErrorClass::statement, "",
          fmt::format(
              "order {} of district {} of warehouse {}, which is due for delivery, has no row in "
              "oorder, or its customer is missing. Check the data with 'drover tpcc check'",
              district.o_id, district.d_id, w_id));
    }
  }

  Outcome outcome() const {
    Outcome outcome;
    for (std::size_t i = 0; i < districts.size(); ++i) {
      outcome.delivered.at(i) = districts.at(i).o_id;
      if (districts.at(i).o_id == 0) ++outcome.districts_skipped;
    }
    return outcome;
  }

  // Returns the number of the first order to deliver, or 0.
  std::int32_t first_order() const {
    auto all = due();
    return all.empty() ? 0 : all.front().o_id;
  }

  District& district_of(const ValueView& d_id) {
    return districts.at(static_cast<std::size_t>(d_id.integer() - 1));
  }

  std::int32_t w_id;
  std::int32_t carrier_id;
  std::array<District, districts_per_warehouse> districts;
};

class Delivery final : public StyledTransaction<DeliveryInput> {
 public:
  Delivery(const YdbDatabase& database, StatementStyle style)
      : StyledTransaction(style),
        text_(database,
              {&orders_, &customer_keys_, &delivered_, &carriers_, &dates_, &customers_}) {}

 private:
  Parameters keys_of_orders(const DeliveryWork& work) const {
    Parameters keys;
    Rows rows = orders_.add_to(keys);
    for (const auto& due : work.due()) rows.add({work.w_id, due.d_id, due.o_id});
    return keys;
  }

  Parameters keys_of_customers(const DeliveryWork& work) const {
    Parameters keys;
    Rows rows = customer_keys_.add_to(keys);
    for (const auto& due : work.due()) {
      if (due.c_id != 0) rows.add({work.w_id, due.d_id, due.c_id});
    }
    return keys;
  }

  void add_delivered(Parameters& parameters, const DeliveryWork& work) const {
    Rows rows = delivered_.add_to(parameters);
    for (const auto& due : work.due()) rows.add({work.w_id, due.d_id, due.o_id});
  }

  void add_carriers(Parameters& parameters, const DeliveryWork& work) const {
    Rows rows = carriers_.add_to(parameters);
    for (const auto& due : work.due()) {
      rows.add({work.w_id, due.d_id, due.o_id, work.carrier_id});
    }
  }

  void add_dates(Parameters& parameters, const DeliveryWork& work, std::uint32_t mark) const {
    Rows rows = dates_.add_to(parameters);
    const std::int64_t date = marked_now_us(mark);
    for (const auto& due : work.due()) {
      for (const std::int32_t number : due.lines) {
        rows.add({work.w_id, due.d_id, due.o_id, number, date});
      }
    }
  }

  void add_customers(Parameters& parameters, const DeliveryWork& work) const {
    Rows rows = customers_.add_to(parameters);
    for (const auto& due : work.due()) {
      rows.add({work.w_id, due.d_id, due.c_id, money_of_cents(due.balance_cents + due.amount_cents),
                due.delivery_cnt + 1});
    }
  }

  Task<void> read_orders_batched(ServerSession& session, DeliveryWork& work) const {
    const Values values = {{"$w_id", work.w_id}};
    const QueryResult oldest =
        co_await session.execute(batched_oldest_.text, values.of(batched_oldest_), at_once);
    for (std::size_t i = 0; i < work.districts.size(); ++i) work.read_oldest(i, oldest.set(i));
    if (work.first_order() == 0) co_return;
    const QueryResult orders =
        co_await session.execute(batched_orders_.text, keys_of_orders(work), at_once);
    work.read_orders(orders.set(0));
    work.read_lines(orders.set(1));
  }

  Task<void> read_orders_single(ServerSession& session, DeliveryWork& work) const {
    Values values = {{"$w_id", work.w_id}};
    for (std::size_t i = 0; i < work.districts.size(); ++i) {
      values.set({{"$d_id", work.districts.at(i).d_id}});
      const QueryResult oldest = co_await send(session, get_oldest_, values);
      work.read_oldest(i, oldest.set(0));
    }
    if (work.first_order() == 0) co_return;
    const QueryResult orders = co_await session.execute(get_orders_.text, keys_of_orders(work));
    work.read_orders(orders.set(0));
    const QueryResult lines = co_await session.execute(get_lines_.text, keys_of_orders(work));
    work.read_lines(lines.set(0));
  }

  // Reads the rows of both styles. Returns false, and has committed, if there is nothing to
  // deliver.
  Task<bool> read_all(ServerSession& session, Trace& trace, DeliveryWork& work,
                      bool in_batches) const {
    if (in_batches) {
      co_await read_orders_batched(session, work);
    } else {
      co_await read_orders_single(session, work);
    }
    trace.o_id = work.first_order();
    trace.orders = work.outcome().orders_delivered();
    if (trace.o_id == 0) {
      trace.commit_sent = true;
      co_await session.commit();
      co_return false;
    }
    const QueryResult customers =
        co_await session.execute(get_customers_.text, keys_of_customers(work));
    work.read_customers(customers.set(0));
    work.require_all();
    co_return true;
  }

  Task<Outcome> batched(ServerSession& session, const DeliveryInput& input, Trace& trace) override {
    DeliveryWork work(input);
    const bool any = co_await read_all(session, trace, work, true);
    if (!any) co_return work.outcome();
    Parameters writing;
    add_delivered(writing, work);
    add_carriers(writing, work);
    add_dates(writing, work, trace.mark);
    add_customers(writing, work);
    trace.commit_sent = true;
    co_await session.execute_and_commit(batched_write_.text, std::move(writing));
    co_return work.outcome();
  }

  Task<Outcome> single(ServerSession& session, const DeliveryInput& input, Trace& trace) override {
    DeliveryWork work(input);
    const bool any = co_await read_all(session, trace, work, false);
    if (!any) co_return work.outcome();
    Parameters delivered;
    add_delivered(delivered, work);
    co_await session.execute(delete_new_orders_.text, std::move(delivered));
    Parameters carriers;
    add_carriers(carriers, work);
    co_await session.execute(set_carriers_.text, std::move(carriers));
    Parameters dates;
    add_dates(dates, work, trace.mark);
    co_await session.execute(set_dates_.text, std::move(dates));
    Parameters customers;
    add_customers(customers, work);
    trace.commit_sent = true;
    co_await session.execute_and_commit(pay_customers_.text, std::move(customers));
    co_return work.outcome();
  }

  RowsParameter orders_ = keys_of("$orders", 3);
  RowsParameter customer_keys_ = keys_of("$customer_keys", 3);
  RowsParameter delivered_ =
      rows_of("$delivered", Table::NewOrder, {"no_w_id", "no_d_id", "no_o_id"});
  RowsParameter carriers_ =
      rows_of("$carriers", Table::Order, {"o_w_id", "o_d_id", "o_id", "o_carrier_id"});
  RowsParameter dates_ = rows_of("$dates", Table::OrderLine,
                                 {"ol_w_id", "ol_d_id", "ol_o_id", "ol_number", "ol_delivery_d"});
  RowsParameter customers_ = rows_of("$customers", Table::Customer,
                                     {"c_w_id", "c_d_id", "c_id", "c_balance", "c_delivery_cnt"});

  StatementTexts text_;
  Statement batched_oldest_ = text_(all_oldest());
  Statement batched_orders_ = text_.of({"dl_orders", "dl_lines"});
  Statement batched_write_ =
      text_.of({"dl_delete_new_orders", "dl_set_carriers", "dl_set_dates", "dl_pay_customers"});
  Statement get_oldest_ = text_(fmt::format(select_oldest, "$d_id"));
  Statement get_orders_ = text_.of({"dl_orders"});
  Statement get_lines_ = text_.of({"dl_lines"});
  Statement get_customers_ = text_.of({"dl_customers"});
  Statement delete_new_orders_ = text_.of({"dl_delete_new_orders"});
  Statement set_carriers_ = text_.of({"dl_set_carriers"});
  Statement set_dates_ = text_.of({"dl_set_dates"});
  Statement pay_customers_ = text_.of({"dl_pay_customers"});
};

}  // namespace

std::unique_ptr<YdbTransaction> make_delivery(const YdbDatabase& database, StatementStyle style) {
  return std::make_unique<Delivery>(database, style);
}

}  // namespace drover::tpcc::ydb
