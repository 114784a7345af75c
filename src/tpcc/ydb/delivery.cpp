#include "tpcc/ydb/delivery.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "database/error.h"
#include "tpcc/ydb/schema.h"

namespace drover::tpcc::ydb {

using coro::Task;
using database::ydb::Rows;

namespace {

constexpr std::string_view declare_warehouse = R"(
DECLARE $w_id AS Int32;)";
constexpr std::string_view declare_district = R"(
DECLARE $w_id AS Int32;
DECLARE $d_id AS Int32;)";
constexpr std::string_view declare_orders = R"(
DECLARE $orders AS List<Tuple<Int32, Int32, Int32>>;)";
constexpr std::string_view declare_customer_keys = R"(
DECLARE $customer_keys AS List<Tuple<Int32, Int32, Int32>>;)";
constexpr std::string_view declare_delivered = R"(
DECLARE $delivered AS List<Struct<no_w_id: Int32, no_d_id: Int32, no_o_id: Int32>>;)";
constexpr std::string_view declare_carriers = R"(
DECLARE $carriers AS List<Struct<o_w_id: Int32, o_d_id: Int32, o_id: Int32, o_carrier_id: Int32>>;)";
constexpr std::string_view declare_dates = R"(
DECLARE $dates AS List<Struct<ol_w_id: Int32, ol_d_id: Int32, ol_o_id: Int32, ol_number: Int32,
                              ol_delivery_d: Timestamp>>;)";
constexpr std::string_view declare_customers = R"(
DECLARE $customers AS List<Struct<c_w_id: Int32, c_d_id: Int32, c_id: Int32,
                                  c_balance: Decimal(22,9), c_delivery_cnt: Int32>>;)";

constexpr std::string_view select_oldest = R"(
SELECT no_o_id FROM new_order WHERE no_w_id = $w_id AND no_d_id = {}
ORDER BY no_w_id, no_d_id, no_o_id LIMIT 1;)";
constexpr std::string_view select_orders = R"(
SELECT o_d_id, o_id, o_c_id FROM oorder WHERE (o_w_id, o_d_id, o_id) IN $orders;)";
constexpr std::string_view select_lines = R"(
SELECT ol_d_id, ol_number, ol_amount FROM order_line
WHERE (ol_w_id, ol_d_id, ol_o_id) IN $orders;)";
constexpr std::string_view select_customers = R"(
SELECT c_d_id, c_balance, c_delivery_cnt FROM customer
WHERE (c_w_id, c_d_id, c_id) IN $customer_keys;)";

constexpr std::string_view delete_delivered = R"(
DELETE FROM new_order ON SELECT * FROM AS_TABLE($delivered);)";
constexpr std::string_view upsert_carriers = R"(
UPSERT INTO oorder SELECT * FROM AS_TABLE($carriers);)";
constexpr std::string_view upsert_dates = R"(
UPSERT INTO order_line SELECT * FROM AS_TABLE($dates);)";
constexpr std::string_view upsert_customers = R"(
UPSERT INTO customer SELECT * FROM AS_TABLE($customers);)";

}  // namespace

// What a Delivery has found out, a place a district.
struct Delivery::Work {
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

  Work() {
    for (std::size_t i = 0; i < districts.size(); ++i) {
      districts.at(i).d_id = static_cast<std::int32_t>(i + 1);
    }
  }

  void read_oldest(std::size_t district, const ResultSetView& rows);
  void read_orders(const ResultSetView& rows);
  void read_lines(const ResultSetView& rows);
  void read_customers(const ResultSetView& rows);
  void require_all(const DeliveryInput& input) const;
  Outcome outcome() const;
  // The number of the first order to be delivered, or 0.
  std::int32_t first_order() const;

  District& district_of(const ResultSetView& rows, std::size_t row, std::size_t column) {
    return districts.at(static_cast<std::size_t>(rows.at(row, column).integer() - 1));
  }

  std::array<District, districts_per_warehouse> districts;
};

void Delivery::Work::read_oldest(std::size_t district, const ResultSetView& rows) {
  if (rows.rows() > 0) districts.at(district).o_id = int32_at(rows, 0, "no_o_id");
}

void Delivery::Work::read_orders(const ResultSetView& rows) {
  const std::size_t d_id = rows.column("o_d_id");
  const std::size_t c_id = rows.column("o_c_id");
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    district_of(rows, row, d_id).c_id = static_cast<std::int32_t>(rows.at(row, c_id).integer());
  }
}

void Delivery::Work::read_lines(const ResultSetView& rows) {
  const std::size_t d_id = rows.column("ol_d_id");
  const std::size_t number = rows.column("ol_number");
  const std::size_t amount = rows.column("ol_amount");
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    District& district = district_of(rows, row, d_id);
    district.lines.push_back(static_cast<std::int32_t>(rows.at(row, number).integer()));
    district.amount_cents += rows.at(row, amount).cents();
  }
}

