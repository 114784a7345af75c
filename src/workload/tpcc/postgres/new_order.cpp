// New-Order (clause 2.4). The shapes batched, by_row and by_warehouse take two round trips. The
// shape single sends four statements a line; the two of them that write go together for all lines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <vector>

#include "database/error.h"
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {
namespace {

constexpr std::size_t lines_max = order_lines_max;

const Statement get_customer = statement("no_customer");
const Statement get_warehouse = statement("no_warehouse");
const Statement take_order_id = statement("no_take_order_id");
const Statement insert_order = statement("no_insert_order");
const Statement insert_new_order = statement("no_insert_new_order");

const Statement take_stock = statement("no_take_stock");
const Statement insert_lines = statement("no_insert_lines");

const Statement get_item = statement("no_item");
const Statement get_stock = statement("no_stock");
const Statement update_stock = statement("no_update_stock");
const Statement insert_line = statement("no_insert_line");

const Statement get_items = statement("no_items");

// Returns `count` statements NAME_1, NAME_2, …, with text_of(i) for the name in braces.
template <class TextOf>
std::vector<Statement> variants_of(const char* name, const char* in_braces, std::size_t count,
                                   TextOf text_of) {
  static std::deque<std::string> names;  // the statements hold pointers to them
  std::vector<Statement> all;
  for (std::size_t i = 1; i <= count; ++i) {
    const std::string& variant = names.emplace_back(fmt::format("{}_{}", name, i));
    all.push_back({variant.c_str(), statement(name, {{in_braces, text_of(i)}}).sql});
  }
  return all;
}

// Returns VALUES of `count` lines: $1 to $3 are the order's key, and each line has six parameters.
std::string values_of_lines(std::size_t count) {
  std::string values;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = 4 + 6 * i;
    values += fmt::format(
        "{}($1::int4, $2::int4, $3::int4, ${}::int4, ${}::int4, ${}::int4, NULL, ${}::int4, "
        "${}::int4 * 0.01, ${}::text)",
        i == 0 ? "" : ", ", first, first + 1, first + 2, first + 3, first + 4, first + 5);
  }
  return values;
}

const std::vector<Statement> take_stock_by_district =
    variants_of("no_take_stock_of_warehouse", "s_dist_of_district", districts_per_warehouse,
                [](std::size_t d_id) { return fmt::format("s_dist_{:02}", d_id); });
const std::vector<Statement> insert_lines_by_count =
    variants_of("no_insert_lines_as_values", "lines", lines_max, values_of_lines);

const Statement get_district_for_update = statement("no_district");
const Statement advance_district = statement("no_advance_district");

// Brand or generic, which the terminal also shows (clause 2.4.2.2): brand if both texts contain
// ORIGINAL.
char brand_generic(std::string_view i_data, std::string_view s_data) noexcept {
  constexpr std::string_view original = "ORIGINAL";
  const bool brand = i_data.find(original) != std::string_view::npos &&
                     s_data.find(original) != std::string_view::npos;
  return brand ? 'B' : 'G';
}

// The columns of the lines, as the statements take them.
struct LineColumns {
  std::array<std::int32_t, lines_max> number{};
  std::array<std::int32_t, lines_max> i_id{};
  std::array<std::int32_t, lines_max> w_id{};
  std::array<std::int32_t, lines_max> quantity{};
  std::array<std::int32_t, lines_max> amount{};
  std::array<std::string_view, lines_max> dist{};
  std::size_t count = 0;

  template <class T>
  std::span<const T> of(const std::array<T, lines_max>& column) const {
    return {column.data(), count};
  }

  void add(std::int32_t line, const NewOrderLine& order_line) {
    number[count] = line;
    i_id[count] = order_line.i_id;
    w_id[count] = order_line.supply_w_id;
    quantity[count] = order_line.quantity;
    ++count;
  }
};

// An UPDATE changes a row only once, even if the row is joined several times. An item that an order
// requests twice from the same warehouse therefore goes into a second round.
struct Rounds {
  std::array<LineColumns, lines_max> columns;
  std::size_t count = 0;
};

using LineOrder = std::array<std::int32_t, lines_max>;

// Returns the indexes of the lines in the order in which their stock is locked.
LineOrder order_of_locks(const NewOrderInput& input) {
  LineOrder order{};
  const auto lines = input.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) order[i] = static_cast<std::int32_t>(i);
  const auto key = [&](std::int32_t i) {
    const NewOrderLine& line = lines[static_cast<std::size_t>(i)];
    return std::tuple(line.supply_w_id, line.i_id, i);
  };
  std::sort(order.begin(), order.begin() + input.ol_cnt,
            [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
  return order;
}

void split_into_rounds(const NewOrderInput& input, Rounds& rounds) {
  const LineOrder order = order_of_locks(input);
  const auto lines = input.lines();
  std::size_t repeats = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const NewOrderLine& line = lines[static_cast<std::size_t>(order[i])];
    const bool repeated = i > 0 && [&] {
      const NewOrderLine& before = lines[static_cast<std::size_t>(order[i - 1])];
      return before.i_id == line.i_id && before.supply_w_id == line.supply_w_id;
    }();
    repeats = repeated ? repeats + 1 : 0;
    rounds.columns[repeats].add(order[i] + 1, line);
    rounds.count = std::max(rounds.count, repeats + 1);
  }
}

// The stock of each line, by its number. `found` is unset for an item that does not exist.
struct LineAnswer {
  bool found = false;
  std::int32_t price_cents = 0;
  std::int32_t s_quantity = 0;
  std::string_view dist;
  char brand_generic = 'G';
};
using LineAnswers = std::array<LineAnswer, lines_max>;

void read_stock(const Result& stock, LineAnswers& answers) {
  for (int row = 0; row < stock.rows(); ++row) {
    LineAnswer& answer = answers[static_cast<std::size_t>(stock.int4(row, 0) - 1)];
    answer.found = true;
    answer.price_cents = stock.int4(row, 1);
    answer.s_quantity = stock.int4(row, 2);
    answer.dist = stock.text(row, 3);
    answer.brand_generic = brand_generic(stock.text(row, 5), stock.text(row, 6));
  }
}

// Returns the lines whose item exists: the rows of order_line.
void price_lines(const NewOrderInput& input, const LineAnswers& answers, LineColumns& columns) {
  for (std::size_t i = 0; i < input.lines().size(); ++i) {
    if (!answers[i].found) continue;
    const NewOrderLine& line = input.lines()[i];
    columns.amount[columns.count] = line.quantity * answers[i].price_cents;
    columns.dist[columns.count] = answers[i].dist;
    columns.add(static_cast<std::int32_t>(i + 1), line);
  }
}

// Throws unless every line has found its stock, except the line with an item that does not exist.
void require_lines(const NewOrderInput& input, std::size_t found) {
  const std::size_t expected = input.lines().size() - (input.rollback ? 1 : 0);
  if (found == expected) return;
  throw RowsMissing(database::ErrorClass::statement, "",
                    fmt::format("{} of {} lines of an order at warehouse {} have no row in item or "
                                "stock. Check the data with 'drover tpcc check'",
                                expected - found, expected, input.w_id));
}

// The first four results belong to the statements before the lines.
constexpr std::size_t lines_from = 4;

void send_head(Connection& connection, const NewOrderInput& input) {
  connection.send(begin_statement);
  connection.send(get_customer, input.w_id, input.d_id, input.c_id);
  connection.send(get_warehouse, input.w_id);
  connection.send(take_order_id, input.w_id, input.d_id);
}

// Returns the order's number.
std::int32_t read_head(const Results& read, Trace& trace) {
  require_one_row(read[1], "customer");
  require_one_row(read[2], "warehouse");
  require_one_row(read[3], "district");
  trace.o_id = read[3].int4(0, 0);
  return trace.o_id;
}

void send_order(Connection& connection, const NewOrderInput& input, std::int32_t o_id) {
  connection.send(insert_order, input.w_id, input.d_id, o_id, input.c_id, input.ol_cnt,
                  std::int32_t{input.all_local});
  connection.send(insert_new_order, input.w_id, input.d_id, o_id);
}

// Sends the queued statements, followed by COMMIT or ROLLBACK.
coro::Task<Results> end_order(Connection& connection, const NewOrderInput& input, Trace& trace) {
  if (!input.rollback) return commit(connection, trace);
  connection.send(rollback_statement);
  return connection.run();
}

Outcome outcome_of(const NewOrderInput& input) {
  Outcome outcome;
  outcome.committed = !input.rollback;
  return outcome;
}

coro::Task<Outcome> batched(Connection& connection, const NewOrderInput& input, Trace& trace) {
  Rounds rounds;
  split_into_rounds(input, rounds);
  send_head(connection, input);
  for (std::size_t i = 0; i < rounds.count; ++i) {
    const LineColumns& l = rounds.columns[i];
    connection.send(take_stock, input.w_id, input.d_id, l.of(l.number), l.of(l.i_id), l.of(l.w_id),
                    l.of(l.quantity));
  }
  const Results read = co_await connection.run();
  const std::int32_t o_id = read_head(read, trace);
  LineAnswers answers;
  for (std::size_t i = 0; i < rounds.count; ++i) read_stock(read[lines_from + i], answers);

  LineColumns lines;
  price_lines(input, answers, lines);
  require_lines(input, lines.count);
  send_order(connection, input, o_id);
  connection.send(insert_lines, input.w_id, input.d_id, o_id, lines.of(lines.number),
                  lines.of(lines.i_id), lines.of(lines.w_id), lines.of(lines.quantity),
                  lines.of(lines.amount), lines.of(lines.dist));
  const Results written = co_await end_order(connection, input, trace);
  require_written(written[0], 1, "oorder");
  require_written(written[1], 1, "new_order");
  require_written(written[2], static_cast<std::int64_t>(lines.count), "order_line");
  co_return outcome_of(input);
}

// The lines whose stock one statement changes: of one warehouse, and each item once.
struct StockGroup {
  std::int32_t w_id = 0;
  LineColumns lines = {};
};

std::vector<StockGroup> group_by_warehouse(const NewOrderInput& input) {
  Rounds rounds;
  split_into_rounds(input, rounds);
  std::vector<StockGroup> groups;
  for (std::size_t round = 0; round < rounds.count; ++round) {
    const LineColumns& lines = rounds.columns[round];
    for (std::size_t i = 0; i < lines.count; ++i) {
      const bool is_new = i == 0 || lines.w_id[i] != lines.w_id[i - 1];
      if (is_new) groups.push_back({.w_id = lines.w_id[i]});
      const auto number = static_cast<std::size_t>(lines.number[i] - 1);
      groups.back().lines.add(lines.number[i], input.lines()[number]);
    }
  }
  return groups;
}

void send_groups(Connection& connection, const NewOrderInput& input,
                 std::span<const StockGroup> groups) {
  // The statement before has checked that the district exists.
  const std::int32_t d_id = std::clamp(input.d_id, 1, districts_per_warehouse);
  const Statement& take = take_stock_by_district.at(static_cast<std::size_t>(d_id - 1));
  for (const StockGroup& group : groups) {
    const LineColumns& l = group.lines;
    connection.send(take, group.w_id, std::int32_t{group.w_id != input.w_id}, l.of(l.i_id),
                    l.of(l.quantity));
  }
}

// Returns the index of the line in a group that has this item.
std::size_t line_of(const LineColumns& lines, std::int32_t i_id) {
  const auto ids = lines.of(lines.i_id);
  const auto place = static_cast<std::size_t>(std::ranges::find(ids, i_id) - ids.begin());
  return static_cast<std::size_t>(lines.number.at(place) - 1);
}

// A line is found if both its item and its stock exist.
void read_group(const StockGroup& group, const Result& items, const Result& stock,
                LineAnswers& answers) {
  for (int row = 0; row < stock.rows(); ++row) {
    const std::int32_t i_id = stock.int4(row, 0);
    LineAnswer& answer = answers.at(line_of(group.lines, i_id));
    for (int item = 0; item < items.rows(); ++item) {
      if (items.int4(item, 0) != i_id) continue;
      answer.found = true;
      answer.price_cents = items.int4(item, 1);
      answer.brand_generic = brand_generic(items.text(item, 2), stock.text(row, 3));
    }
    answer.s_quantity = stock.int4(row, 1);
    answer.dist = stock.text(row, 2);
  }
}

void send_lines_as_values(Connection& connection, const NewOrderInput& input, std::int32_t o_id,
                          const LineColumns& lines) {
  connection.send_list(insert_lines_by_count.at(lines.count - 1), [&](auto& parameters) {
    for (const std::int32_t key : {input.w_id, input.d_id, o_id}) parameters.add(key);
    for (std::size_t i = 0; i < lines.count; ++i) {
      for (const auto* column :
           {&lines.number, &lines.i_id, &lines.w_id, &lines.quantity, &lines.amount}) {
        parameters.add((*column)[i]);
      }
      parameters.add(lines.dist[i]);
    }
  });
}

coro::Task<Outcome> by_warehouse(Connection& connection, const NewOrderInput& input, Trace& trace) {
  const std::vector<StockGroup> groups = group_by_warehouse(input);
  std::array<std::int32_t, lines_max> i_ids{};
  std::ranges::transform(input.lines(), i_ids.begin(), &NewOrderLine::i_id);
  send_head(connection, input);
  connection.send(get_items, std::span<const std::int32_t>(i_ids).first(input.lines().size()));
  send_groups(connection, input, groups);
  const Results read = co_await connection.run();
  const std::int32_t o_id = read_head(read, trace);
  LineAnswers answers;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    read_group(groups[i], read[lines_from], read[lines_from + 1 + i], answers);
  }
  LineColumns lines;
  price_lines(input, answers, lines);
  require_lines(input, lines.count);
  send_order(connection, input, o_id);
  if (lines.count > 0) send_lines_as_values(connection, input, o_id, lines);
  const Results written = co_await end_order(connection, input, trace);
  require_written(written[0], 1, "oorder");
  require_written(written[1], 1, "new_order");
  if (lines.count > 0) {
    require_written(written[2], static_cast<std::int64_t>(lines.count), "order_line");
  }
  co_return outcome_of(input);
}

