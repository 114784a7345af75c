#include "tpcc/ydb/payment.h"

#include <fmt/format.h>

#include "tpcc/ydb/schema.h"

namespace drover::tpcc::ydb {

using coro::Task;

namespace {

constexpr std::string_view declare_places = R"(
DECLARE $w_id AS Int32;
DECLARE $d_id AS Int32;
DECLARE $amount AS Decimal(22,9);)";
constexpr std::string_view declare_warehouse = R"(
DECLARE $w_id AS Int32;
DECLARE $amount AS Decimal(22,9);)";
constexpr std::string_view declare_customer_district = R"(
DECLARE $c_w_id AS Int32;
DECLARE $c_d_id AS Int32;)";
constexpr std::string_view declare_customer_id = R"(
DECLARE $c_id AS Int32;)";
constexpr std::string_view declare_customer_name = R"(
DECLARE $c_last AS Utf8;)";
constexpr std::string_view declare_new_customer = R"(
DECLARE $balance AS Decimal(22,9);
DECLARE $ytd_payment AS Decimal(22,9);
DECLARE $payment_cnt AS Int32;)";
constexpr std::string_view declare_data = R"(
DECLARE $data AS Utf8;)";
constexpr std::string_view declare_history_places = R"(
DECLARE $w_id AS Int32;
DECLARE $d_id AS Int32;)";
constexpr std::string_view declare_history = R"(
DECLARE $nano_ts AS Int64;
DECLARE $date AS Timestamp;
DECLARE $amount AS Decimal(22,9);
DECLARE $h_data AS Utf8;)";

constexpr std::string_view pay_warehouse = R"(
UPDATE warehouse SET w_ytd = w_ytd + $amount WHERE w_id = $w_id
RETURNING w_name, w_street_1, w_street_2, w_city, w_state, w_zip;)";
constexpr std::string_view pay_district = R"(
UPDATE district SET d_ytd = d_ytd + $amount WHERE d_w_id = $w_id AND d_id = $d_id
RETURNING d_name, d_street_1, d_street_2, d_city, d_state, d_zip;)";

constexpr std::string_view select_customer = R"(
SELECT c_id, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
       c_since, c_credit, c_credit_lim, c_discount, c_balance, c_ytd_payment, c_payment_cnt, c_data
FROM customer)";
constexpr std::string_view by_id = R"(
WHERE c_w_id = $c_w_id AND c_d_id = $c_d_id AND c_id = $c_id;)";
// A name has three rows on average: to read all of each costs less than another request.
constexpr std::string_view by_name = R"( VIEW idx_customer_name
WHERE c_w_id = $c_w_id AND c_d_id = $c_d_id AND c_last = $c_last ORDER BY c_first, c_id;)";
constexpr std::string_view select_ids = R"(
SELECT c_id, c_first FROM customer)";

constexpr std::string_view upsert_good_customer = R"(
UPSERT INTO customer (c_w_id, c_d_id, c_id, c_balance, c_ytd_payment, c_payment_cnt)
VALUES ($c_w_id, $c_d_id, $c_id, $balance, $ytd_payment, $payment_cnt);)";
constexpr std::string_view upsert_bad_customer = R"(
UPSERT INTO customer (c_w_id, c_d_id, c_id, c_balance, c_ytd_payment, c_payment_cnt, c_data)
VALUES ($c_w_id, $c_d_id, $c_id, $balance, $ytd_payment, $payment_cnt, $data);)";
constexpr std::string_view upsert_history = R"(
UPSERT INTO history (h_c_w_id, h_c_nano_ts, h_c_id, h_c_d_id, h_d_id, h_w_id, h_date, h_amount,
                     h_data)
VALUES ($c_w_id, $nano_ts, $c_id, $c_d_id, $d_id, $w_id, $date, $amount, $h_data);)";

constexpr std::size_t data_bytes_max = 500;

}  // namespace

