#include "tpcc/ydb/new_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "database/error.h"
#include "tpcc/ydb/schema.h"

namespace drover::tpcc::ydb {

using coro::Task;
using database::ydb::Rows;

namespace {

constexpr std::string_view declare_district = R"(
DECLARE $w_id AS Int32;
DECLARE $d_id AS Int32;)";
constexpr std::string_view declare_customer = R"(
DECLARE $c_id AS Int32;)";
constexpr std::string_view declare_items = R"(
DECLARE $i_ids AS List<Int32>;)";
constexpr std::string_view declare_stock_keys = R"(
DECLARE $stock_keys AS List<Tuple<Int32, Int32>>;)";
constexpr std::string_view declare_order_id = R"(
DECLARE $o_id AS Int32;)";
constexpr std::string_view declare_order = R"(
DECLARE $entry_d AS Timestamp;
DECLARE $ol_cnt AS Int32;
DECLARE $all_local AS Int32;)";
constexpr std::string_view declare_stock = R"(
DECLARE $stock AS List<Struct<s_w_id: Int32, s_i_id: Int32, s_quantity: Int32, s_ytd: Int64,
                              s_order_cnt: Int32, s_remote_cnt: Int32>>;)";
constexpr std::string_view declare_lines = R"(
DECLARE $lines AS List<Struct<ol_w_id: Int32, ol_d_id: Int32, ol_o_id: Int32, ol_number: Int32,
                              ol_i_id: Int32, ol_supply_w_id: Int32, ol_quantity: Int32,
                              ol_amount: Decimal(22,9), ol_dist_info: Utf8>>;)";

constexpr std::string_view select_customer = R"(
SELECT c_discount, c_last, c_credit FROM customer
WHERE c_w_id = $w_id AND c_d_id = $d_id AND c_id = $c_id;)";
constexpr std::string_view select_warehouse = R"(
SELECT w_tax FROM warehouse WHERE w_id = $w_id;)";
constexpr std::string_view select_district = R"(
SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = $w_id AND d_id = $d_id;)";
constexpr std::string_view select_items = R"(
SELECT i_id, i_price, i_name, i_data FROM item WHERE i_id IN $i_ids;)";
constexpr std::string_view select_stock = R"(
SELECT s_w_id, s_i_id, s_quantity, s_ytd, s_order_cnt, s_remote_cnt, s_data,
       CASE $d_id WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03
                  WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06
                  WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09
                  ELSE s_dist_10 END AS s_dist
FROM stock WHERE (s_w_id, s_i_id) IN $stock_keys;)";

constexpr std::string_view upsert_district = R"(
UPSERT INTO district (d_w_id, d_id, d_next_o_id) VALUES ($w_id, $d_id, $o_id + 1);)";
constexpr std::string_view upsert_new_order = R"(
UPSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES ($w_id, $d_id, $o_id);)";
constexpr std::string_view upsert_order = R"(
UPSERT INTO oorder (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)
VALUES ($w_id, $d_id, $o_id, $c_id, $entry_d, $ol_cnt, $all_local);)";
constexpr std::string_view upsert_stock = R"(
UPSERT INTO stock SELECT * FROM AS_TABLE($stock);)";
constexpr std::string_view upsert_lines = R"(
UPSERT INTO order_line SELECT * FROM AS_TABLE($lines);)";

// Clause 2.4.2.2: the quantity falls by what is ordered, and rises by 91 where less than 10 would
// be left.
std::int32_t quantity_after(std::int32_t before, std::int32_t ordered) noexcept {
  return before >= ordered + 10 ? before - ordered : before - ordered + 91;
}

// Clause 2.4.2.2: what the terminal shows besides. Brand if both texts hold ORIGINAL, else generic.
constexpr std::string_view brand_word = "ORIGINAL";

bool is_original(std::string_view data) noexcept {
  return data.find(brand_word) != std::string_view::npos;
}

}  // namespace

// What an order has found out. Lines and stock have a place each of at most 15, so looking through
// them is as good as any map.
struct NewOrder::Work {
  struct Item {
    std::int32_t i_id = 0;
    bool found = false;
    bool original = false;
    std::int64_t price_cents = 0;
  };
  struct Stock {
    std::int32_t w_id = 0;
    std::int32_t i_id = 0;
    bool found = false;
    bool original = false;
    std::int32_t quantity = 0;
    std::int64_t ytd = 0;
    std::int32_t order_cnt = 0;
    std::int32_t remote_cnt = 0;
    std::string_view dist;  // in `stock_result`
  };

  explicit Work(const NewOrderInput& input);

