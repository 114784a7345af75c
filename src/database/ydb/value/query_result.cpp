#include "database/ydb/value/query_result.h"

#include <fmt/format.h>

#include <iterator>
#include <limits>

#include "database/error.h"
#include "database/ydb/value/arena_block.h"
#include "query.pb.h"

namespace drover::database::ydb {
namespace {

constexpr std::size_t sets_most = 1000;  // more than any statement has

Error unreadable(const std::string& message) {
  return Error(ErrorClass::statement, "", message);
}

}  // namespace

ValueView::ValueView(const Ydb::Value& value, const Ydb::Type& type) noexcept
    : value_(&value), type_(&type) {
  // A layer that is set shows in the type alone, but for those above the last one, whose value may
  // be nested to tell "set to NULL" from NULL.
  while (type_->has_optional_type()) {
    type_ = &type_->optional_type().item();
    if (value_->value_case() == Ydb::Value::kNullFlagValue) {
      value_ = nullptr;
      return;
    }
    if (value_->has_nested_value()) value_ = &value_->nested_value();
  }
  if (value_->value_case() == Ydb::Value::kNullFlagValue) value_ = nullptr;
}

void ValueView::mistaken(std::string_view expected) const {
  throw unreadable(fmt::format("a value of the result is {}: expected {}",
                               is_null() ? "NULL" : "of another type", expected));
}

bool ValueView::boolean() const {
  if (is_null() || !value_->has_bool_value()) mistaken("a Bool");
  return value_->bool_value();
}

std::int64_t ValueView::integer() const {
  if (!is_null()) {
    switch (value_->value_case()) {
      case Ydb::Value::kInt32Value:
        return value_->int32_value();
      case Ydb::Value::kUint32Value:
        return value_->uint32_value();
      case Ydb::Value::kInt64Value:
        return value_->int64_value();
      case Ydb::Value::kUint64Value:
        if (std::in_range<std::int64_t>(value_->uint64_value())) {
          return static_cast<std::int64_t>(value_->uint64_value());
        }
        break;
      default:
        break;
    }
  }
  mistaken("a whole number of 64 bits with a sign");
}

std::uint64_t ValueView::natural() const {
  if (!is_null() && value_->has_uint64_value()) return value_->uint64_value();
  const std::int64_t value = integer();
  if (value < 0) mistaken("a whole number that is not below 0");
  return static_cast<std::uint64_t>(value);
}

double ValueView::real() const {
  if (!is_null() && value_->has_double_value()) return value_->double_value();
  if (!is_null() && value_->has_float_value()) return static_cast<double>(value_->float_value());
  mistaken("a Double or Float");
}

std::string_view ValueView::text() const {
  if (!is_null() && value_->has_text_value()) return value_->text_value();
  if (!is_null() && value_->has_bytes_value()) return value_->bytes_value();
  mistaken("a String or Utf8");
}

Decimal ValueView::decimal() const {
  if (is_null() || !value_->has_low_128() || !type_->has_decimal_type()) mistaken("a Decimal");
  __extension__ using Uint128 = unsigned __int128;
  const Uint128 bits = (Uint128{value_->high_128()} << 64) | value_->low_128();
  return {static_cast<Int128>(bits)};
}

std::int64_t ValueView::cents() const {
  Int128 digits = decimal().digits;
  std::uint32_t scale = type_->decimal_type().scale();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  for (; scale > 2; --scale) {
    if (digits % 10 != 0) mistaken("a whole number of cents");
    digits /= 10;
  }
  for (; scale < 2; ++scale) digits *= 10;  // at most 10^35 before, so there is room
  if (digits > most || digits < -most) mistaken("an amount of cents of 64 bits");
  return static_cast<std::int64_t>(digits);
}

namespace {

void append_decimal(Int128 digits, std::uint32_t scale, std::string& out) {
  __extension__ using Uint128 = unsigned __int128;
  if (digits < 0) out += '-';
  Uint128 rest = digits < 0 ? -static_cast<Uint128>(digits) : static_cast<Uint128>(digits);
  std::string reversed;
  for (std::uint32_t place = 0; rest > 0 || place <= scale; ++place) {
    if (place == scale && scale > 0) reversed += '.';
    reversed += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  }
  out.append(reversed.rbegin(), reversed.rend());
}

}  // namespace

void ValueView::append_text(std::string& out) const {
  const auto back = std::back_inserter(out);
  if (type_->has_decimal_type()) {
    return append_decimal(decimal().digits, type_->decimal_type().scale(), out);
  }
  switch (value_->value_case()) {
    case Ydb::Value::kBoolValue:
      out += value_->bool_value() ? "true" : "false";
      return;
    case Ydb::Value::kUint64Value:
      fmt::format_to(back, "{}", value_->uint64_value());
      return;
    case Ydb::Value::kInt32Value:
    case Ydb::Value::kUint32Value:
    case Ydb::Value::kInt64Value:
      fmt::format_to(back, "{}", integer());
      return;
    case Ydb::Value::kDoubleValue:
      fmt::format_to(back, "{}", value_->double_value());
      return;
    case Ydb::Value::kFloatValue:
      fmt::format_to(back, "{}", value_->float_value());
      return;
    case Ydb::Value::kTextValue:
    case Ydb::Value::kBytesValue:
      out += text();
      return;
    default:
      mistaken("a single value, because a variable of a script cannot hold a list or a struct");
  }
}

std::size_t ResultSetView::columns() const noexcept {
  return data_->first == nullptr ? 0 : static_cast<std::size_t>(data_->first->columns_size());
}

std::string_view ResultSetView::name(std::size_t column) const {
  return data_->first->columns(static_cast<int>(column)).name();
}

std::size_t ResultSetView::column(std::string_view name) const {
  const std::size_t count = columns();
  for (std::size_t i = 0; i < count; ++i) {
    if (data_->first->columns(static_cast<int>(i)).name() == name) return i;
  }
  throw unreadable(fmt::format("the result has no column {}", one_line(name)));
}

ValueView ResultSetView::at(std::size_t row, std::size_t column) const {
  if (row >= rows() || column >= columns()) {
    throw unreadable(
        fmt::format("the result has {} rows of {} columns. Row {}, column {} is missing", rows(),
                    columns(), row, column));
  }
  const Ydb::Value& values = *data_->rows[row];
  const auto index = static_cast<int>(column);
  if (index >= values.items_size()) {
    throw unreadable("a row of the result has fewer values than columns");
  }
  return ValueView(values.items(index), data_->first->columns(index).type());
}

struct QueryResult::Memory : ArenaBlock<8192> {
  std::vector<ResultSetView::Data> sets;
};

QueryResult::QueryResult() : memory_(new Memory) {}
QueryResult::QueryResult(QueryResult&&) noexcept = default;
QueryResult& QueryResult::operator=(QueryResult&&) noexcept = default;
QueryResult::~QueryResult() = default;

std::size_t QueryResult::sets() const noexcept {
  return memory_->sets.size();
}

ResultSetView QueryResult::set(std::size_t i) const {
  if (i >= memory_->sets.size()) {
    throw unreadable(fmt::format("the statement returned {} result sets, and set {} is missing",
                                 memory_->sets.size(), i));
  }
  return ResultSetView(memory_->sets[i]);
}

Ydb::Query::ExecuteQueryResponsePart& QueryResult::add_part() {
  return *google::protobuf::Arena::CreateMessage<Ydb::Query::ExecuteQueryResponsePart>(
      &memory_->arena);
}

void QueryResult::take_in(Ydb::Query::ExecuteQueryResponsePart& part) {
  if (!part.has_result_set()) return;
  const auto index = static_cast<std::uint64_t>(part.result_set_index());
  if (index >= sets_most) throw unreadable("the number of a result set is out of range");
  if (index >= memory_->sets.size()) memory_->sets.resize(index + 1);
  ResultSetView::Data& set = memory_->sets[index];
  const Ydb::ResultSet& added = part.result_set();
  // Later parts of a set may come without the columns.
  if (set.first == nullptr || set.first->columns_size() == 0) set.first = &added;
  set.rows.reserve(set.rows.size() + static_cast<std::size_t>(added.rows_size()));
  for (const Ydb::Value& row : added.rows()) set.rows.push_back(&row);
  set.truncated = set.truncated || added.truncated();
}

}  // namespace drover::database::ydb