void Delivery::Work::read_customers(const ResultSetView& rows) {
  const std::size_t d_id = rows.column("c_d_id");
  const std::size_t balance = rows.column("c_balance");
  const std::size_t count = rows.column("c_delivery_cnt");
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    District& district = district_of(rows, row, d_id);
    district.has_customer = true;
    district.balance_cents = rows.at(row, balance).cents();
    district.delivery_cnt = static_cast<std::int32_t>(rows.at(row, count).integer());
  }
}

void Delivery::Work::require_all(const DeliveryInput& input) const {
  for (const District& district : districts) {
    if (district.o_id == 0 || district.has_customer) continue;
    throw database::Error(
        database::ErrorClass::statement, "",
        fmt::format("order {} of district {} of warehouse {}, which is to be delivered, has no row "
                    "in oorder, or its customer is not there; see: drover tpcc check",
                    district.o_id, district.d_id, input.w_id));
  }
}

Outcome Delivery::Work::outcome() const {
  Outcome outcome;
  for (std::size_t i = 0; i < districts.size(); ++i) {
    outcome.delivered.at(i) = districts.at(i).o_id;
    if (districts.at(i).o_id == 0) ++outcome.districts_skipped;
  }
  return outcome;
}

std::int32_t Delivery::Work::first_order() const {
  const auto first = std::find_if(districts.begin(), districts.end(),
                                  [](const District& district) { return district.o_id != 0; });
  return first == districts.end() ? 0 : first->o_id;
}

Delivery::Delivery(const YdbDatabase& database)
    : key_(database::ydb::RowType::tuple({Primitive::int32, Primitive::int32, Primitive::int32})),
      delivered_row_({{"no_w_id", Primitive::int32},
                      {"no_d_id", Primitive::int32},
                      {"no_o_id", Primitive::int32}}),
      carrier_row_({{"o_w_id", Primitive::int32},
                    {"o_d_id", Primitive::int32},
                    {"o_id", Primitive::int32},
                    {"o_carrier_id", Primitive::int32}}),
      date_row_({{"ol_w_id", Primitive::int32},
                 {"ol_d_id", Primitive::int32},
                 {"ol_o_id", Primitive::int32},
                 {"ol_number", Primitive::int32},
                 {"ol_delivery_d", Primitive::timestamp}}),
      customer_row_({{"c_w_id", Primitive::int32},
                     {"c_d_id", Primitive::int32},
                     {"c_id", Primitive::int32},
                     {"c_balance", money_type},
                     {"c_delivery_cnt", Primitive::int32}}) {
  const auto text = [pragma = folder_pragma(database)](const auto&... parts) {
    return (pragma + ... + std::string(parts));
  };
  std::string all_oldest;
  for (int d = 1; d <= districts_per_warehouse; ++d) all_oldest += fmt::format(select_oldest, d);
  batched_oldest_ = text(declare_warehouse, all_oldest);
  batched_orders_ = text(declare_orders, select_orders, select_lines);
  batched_write_ = text(declare_delivered, declare_carriers, declare_dates, declare_customers,
                        delete_delivered, upsert_carriers, upsert_dates, upsert_customers);
  get_oldest_ = text(declare_district, fmt::format(select_oldest, "$d_id"));
  get_orders_ = text(declare_orders, select_orders);
  get_lines_ = text(declare_orders, select_lines);
  get_customers_ = text(declare_customer_keys, select_customers);
  delete_new_orders_ = text(declare_delivered, delete_delivered);
  set_carriers_ = text(declare_carriers, upsert_carriers);
  set_dates_ = text(declare_dates, upsert_dates);
  pay_customers_ = text(declare_customers, upsert_customers);
}

void Delivery::add_keys(Parameters& parameters, std::string_view name, const DeliveryInput& input,
                        const Work& work, bool of_customers) const {
  Rows keys = parameters.add_rows(name, key_);
  for (const Work::District& district : work.districts) {
    const std::int32_t id = of_customers ? district.c_id : district.o_id;
    if (id != 0) keys.add({input.w_id, district.d_id, id});
  }
}

void Delivery::add_delivered(Parameters& parameters, const DeliveryInput& input,
                             const Work& work) const {
  Rows rows = parameters.add_rows("$delivered", delivered_row_);
  for (const Work::District& district : work.districts) {
    if (district.o_id != 0) rows.add({input.w_id, district.d_id, district.o_id});
  }
}

void Delivery::add_carriers(Parameters& parameters, const DeliveryInput& input,
                            const Work& work) const {
  Rows rows = parameters.add_rows("$carriers", carrier_row_);
  for (const Work::District& district : work.districts) {
    if (district.o_id == 0) continue;
    rows.add({input.w_id, district.d_id, district.o_id, input.carrier_id});
  }
}