// The values to write for a line, computed after all lines were read.
struct LineWrite {
  std::int32_t number = 0;
  std::int32_t s_quantity = 0;
  std::int32_t amount = 0;
  std::string dist;
};

// The stock that earlier lines have left, which the database does not have yet.
std::int32_t quantity_left(const NewOrderInput& input, std::span<const LineWrite> before,
                           const NewOrderLine& line, std::int32_t in_database) {
  std::int32_t left = in_database;
  for (const LineWrite& write : before) {
    const NewOrderLine& other = input.lines()[static_cast<std::size_t>(write.number - 1)];
    if (other.i_id == line.i_id && other.supply_w_id == line.supply_w_id) left = write.s_quantity;
  }
  return left;
}

// Returns true for the line with an item that does not exist (clause 2.4.1.5).
bool is_rolled_back_at(const NewOrderInput& input, std::int32_t number) noexcept {
  return input.rollback && number == input.ol_cnt;
}

// Adds the values to write for a line whose item and stock were read.
void add_line_write(const NewOrderInput& input, std::int32_t number, const Result& item,
                    const Result& stock, std::vector<LineWrite>& writes) {
  const NewOrderLine& line = input.lines()[static_cast<std::size_t>(number - 1)];
  if (item.rows() == 0 && is_rolled_back_at(input, number)) return;
  if (item.rows() != 1) require_one_row(item, fmt::format("item {}", line.i_id));
  if (stock.rows() != 1) {
    require_one_row(stock,
                    fmt::format("stock of item {} at warehouse {}", line.i_id, line.supply_w_id));
  }
  const std::int32_t before = quantity_left(input, writes, line, stock.int4(0, 0));
  LineWrite write;
  write.number = number;
  write.s_quantity =
      before >= line.quantity + 10 ? before - line.quantity : before - line.quantity + 91;
  write.amount = line.quantity * item.int4(0, 0);
  write.dist = stock.text(0, 1);
  writes.push_back(std::move(write));
}