Payment::Payment(const YdbDatabase& database) {
  const auto text = [pragma = folder_pragma(database)](const auto&... parts) {
    return (pragma + ... + std::string(parts));
  };
  batched_read_by_id_ = text(declare_places, declare_customer_district, declare_customer_id,
                             pay_warehouse, pay_district, select_customer, by_id);
  batched_read_by_name_ = text(declare_places, declare_customer_district, declare_customer_name,
                               pay_warehouse, pay_district, select_customer, by_name);
  batched_write_good_ =
      text(declare_customer_district, declare_customer_id, declare_new_customer,
           declare_history_places, declare_history, upsert_good_customer, upsert_history);
  batched_write_bad_ =
      text(declare_customer_district, declare_customer_id, declare_new_customer, declare_data,
           declare_history_places, declare_history, upsert_bad_customer, upsert_history);
  update_warehouse_ = text(declare_warehouse, pay_warehouse);
  update_district_ = text(declare_places, pay_district);
  find_by_name_ = text(declare_customer_district, declare_customer_name, select_ids, by_name);
  get_customer_ = text(declare_customer_district, declare_customer_id, select_customer, by_id);
  update_good_ = text(declare_customer_district, declare_customer_id, declare_new_customer,
                      upsert_good_customer);
  update_bad_ = text(declare_customer_district, declare_customer_id, declare_new_customer,
                     declare_data, upsert_bad_customer);
  insert_history_ = text(declare_customer_district, declare_customer_id, declare_history_places,
                         declare_history, upsert_history);
}

// The customer as the payment leaves it.
struct Payment::Customer {
  Customer(const ResultSetView& rows, std::size_t row, const PaymentInput& input);

  void add_to(Parameters& parameters) const;

  std::int32_t c_id;
  std::int64_t balance_cents;
  std::int64_t ytd_payment_cents;
  std::int32_t payment_cnt;
  std::string data;  // empty: the credit is good, and c_data stays as it is
};

// What h_data is made of.
struct Payment::Places {
  std::string warehouse_name;
  std::string district_name;
};

namespace {

// Clause 2.5.2.2: bad credit gets the payment written before what c_data holds, cut at 500
// characters; those of a text that is not ASCII are not cut in two.
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

void add_customer_district(Parameters& parameters, const CustomerChoice& customer) {
  parameters.add("$c_w_id", Primitive::int32, customer.c_w_id);
  parameters.add("$c_d_id", Primitive::int32, customer.c_d_id);
}

void add_places(Parameters& parameters, const PaymentInput& input) {
  parameters.add("$w_id", Primitive::int32, input.w_id);
  parameters.add("$d_id", Primitive::int32, input.d_id);
}

void add_amount(Parameters& parameters, const PaymentInput& input) {
  parameters.add("$amount", money_type, money_of_cents(input.amount_cents));
}

}  // namespace

Payment::Customer::Customer(const ResultSetView& rows, std::size_t row, const PaymentInput& input)
    : c_id(int32_at(rows, row, "c_id")),
      balance_cents(rows.at(row, "c_balance").cents() - input.amount_cents),
      ytd_payment_cents(rows.at(row, "c_ytd_payment").cents() + input.amount_cents),
      payment_cnt(int32_at(rows, row, "c_payment_cnt") + 1) {
  if (rows.at(row, "c_credit").text() != "BC") return;
  data = data_of_bad_credit(c_id, input, rows.at(row, "c_data").text());
}

void Payment::Customer::add_to(Parameters& parameters) const {
  parameters.add("$c_id", Primitive::int32, c_id);
  parameters.add("$balance", money_type, money_of_cents(balance_cents));
  parameters.add("$ytd_payment", money_type, money_of_cents(ytd_payment_cents));
  parameters.add("$payment_cnt", Primitive::int32, payment_cnt);
  if (!data.empty()) parameters.add("$data", Primitive::utf8, data);
}

// h_data: w_name, four spaces, d_name. Names of the parameters that others add as well: the
// customer's.
void Payment::add_history(Parameters& parameters, const PaymentInput& input, std::int32_t c_id,
                          const Places& places, std::uint32_t mark) {
  add_customer_district(parameters, input.customer);
  add_places(parameters, input);
  add_amount(parameters, input);
  parameters.add("$c_id", Primitive::int32, c_id);
  parameters.add("$nano_ts", Primitive::int64, history_keys_.next());
  parameters.add("$date", Primitive::timestamp, marked_now_us(mark));
  const std::string data = places.warehouse_name + "    " + places.district_name;
  parameters.add("$h_data", Primitive::utf8, data);
}