  Item* item(std::int32_t i_id) noexcept;
  Stock* stock_of(std::int32_t w_id, std::int32_t i_id) noexcept;
  void read_items(const ResultSetView& rows);
  void read_stock(const ResultSetView& rows);
  void take_stock(const NewOrderInput& input);

  std::int32_t o_id = 0;
  std::array<Item, order_lines_max> items;  // each once, in ascending order
  std::size_t item_count = 0;
  std::array<Stock, order_lines_max> stock;  // each once
  std::size_t stock_count = 0;
  // By line: where it is found, and whether the line is of a brand or generic.
  std::array<const Item*, order_lines_max> item_of_line{};
  std::array<const Stock*, order_lines_max> stock_of_line{};
  std::array<char, order_lines_max> brand_generic{};
  QueryResult stock_result;
};

NewOrder::Work::Work(const NewOrderInput& input) {
  for (const NewOrderLine& line : input.lines()) {
    if (item(line.i_id) == nullptr) items[item_count++].i_id = line.i_id;
    if (stock_of(line.supply_w_id, line.i_id) != nullptr) continue;
    stock[stock_count].w_id = line.supply_w_id;
    stock[stock_count++].i_id = line.i_id;
  }
}

NewOrder::Work::Item* NewOrder::Work::item(std::int32_t i_id) noexcept {
  const auto known = std::span(items).first(item_count);
  const auto place = std::find_if(known.begin(), known.end(),
                                  [i_id](const Item& one) { return one.i_id == i_id; });
  return place == known.end() ? nullptr : &*place;
}

NewOrder::Work::Stock* NewOrder::Work::stock_of(std::int32_t w_id, std::int32_t i_id) noexcept {
  const auto known = std::span(stock).first(stock_count);
  const auto place = std::find_if(known.begin(), known.end(), [=](const Stock& one) {
    return one.i_id == i_id && one.w_id == w_id;
  });
  return place == known.end() ? nullptr : &*place;
}

void NewOrder::Work::read_items(const ResultSetView& rows) {
  const std::size_t i_id = rows.column("i_id");
  const std::size_t i_price = rows.column("i_price");
  const std::size_t i_data = rows.column("i_data");
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    Item* one = item(static_cast<std::int32_t>(rows.at(row, i_id).integer()));
    if (one == nullptr) continue;
    one->found = true;
    one->price_cents = rows.at(row, i_price).cents();
    one->original = is_original(rows.at(row, i_data).text());
  }
}

void NewOrder::Work::read_stock(const ResultSetView& rows) {
  const std::array columns = {rows.column("s_w_id"),      rows.column("s_i_id"),
                              rows.column("s_quantity"),  rows.column("s_ytd"),
                              rows.column("s_order_cnt"), rows.column("s_remote_cnt"),
                              rows.column("s_data"),      rows.column("s_dist")};
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const auto number = [&](std::size_t column) {
      return static_cast<std::int32_t>(rows.at(row, columns.at(column)).integer());
    };
    Stock* one = stock_of(number(0), number(1));
    if (one == nullptr) continue;
    one->found = true;
    one->quantity = number(2);
    one->ytd = rows.at(row, columns[3]).integer();
    one->order_cnt = number(4);
    one->remote_cnt = number(5);
    one->original = is_original(rows.at(row, columns[6]).text());
    one->dist = rows.at(row, columns[7]).text();
  }
}

// Every line goes on from what the one before has left of the same stock. Throws unless every line
// has met its item and its stock, but the one that asks for an item that does not exist.
void NewOrder::Work::take_stock(const NewOrderInput& input) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < input.lines().size(); ++i) {
    const NewOrderLine& line = input.lines()[i];
    const Item* its_item = item(line.i_id);
    Stock* its_stock = stock_of(line.supply_w_id, line.i_id);
    if (!its_item->found || !its_stock->found) continue;
    ++found;
    item_of_line.at(i) = its_item;
    stock_of_line.at(i) = its_stock;
    brand_generic.at(i) = its_item->original && its_stock->original ? 'B' : 'G';
    its_stock->quantity = quantity_after(its_stock->quantity, line.quantity);
    its_stock->ytd += line.quantity;
    its_stock->order_cnt += 1;
    its_stock->remote_cnt += line.supply_w_id == input.w_id ? 0 : 1;
  }
  const std::size_t expected = input.lines().size() - (input.rollback ? 1 : 0);
  if (found == expected) return;
  throw database::Error(
      database::ErrorClass::statement, "",
      fmt::format("{} of {} items of an order at warehouse {} have no row in item or stock: is the "
                  "database loaded? See: drover tpcc check",
                  expected - found, expected, input.w_id));
}

