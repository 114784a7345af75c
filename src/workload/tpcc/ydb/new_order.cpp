// New-Order (clause 2.4) on YDB: two requests batched, ten single.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "database/error.h"
#include "workload/tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {

using coro::Task;

namespace {

// The quantity falls by the ordered amount, and rises by 91 if fewer than 10 would be left (clause
// 2.4.2.2).
std::int32_t quantity_after(std::int32_t before, std::int32_t ordered) noexcept {
  return before >= ordered + 10 ? before - ordered : before - ordered + 91;
}

// Brand or generic, which the terminal also shows (clause 2.4.2.2): brand if both texts contain
// ORIGINAL.
constexpr std::string_view brand_word = "ORIGINAL";

bool is_original(std::string_view data) noexcept {
  return data.find(brand_word) != std::string_view::npos;
}

// The rows that an order has read. With at most 15 lines, a linear search is as fast as a map.
struct OrderWork {
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

  explicit OrderWork(const NewOrderInput& its_input) : input(its_input) {
    for (const NewOrderLine& line : input.lines()) {
      if (item(line.i_id) == nullptr) items[item_count++].i_id = line.i_id;
      if (stock_of(line.supply_w_id, line.i_id) != nullptr) continue;
      stock[stock_count].w_id = line.supply_w_id;
      stock[stock_count++].i_id = line.i_id;
    }
  }

  Item* item(std::int32_t i_id) noexcept {
    const auto known = std::span(items).first(item_count);
    const auto place = std::ranges::find(known, i_id, &Item::i_id);
    return place == known.end() ? nullptr : &*place;
  }

  Stock* stock_of(std::int32_t w_id, std::int32_t i_id) noexcept {
    const auto known = std::span(stock).first(stock_count);
    const auto place = std::find_if(known.begin(), known.end(), [=](const Stock& one) {
      return one.i_id == i_id && one.w_id == w_id;
    });
    return place == known.end() ? nullptr : &*place;
  }

  void read_items(const ResultSetView& rows) {
    const auto take = [&](auto i_id, auto i_price, auto i_data) {
      Item* one = item(i_id.int32());
      if (one == nullptr) return;
      one->found = true;
      one->price_cents = i_price.cents();
      one->original = is_original(i_data.text());
    };
    each_row(rows, {"i_id", "i_price", "i_data"}, take);
  }

  void read_stock(const ResultSetView& rows) {
    const auto take = [&](auto w_id, auto i_id, auto quantity, auto ytd, auto order_cnt,
                          auto remote_cnt, auto data, auto dist) {
      Stock* one = stock_of(w_id.int32(), i_id.int32());
      if (one == nullptr) return;
      one->found = true;
      one->quantity = quantity.int32();
      one->ytd = ytd.integer();
      one->order_cnt = order_cnt.int32();
      one->remote_cnt = remote_cnt.int32();
      one->original = is_original(data.text());
      one->dist = dist.text();
    };
    each_row(rows,
             {"s_w_id", "s_i_id", "s_quantity", "s_ytd", "s_order_cnt", "s_remote_cnt", "s_data",
              "s_dist"},
             take);
  }

  // Each line continues from the stock that earlier lines have left. Throws unless every line has
  // found its item and its stock, except the line with an item that does not exist.
  void take_stock() {
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
        fmt::format("{} of {} items of an order at warehouse {} have no row in item or stock. The "
                    "database may be loaded incompletely. Check it with 'drover tpcc check'",
                    expected - found, expected, input.w_id));
  }

  const NewOrderInput& input;
  std::int32_t o_id = 0;
  std::array<Item, order_lines_max> items;  // each once, in ascending order
  std::size_t item_count = 0;
  std::array<Stock, order_lines_max> stock;  // each once
  std::size_t stock_count = 0;
  // The item and the stock of each line, and B or G for brand or generic.
  std::array<const Item*, order_lines_max> item_of_line{};
  std::array<const Stock*, order_lines_max> stock_of_line{};
  std::array<char, order_lines_max> brand_generic{};
  QueryResult stock_result;
};

class NewOrder final : public StyledTransaction<NewOrderInput> {
 public:
  NewOrder(const YdbDatabase& database, StatementStyle style)
      : StyledTransaction(style), text_(database, {&stock_keys_, &stock_, &lines_}) {}

 private:
  // Without $o_id.
  static Values values_of(const NewOrderInput& input) {
    return {{"$w_id", input.w_id},     {"$d_id", input.d_id},
            {"$c_id", input.c_id},     {"$entry_d", now_us()},
            {"$ol_cnt", input.ol_cnt}, {"$all_local", input.all_local ? 1 : 0}};
  }

  static void add_item_ids(Parameters& parameters, const OrderWork& work) {
    std::array<std::int32_t, order_lines_max> ids{};
    for (std::size_t i = 0; i < work.item_count; ++i) ids.at(i) = work.items.at(i).i_id;
    const std::span<const std::int32_t> used(ids.data(), work.item_count);
    parameters.add_list("$i_ids", used);
  }

  void add_stock_keys(Parameters& parameters, const OrderWork& work) const {
    Rows keys = stock_keys_.add_to(parameters);
    for (const OrderWork::Stock& one : std::span(work.stock).first(work.stock_count)) {
      keys.add({one.w_id, one.i_id});
    }
  }

  void add_stock(Parameters& parameters, const OrderWork& work) const {
    Rows rows = stock_.add_to(parameters);
    for (const OrderWork::Stock& one : std::span(work.stock).first(work.stock_count)) {
      if (!one.found) continue;
      rows.add({one.w_id, one.i_id, one.quantity, one.ytd, one.order_cnt, one.remote_cnt});
    }
  }