coro::Task<void> read_line_single(Connection& connection, const NewOrderInput& input,
                                  std::int32_t number, std::vector<LineWrite>& writes) {
  const NewOrderLine& line = input.lines()[static_cast<std::size_t>(number - 1)];
  const Result item = co_await connection.execute(get_item, line.i_id);
  if (item.rows() == 0 && is_rolled_back_at(input, number)) co_return;
  const Result stock =
      co_await connection.execute(get_stock, line.supply_w_id, line.i_id, input.d_id);
  add_line_write(input, number, item, stock, writes);
}

void send_line_writes(Connection& connection, const NewOrderInput& input, std::int32_t o_id,
                      std::span<const LineWrite> writes) {
  for (const LineWrite& write : writes) {
    const NewOrderLine& line = input.lines()[static_cast<std::size_t>(write.number - 1)];
    const std::int32_t remote = line.supply_w_id == input.w_id ? 0 : 1;
    connection.send(update_stock, line.supply_w_id, line.i_id, write.s_quantity, line.quantity,
                    remote);
    connection.send(insert_line, input.w_id, input.d_id, o_id, write.number, line.i_id,
                    line.supply_w_id, line.quantity, write.amount, std::string_view(write.dist));
  }
}

// Checks the results of the statements of send_line_writes().
void require_lines_written(std::span<const Result> written) {
  for (std::size_t i = 0; i + 1 < written.size(); i += 2) {
    require_written(written[i], 1, "stock");
    require_written(written[i + 1], 1, "order_line");
  }
}