Task<Outcome> Payment::batched(ServerSession& session, const PaymentInput& input, Trace& trace) {
  const CustomerChoice& choice = input.customer;
  Parameters reading;
  add_places(reading, input);
  add_amount(reading, input);
  add_customer_district(reading, choice);
  std::string_view read_text = batched_read_by_id_;
  if (choice.by_name) {
    read_text = batched_read_by_name_;
    reading.add("$c_last", Primitive::utf8, choice.c_last_text());
  } else {
    reading.add("$c_id", Primitive::int32, choice.c_id);
  }
  const QueryResult read = co_await session.execute(read_text, std::move(reading));
  require_one_row(read.set(0), "warehouse");
  require_one_row(read.set(1), "district");
  const ResultSetView customers = read.set(2);
  if (!choice.by_name) require_one_row(customers, "customer");
  const Customer customer(customers, middle_row(customers), input);
  const Places places{std::string(read.set(0).at(0, "w_name").text()),
                      std::string(read.set(1).at(0, "d_name").text())};
  Parameters writing;
  customer.add_to(writing);
  add_history(writing, input, customer.c_id, places, trace.mark);
  const std::string& write_text = customer.data.empty() ? batched_write_good_ : batched_write_bad_;
  trace.commit_sent = true;
  co_await session.execute_and_commit(write_text, std::move(writing));
  co_return Outcome{};
}

Task<Payment::Places> Payment::update_places_single(ServerSession& session,
                                                    const PaymentInput& input) const {
  Parameters of_warehouse;
  of_warehouse.add("$w_id", Primitive::int32, input.w_id);
  add_amount(of_warehouse, input);
  const QueryResult warehouse =
      co_await session.execute(update_warehouse_, std::move(of_warehouse));
  require_one_row(warehouse.set(0), "warehouse");
  Parameters of_district;
  add_places(of_district, input);
  add_amount(of_district, input);
  const QueryResult district = co_await session.execute(update_district_, std::move(of_district));
  require_one_row(district.set(0), "district");
  Places places;
  places.warehouse_name = warehouse.set(0).at(0, "w_name").text();
  places.district_name = district.set(0).at(0, "d_name").text();
  co_return places;
}

Task<Payment::Customer> Payment::read_customer_single(ServerSession& session,
                                                      const PaymentInput& input) const {
  const CustomerChoice& choice = input.customer;
  std::int32_t c_id = choice.c_id;
  if (choice.by_name) {
    Parameters of_name;
    add_customer_district(of_name, choice);
    of_name.add("$c_last", Primitive::utf8, choice.c_last_text());
    const QueryResult found = co_await session.execute(find_by_name_, std::move(of_name));
    c_id = int32_at(found.set(0), middle_row(found.set(0)), "c_id");
  }
  Parameters of_customer;
  add_customer_district(of_customer, choice);
  of_customer.add("$c_id", Primitive::int32, c_id);
  const QueryResult read = co_await session.execute(get_customer_, std::move(of_customer));
  require_one_row(read.set(0), "customer");
  co_return Customer(read.set(0), 0, input);
}

Task<Outcome> Payment::single(ServerSession& session, const PaymentInput& input, Trace& trace) {
  const Places places = co_await update_places_single(session, input);
  const Customer customer = co_await read_customer_single(session, input);
  Parameters of_customer;
  add_customer_district(of_customer, input.customer);
  customer.add_to(of_customer);
  const std::string& update = customer.data.empty() ? update_good_ : update_bad_;
  co_await session.execute(update, std::move(of_customer));
  Parameters of_history;
  add_history(of_history, input, customer.c_id, places, trace.mark);
  trace.commit_sent = true;
  co_await session.execute_and_commit(insert_history_, std::move(of_history));
  co_return Outcome{};
}

}  // namespace drover::tpcc::ydb