  void add_lines(Parameters& parameters, const OrderWork& work) const {
    Rows rows = lines_.add_to(parameters);
    std::int32_t number = 0;
    for (const NewOrderLine& line : work.input.lines()) {
      const auto place = static_cast<std::size_t>(number++);
      const OrderWork::Item* item = work.item_of_line.at(place);
      if (item == nullptr) continue;
      rows.add({work.input.w_id, work.input.d_id, work.o_id, number, line.i_id, line.supply_w_id,
                line.quantity, money_of_cents(line.quantity * item->price_cents),
                work.stock_of_line.at(place)->dist});
    }
  }

  // Sends the last request. A New-Order that must roll back (clause 2.4.1.4) writes first and then
  // rolls back.
  static Task<Outcome> finish(ServerSession& session, const Statement& last, Parameters parameters,
                              const NewOrderInput& input, Trace& trace) {
    Outcome outcome;
    outcome.committed = !input.rollback;
    if (input.rollback) {
      co_await session.execute(last.text, std::move(parameters));
      co_await session.roll_back();
      co_return outcome;
    }
    trace.commit_sent = true;
    co_await session.execute_and_commit(last.text, std::move(parameters));
    co_return outcome;
  }

  Task<Outcome> batched(ServerSession& session, const NewOrderInput& input, Trace& trace) override {
    OrderWork work(input);
    Values values = values_of(input);
    Parameters reading = values.of(batched_read_);
    add_item_ids(reading, work);
    add_stock_keys(reading, work);
    work.stock_result = co_await session.execute(batched_read_.text, std::move(reading), at_once);
    const QueryResult& read = work.stock_result;
    require_one_row(read.set(0), "customer");
    require_one_row(read.set(1), "warehouse");
    require_one_row(read.set(2), "district");
    trace.o_id = work.o_id = read.set(2).at(0, "d_next_o_id").int32();
    work.read_items(read.set(3));
    work.read_stock(read.set(4));
    work.take_stock();

    values.set({{"$o_id", work.o_id}});
    Parameters writing = values.of(batched_write_);
    add_stock(writing, work);
    add_lines(writing, work);
    co_return co_await finish(session, batched_write_, std::move(writing), input, trace);
  }

  Task<void> read_district(ServerSession& session, OrderWork& work, const Values& values) const {
    const QueryResult customer = co_await send(session, get_customer_, values);
    require_one_row(customer.set(0), "customer");
    const QueryResult warehouse = co_await send(session, get_warehouse_, values);
    require_one_row(warehouse.set(0), "warehouse");
    const QueryResult district = co_await send(session, get_district_, values);
    require_one_row(district.set(0), "district");
    work.o_id = district.set(0).at(0, "d_next_o_id").int32();
  }

  Task<void> read_lines(ServerSession& session, OrderWork& work, const Values& values) const {
    Parameters of_items;
    add_item_ids(of_items, work);
    const QueryResult items = co_await session.execute(get_items_.text, std::move(of_items));
    work.read_items(items.set(0));
    Parameters of_stock = values.of(get_stock_);
    add_stock_keys(of_stock, work);
    work.stock_result = co_await session.execute(get_stock_.text, std::move(of_stock));
    work.read_stock(work.stock_result.set(0));
    work.take_stock();
  }

  Task<Outcome> single(ServerSession& session, const NewOrderInput& input, Trace& trace) override {
    OrderWork work(input);
    Values values = values_of(input);
    co_await read_district(session, work, values);
    trace.o_id = work.o_id;
    values.set({{"$o_id", work.o_id}});
    co_await send(session, set_next_order_, values);
    co_await send(session, insert_new_order_, values);
    co_await send(session, insert_order_, values);
    co_await read_lines(session, work, values);
    Parameters of_stock;
    add_stock(of_stock, work);
    co_await session.execute(update_stock_.text, std::move(of_stock));
    Parameters of_lines;
    add_lines(of_lines, work);
    co_return co_await finish(session, insert_lines_, std::move(of_lines), input, trace);
  }

  RowsParameter stock_keys_ = keys_of("$stock_keys", 2);
  RowsParameter stock_ =
      rows_of("$stock", Table::Stock,
              {"s_w_id", "s_i_id", "s_quantity", "s_ytd", "s_order_cnt", "s_remote_cnt"});
  RowsParameter lines_ = rows_of("$lines", Table::OrderLine,
                                 {"ol_w_id", "ol_d_id", "ol_o_id", "ol_number", "ol_i_id",
                                  "ol_supply_w_id", "ol_quantity", "ol_amount", "ol_dist_info"});

  StatementTexts text_;
  Statement batched_read_ =
      text_.of({"no_i_ids", "no_customer", "no_warehouse", "no_district", "no_items", "no_stock"});
  Statement batched_write_ = text_.of({"no_set_next_order", "no_insert_new_order",
                                       "no_insert_order", "no_update_stock", "no_insert_lines"});
  Statement get_customer_ = text_.of({"no_customer"});
  Statement get_warehouse_ = text_.of({"no_warehouse"});
  Statement get_district_ = text_.of({"no_district"});
  Statement set_next_order_ = text_.of({"no_set_next_order"});
  Statement insert_new_order_ = text_.of({"no_insert_new_order"});
  Statement insert_order_ = text_.of({"no_insert_order"});
  Statement get_items_ = text_.of({"no_i_ids", "no_items"});
  Statement get_stock_ = text_.of({"no_stock"});
  Statement update_stock_ = text_.of({"no_update_stock"});
  Statement insert_lines_ = text_.of({"no_insert_lines"});
};

}  // namespace

std::unique_ptr<YdbTransaction> make_new_order(const YdbDatabase& database, StatementStyle style) {
  return std::make_unique<NewOrder>(database, style);
}

}  // namespace drover::tpcc::ydb
