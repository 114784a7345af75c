#include "workload/tpcc/ydb/transactions.h"

#include <fmt/format.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>

#include "database/error.h"
#include "workload/tpcc/sql_text.h"
#include "workload/tpcc/ydb/transactions.yql.h"

namespace drover::tpcc::ydb {

using database::ydb::Parameters;
using database::ydb::Primitive;
using database::ydb::RowType;
using database::ydb::ScalarType;

namespace {

bool is_of_name(char letter) noexcept {
  return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
}

// Returns true if the text names the parameter and does not define the name itself, as in "$next =
// (SELECT …".
bool wants(std::string_view text, std::string_view name) {
  bool named = false;
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::string_view rest = text.substr(at + name.size());
    if (!rest.empty() && is_of_name(rest.front())) continue;
    if (rest.starts_with(" = (SELECT")) return false;
    named = true;
  }
  return named;
}

}  // namespace

void Values::set(std::initializer_list<Argument> values) {
  for (const Argument& argument : values) values_.at(argument.parameter.place()) = argument.value;
}

Parameters Values::of(const Statement& statement) const {
  Parameters parameters;
  for (const std::size_t place : statement.scalars) {
    const auto& [name, type] = ScalarParameter::all.at(place);
    parameters.add(name, type, values_.at(place));
  }
  return parameters;
}

RowsParameter rows_of(std::string name, Table table,
                      std::initializer_list<std::string_view> columns) {
  std::vector<Column> written;
  for (const std::string_view column : columns) {
    const auto all = ydb::columns(table);
    const auto place = std::ranges::find(all, column, &Column::name);
    written.push_back(*place);
    written.back().type.optional = false;
  }
  return {std::move(name), RowType(written)};
}

RowsParameter keys_of(std::string name, std::size_t columns) {
  return {std::move(name), RowType::tuple(std::vector<ScalarType>(columns, Primitive::int32))};
}

Statement StatementTexts::of(std::initializer_list<std::string_view> names) const {
  static const NamedTexts texts = named_texts(transactions_yql);
  std::string body;
  for (const std::string_view name : names) {
    body += "\n" + filled_in(text_named(texts, name).text, texts);
  }
  return whole(body);
}

Statement StatementTexts::whole(std::string_view body) const {
  Statement made{pragma_};
  for (std::size_t place = 0; place < ScalarParameter::all.size(); ++place) {
    const auto& [name, type] = ScalarParameter::all.at(place);
    if (!wants(body, name)) continue;
    made.text += fmt::format("DECLARE {} AS {};\n", name, yql_name(type));
    made.scalars.push_back(place);
  }
  for (const RowsParameter* rows : rows_) {
    if (!wants(body, rows->name)) continue;
    made.text += fmt::format("DECLARE {} AS {};\n", rows->name, rows->type.list_yql_name());
  }
  made.text += body;
  return made;
}

namespace {

std::int64_t next_number() {
  static std::atomic<std::uint32_t> numbers{std::random_device()()};
  return numbers.fetch_add(1, std::memory_order_relaxed) % HistoryKeys::per_microsecond;
}

}  // namespace

void set_choice(Values& values, const CustomerChoice& choice) {
  if (choice.by_name) {
    values.set({{"$c_last", choice.c_last_text()}});
  } else {
    values.set({{"$c_id", choice.c_id}});
  }
}

std::int64_t now_us() noexcept {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

std::int64_t marked_now_us(std::uint32_t mark) noexcept {
  constexpr std::int64_t second = Trace::marks;
  return now_us() / second * second + mark;
}

std::size_t middle_row(const ResultSetView& customers) {
  if (customers.rows() == 0) require_one_row(customers, "customer of that name");
  return (customers.rows() + 1) / 2 - 1;
}

HistoryKeys::HistoryKeys() : number_(next_number()) {}

std::int64_t HistoryKeys::next() noexcept {
  last_us_ = std::max(now_us(), last_us_ + 1);
  return last_us_ * per_microsecond + number_;
}

}  // namespace drover::tpcc::ydb