coro::Task<Outcome> by_row(Connection& connection, const NewOrderInput& input, Trace& trace) {
  const LineOrder order = order_of_locks(input);
  send_head(connection, input);
  for (std::size_t i = 0; i < input.lines().size(); ++i) {
    const NewOrderLine& line = input.lines()[static_cast<std::size_t>(order[i])];
    connection.send(get_item, line.i_id);
    connection.send(get_stock, line.supply_w_id, line.i_id, input.d_id);
  }
  const Results read = co_await connection.run();
  const std::int32_t o_id = read_head(read, trace);
  std::vector<LineWrite> writes;
  writes.reserve(lines_max);
  for (std::size_t i = 0; i < input.lines().size(); ++i) {
    add_line_write(input, order[i] + 1, read[lines_from + 2 * i], read[lines_from + 2 * i + 1],
                   writes);
  }
  send_line_writes(connection, input, o_id, writes);
  send_order(connection, input, o_id);
  const Results written = co_await end_order(connection, input, trace);
  require_lines_written(std::span(written).first(2 * writes.size()));
  require_written(written[2 * writes.size()], 1, "oorder");
  require_written(written[2 * writes.size() + 1], 1, "new_order");
  co_return outcome_of(input);
}

coro::Task<Outcome> single(Connection& connection, const NewOrderInput& input, Trace& trace) {
  connection.send(begin_statement);
  connection.send(get_warehouse, input.w_id);
  const Results first = co_await connection.run();
  require_one_row(first[1], "warehouse");
  const Result customer =
      co_await connection.execute(get_customer, input.w_id, input.d_id, input.c_id);
  require_one_row(customer, "customer");
  const Result district =
      co_await connection.execute(get_district_for_update, input.w_id, input.d_id);
  require_one_row(district, "district");
  const std::int32_t o_id = district.int4(0, 0);
  trace.o_id = o_id;
  const Result advanced =
      co_await connection.execute(advance_district, input.w_id, input.d_id, o_id);
  require_written(advanced, 1, "district");
  const Result inserted =
      co_await connection.execute(insert_order, input.w_id, input.d_id, o_id, input.c_id,
                                  input.ol_cnt, std::int32_t{input.all_local});
  require_written(inserted, 1, "oorder");
  const Result queued = co_await connection.execute(insert_new_order, input.w_id, input.d_id, o_id);
  require_written(queued, 1, "new_order");

  std::vector<LineWrite> writes;
  writes.reserve(lines_max);
  for (std::int32_t number = 1; number <= input.ol_cnt; ++number) {
    co_await read_line_single(connection, input, number, writes);
  }
  send_line_writes(connection, input, o_id, writes);
  const Results written = co_await connection.run();
  require_lines_written(written);
  co_await end_order(connection, input, trace);
  co_return outcome_of(input);
}