NewOrder::NewOrder(const YdbDatabase& database)
    : stock_key_(database::ydb::RowType::tuple({Primitive::int32, Primitive::int32})),
      stock_row_({{"s_w_id", Primitive::int32},
                  {"s_i_id", Primitive::int32},
                  {"s_quantity", Primitive::int32},
                  {"s_ytd", Primitive::int64},
                  {"s_order_cnt", Primitive::int32},
                  {"s_remote_cnt", Primitive::int32}}),
      line_row_({{"ol_w_id", Primitive::int32},
                 {"ol_d_id", Primitive::int32},
                 {"ol_o_id", Primitive::int32},
                 {"ol_number", Primitive::int32},
                 {"ol_i_id", Primitive::int32},
                 {"ol_supply_w_id", Primitive::int32},
                 {"ol_quantity", Primitive::int32},
                 {"ol_amount", money_type},
                 {"ol_dist_info", Primitive::utf8}}) {
  const auto text = [pragma = folder_pragma(database)](const auto&... parts) {
    return (pragma + ... + std::string(parts));
  };
  constexpr std::string_view declare_warehouse = "DECLARE $w_id AS Int32;";
  constexpr std::string_view declare_district_id = "DECLARE $d_id AS Int32;";
  batched_read_ =
      text(declare_district, declare_customer, declare_items, declare_stock_keys, select_customer,
           select_warehouse, select_district, select_items, select_stock);
  batched_write_ = text(declare_district, declare_customer, declare_order_id, declare_order,
                        declare_stock, declare_lines, upsert_district, upsert_new_order,
                        upsert_order, upsert_stock, upsert_lines);
  get_customer_ = text(declare_district, declare_customer, select_customer);
  get_warehouse_ = text(declare_warehouse, select_warehouse);
  get_district_ = text(declare_district, select_district);
  set_next_order_ = text(declare_district, declare_order_id, upsert_district);
  insert_new_order_ = text(declare_district, declare_order_id, upsert_new_order);
  insert_order_ =
      text(declare_district, declare_customer, declare_order_id, declare_order, upsert_order);
  get_items_ = text(declare_items, select_items);
  get_stock_ = text(declare_district_id, declare_stock_keys, select_stock);
  update_stock_ = text(declare_stock, upsert_stock);
  insert_lines_ = text(declare_lines, upsert_lines);
}

namespace {

void add_district(Parameters& parameters, const NewOrderInput& input) {
  parameters.add("$w_id", Primitive::int32, input.w_id);
  parameters.add("$d_id", Primitive::int32, input.d_id);
}

void add_order(Parameters& parameters, const NewOrderInput& input, std::int32_t o_id) {
  add_district(parameters, input);
  parameters.add("$o_id", Primitive::int32, o_id);
  parameters.add("$c_id", Primitive::int32, input.c_id);
  parameters.add("$entry_d", Primitive::timestamp, now_us());
  parameters.add("$ol_cnt", Primitive::int32, input.ol_cnt);
  parameters.add("$all_local", Primitive::int32, input.all_local ? 1 : 0);
}

}  // namespace

void NewOrder::add_item_ids(Parameters& parameters, const Work& work) const {
  std::array<std::int32_t, order_lines_max> ids{};
  for (std::size_t i = 0; i < work.item_count; ++i) ids.at(i) = work.items.at(i).i_id;
  const std::span<const std::int32_t> used(ids.data(), work.item_count);
  parameters.add_list("$i_ids", Primitive::int32, used);
}

void NewOrder::add_stock_keys(Parameters& parameters, const Work& work) const {
  Rows keys = parameters.add_rows("$stock_keys", stock_key_);
  for (const Work::Stock& one : std::span(work.stock).first(work.stock_count)) {
    keys.add({one.w_id, one.i_id});
  }
}

void NewOrder::add_stock(Parameters& parameters, const Work& work) const {
  Rows rows = parameters.add_rows("$stock", stock_row_);
  for (const Work::Stock& one : std::span(work.stock).first(work.stock_count)) {
    if (!one.found) continue;
    rows.add({one.w_id, one.i_id, one.quantity, one.ytd, one.order_cnt, one.remote_cnt});
  }
}

void NewOrder::add_lines(Parameters& parameters, const NewOrderInput& input,
                         const Work& work) const {
  Rows rows = parameters.add_rows("$lines", line_row_);
  std::int32_t number = 0;
  for (const NewOrderLine& line : input.lines()) {
    const auto place = static_cast<std::size_t>(number++);
    const Work::Item* item = work.item_of_line.at(place);
    if (item == nullptr) continue;
    rows.add({input.w_id, input.d_id, work.o_id, number, line.i_id, line.supply_w_id, line.quantity,
              money_of_cents(line.quantity * item->price_cents),
              work.stock_of_line.at(place)->dist});
  }
}