void Delivery::add_dates(Parameters& parameters, const DeliveryInput& input, const Work& work,
                         std::uint32_t mark) const {
  Rows rows = parameters.add_rows("$dates", date_row_);
  const std::int64_t date = marked_now_us(mark);
  for (const Work::District& district : work.districts) {
    for (const std::int32_t number : district.lines) {
      rows.add({input.w_id, district.d_id, district.o_id, number, date});
    }
  }
}

void Delivery::add_customers(Parameters& parameters, const DeliveryInput& input,
                             const Work& work) const {
  Rows rows = parameters.add_rows("$customers", customer_row_);
  for (const Work::District& district : work.districts) {
    if (district.o_id == 0) continue;
    rows.add({input.w_id, district.d_id, district.c_id,
              money_of_cents(district.balance_cents + district.amount_cents),
              district.delivery_cnt + 1});
  }
}

Task<void> Delivery::read_orders_batched(ServerSession& session, const DeliveryInput& input,
                                         Work& work) const {
  Parameters of_warehouse;
  of_warehouse.add("$w_id", Primitive::int32, input.w_id);
  const QueryResult oldest =
      co_await session.execute(batched_oldest_, std::move(of_warehouse), at_once);
  for (std::size_t i = 0; i < work.districts.size(); ++i) work.read_oldest(i, oldest.set(i));
  if (work.first_order() == 0) co_return;
  Parameters of_orders;
  add_keys(of_orders, "$orders", input, work, false);
  const QueryResult orders =
      co_await session.execute(batched_orders_, std::move(of_orders), at_once);
  work.read_orders(orders.set(0));
  work.read_lines(orders.set(1));
}

Task<void> Delivery::read_orders_single(ServerSession& session, const DeliveryInput& input,
                                        Work& work) const {
  for (std::size_t i = 0; i < work.districts.size(); ++i) {
    Parameters of_district;
    of_district.add("$w_id", Primitive::int32, input.w_id);
    of_district.add("$d_id", Primitive::int32, work.districts.at(i).d_id);
    const QueryResult oldest = co_await session.execute(get_oldest_, std::move(of_district));
    work.read_oldest(i, oldest.set(0));
  }
  if (work.first_order() == 0) co_return;
  Parameters of_orders;
  add_keys(of_orders, "$orders", input, work, false);
  const QueryResult orders = co_await session.execute(get_orders_, std::move(of_orders));
  work.read_orders(orders.set(0));
  Parameters of_lines;
  add_keys(of_lines, "$orders", input, work, false);
  const QueryResult lines = co_await session.execute(get_lines_, std::move(of_lines));
  work.read_lines(lines.set(0));
}

Task<void> Delivery::read_customers(ServerSession& session, const DeliveryInput& input,
                                    Work& work) const {
  Parameters of_customers;
  add_keys(of_customers, "$customer_keys", input, work, true);
  const QueryResult customers = co_await session.execute(get_customers_, std::move(of_customers));
  work.read_customers(customers.set(0));
  work.require_all(input);
}

Task<Outcome> Delivery::batched(ServerSession& session, const DeliveryInput& input,
                                Trace& trace) const {
  Work work;
  co_await read_orders_batched(session, input, work);
  trace.o_id = work.first_order();
  trace.orders = work.outcome().orders_delivered();
  if (trace.o_id == 0) {
    trace.commit_sent = true;
    co_await session.commit();
    co_return work.outcome();
  }
  co_await read_customers(session, input, work);
  Parameters writing;
  add_delivered(writing, input, work);
  add_carriers(writing, input, work);
  add_dates(writing, input, work, trace.mark);
  add_customers(writing, input, work);
  trace.commit_sent = true;
  co_await session.execute_and_commit(batched_write_, std::move(writing));
  co_return work.outcome();
}

Task<Outcome> Delivery::single(ServerSession& session, const DeliveryInput& input,
                               Trace& trace) const {
  Work work;
  co_await read_orders_single(session, input, work);
  trace.o_id = work.first_order();
  trace.orders = work.outcome().orders_delivered();
  if (trace.o_id == 0) {
    trace.commit_sent = true;
    co_await session.commit();
    co_return work.outcome();
  }
  co_await read_customers(session, input, work);
  Parameters delivered;
  add_delivered(delivered, input, work);
  co_await session.execute(delete_new_orders_, std::move(delivered));
  Parameters carriers;
  add_carriers(carriers, input, work);
  co_await session.execute(set_carriers_, std::move(carriers));
  Parameters dates;
  add_dates(dates, input, work, trace.mark);
  co_await session.execute(set_dates_, std::move(dates));
  Parameters customers;
  add_customers(customers, input, work);
  trace.commit_sent = true;
  co_await session.execute_and_commit(pay_customers_, std::move(customers));
  co_return work.outcome();
}

}  // namespace drover::tpcc::ydb