std::vector<Statement> by_warehouse_statements() {
  std::vector<Statement> all = {get_customer, get_warehouse,    take_order_id,
                                insert_order, insert_new_order, get_items};
  all.insert(all.end(), take_stock_by_district.begin(), take_stock_by_district.end());
  all.insert(all.end(), insert_lines_by_count.begin(), insert_lines_by_count.end());
  return all;
}

}  // namespace

const StatementSets new_order_statements{
    .batched = {get_customer, get_warehouse, take_order_id, insert_order, insert_new_order,
                take_stock, insert_lines},
    .single = {get_customer, get_warehouse, get_district_for_update, advance_district, insert_order,
               insert_new_order, get_item, get_stock, update_stock, insert_line},
    .by_row = {get_customer, get_warehouse, take_order_id, insert_order, insert_new_order, get_item,
               get_stock, update_stock, insert_line},
    .by_warehouse = by_warehouse_statements()};

coro::Task<Outcome> perform(Connection& connection, const NewOrderInput& input, Trace& trace,
                            Shape shape) {
  if (shape == Shape::by_row) return by_row(connection, input, trace);
  if (shape == Shape::by_warehouse) return by_warehouse(connection, input, trace);
  return shape == Shape::single ? single(connection, input, trace)
                                : batched(connection, input, trace);
}

}  // namespace drover::tpcc::postgres