// The last request: what clause 2.4.1.4 wants to be rolled back is written and then rolled back.
Task<Outcome> NewOrder::finish(ServerSession& session, std::string_view last_text,
                               Parameters parameters, const NewOrderInput& input,
                               Trace& trace) const {
  Outcome outcome;
  outcome.committed = !input.rollback;
  if (input.rollback) {
    co_await session.execute(last_text, std::move(parameters));
    co_await session.roll_back();
    co_return outcome;
  }
  trace.commit_sent = true;
  co_await session.execute_and_commit(last_text, std::move(parameters));
  co_return outcome;
}

Task<Outcome> NewOrder::batched(ServerSession& session, const NewOrderInput& input,
                                Trace& trace) const {
  Work work(input);
  Parameters reading;
  add_district(reading, input);
  reading.add("$c_id", Primitive::int32, input.c_id);
  add_item_ids(reading, work);
  add_stock_keys(reading, work);
  work.stock_result = co_await session.execute(batched_read_, std::move(reading), at_once);
  const QueryResult& read = work.stock_result;
  require_one_row(read.set(0), "customer");
  require_one_row(read.set(1), "warehouse");
  require_one_row(read.set(2), "district");
  trace.o_id = work.o_id = int32_at(read.set(2), 0, "d_next_o_id");
  work.read_items(read.set(3));
  work.read_stock(read.set(4));
  work.take_stock(input);

  Parameters writing;
  add_order(writing, input, work.o_id);
  add_stock(writing, work);
  add_lines(writing, input, work);
  co_return co_await finish(session, batched_write_, std::move(writing), input, trace);
}

Task<void> NewOrder::read_district_single(ServerSession& session, const NewOrderInput& input,
                                          Work& work) const {
  Parameters of_customer;
  add_district(of_customer, input);
  of_customer.add("$c_id", Primitive::int32, input.c_id);
  const QueryResult customer = co_await session.execute(get_customer_, std::move(of_customer));
  require_one_row(customer.set(0), "customer");
  Parameters of_warehouse;
  of_warehouse.add("$w_id", Primitive::int32, input.w_id);
  const QueryResult warehouse = co_await session.execute(get_warehouse_, std::move(of_warehouse));
  require_one_row(warehouse.set(0), "warehouse");
  Parameters of_district;
  add_district(of_district, input);
  const QueryResult district = co_await session.execute(get_district_, std::move(of_district));
  require_one_row(district.set(0), "district");
  work.o_id = int32_at(district.set(0), 0, "d_next_o_id");
}

Task<void> NewOrder::write_order_single(ServerSession& session, const NewOrderInput& input,
                                        const Work& work) const {
  Parameters of_district;
  add_district(of_district, input);
  of_district.add("$o_id", Primitive::int32, work.o_id);
  co_await session.execute(set_next_order_, std::move(of_district));
  Parameters of_new_order;
  add_district(of_new_order, input);
  of_new_order.add("$o_id", Primitive::int32, work.o_id);
  co_await session.execute(insert_new_order_, std::move(of_new_order));
  Parameters of_order;
  add_order(of_order, input, work.o_id);
  co_await session.execute(insert_order_, std::move(of_order));
}

Task<void> NewOrder::read_lines_single(ServerSession& session, const NewOrderInput& input,
                                       Work& work) const {
  Parameters of_items;
  add_item_ids(of_items, work);
  const QueryResult items = co_await session.execute(get_items_, std::move(of_items));
  work.read_items(items.set(0));
  Parameters of_stock;
  of_stock.add("$d_id", Primitive::int32, input.d_id);
  add_stock_keys(of_stock, work);
  work.stock_result = co_await session.execute(get_stock_, std::move(of_stock));
  work.read_stock(work.stock_result.set(0));
  work.take_stock(input);
}

Task<Outcome> NewOrder::single(ServerSession& session, const NewOrderInput& input,
                               Trace& trace) const {
  Work work(input);
  co_await read_district_single(session, input, work);
  trace.o_id = work.o_id;
  co_await write_order_single(session, input, work);
  co_await read_lines_single(session, input, work);
  Parameters of_stock;
  add_stock(of_stock, work);
  co_await session.execute(update_stock_, std::move(of_stock));
  Parameters of_lines;
  add_lines(of_lines, input, work);
  co_return co_await finish(session, insert_lines_, std::move(of_lines), input, trace);
}

}  // namespace drover::tpcc::ydb
