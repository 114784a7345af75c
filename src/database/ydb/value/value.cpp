#include "database/ydb/value/value.h"

#include <fmt/format.h>
#include <google/protobuf/arena.h>

#include <array>
#include <cassert>
#include <iterator>
#include <limits>
#include <utility>

#include "database/error.h"
#include "query.pb.h"

namespace drover::database::ydb {

namespace {

// An arena of protobuf with its first block inside: small messages need one allocation in all.
template <std::size_t first_block_bytes>
struct ArenaBlock {
  ArenaBlock() : arena(block.data(), block.size()) {}

  alignas(8) std::array<char, first_block_bytes> block;  // NOLINT: the arena writes it
  google::protobuf::Arena arena;
};

template <class To, class From>
To exactly(From value) noexcept {
  assert(std::in_range<To>(value) && "a value does not fit into its type");
  return static_cast<To>(value);
}

template <class T, class Variant>
const T& as(const Variant& value) noexcept {
  const T* held = std::get_if<T>(&value);
  assert(held != nullptr && "a value is of another kind than its type");
  return *held;
}

constexpr std::size_t sets_most = 1000;

Error unreadable(const std::string& message) {
  return Error(ErrorClass::statement, "", message);
}

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

std::string yql_name(ScalarType type) {
  if (std::exchange(type.optional, false)) return yql_name(type) + "?";
  constexpr std::pair<Primitive, const char*> names[] = {
      {Primitive::boolean, "Bool"},       {Primitive::int32, "Int32"},
      {Primitive::int64, "Int64"},        {Primitive::uint64, "Uint64"},
      {Primitive::uint32, "Uint32"},      {Primitive::real, "Double"},
      {Primitive::bytes, "String"},       {Primitive::utf8, "Utf8"},
      {Primitive::timestamp, "Timestamp"}};
  for (const auto& [primitive, name] : names) {
    if (type.primitive == primitive) return name;
  }
  return fmt::format("Decimal({},{})", type.precision, type.scale);
}

void write_type(ScalarType type, Ydb::Type& out) {
  Ydb::Type& inner = type.optional ? *out.mutable_optional_type()->mutable_item() : out;
  if (type.primitive == Primitive::decimal) {
    inner.mutable_decimal_type()->set_precision(type.precision);
    inner.mutable_decimal_type()->set_scale(type.scale);
  } else {
    inner.set_type_id(static_cast<Ydb::Type::PrimitiveTypeId>(type.primitive));
  }
}

RowType::RowType(std::span<const Column> columns) {
  const auto list = std::make_shared<Ydb::Type>();
  Ydb::StructType& row = *list->mutable_list_type()->mutable_item()->mutable_struct_type();
  for (const Column& column : columns) {
    Ydb::StructMember& member = *row.add_members();
    member.set_name(std::string(column.name));
    write_type(column.type, *member.mutable_type());
    types_.push_back(column.type);
  }
  list_type_ = list;
}

RowType RowType::tuple(std::vector<ScalarType> types) {
  const auto list = std::make_shared<Ydb::Type>();
  Ydb::TupleType& row = *list->mutable_list_type()->mutable_item()->mutable_tuple_type();
  for (const ScalarType type : types) write_type(type, *row.add_elements());
  RowType made;
  made.types_ = std::move(types);
  made.list_type_ = list;
  return made;
}

std::string RowType::encoded_list_type() const {
  return list_type_->SerializeAsString();
}

std::string RowType::list_yql_name() const {
  const Ydb::Type& row = list_type_->list_type().item();
  std::string columns;
  for (std::size_t i = 0; i < types_.size(); ++i) {
    if (i > 0) columns += ", ";
    if (row.has_struct_type()) {
      columns += row.struct_type().members(static_cast<int>(i)).name() + ": ";
    }
    columns += yql_name(types_[i]);
  }
  return fmt::format("List<{}<{}>>", row.has_struct_type() ? "Struct" : "Tuple", columns);
}

template <class To>
To Cell::number() const noexcept {
  if (const auto* natural = std::get_if<std::uint64_t>(&value_)) return exactly<To>(*natural);
  return exactly<To>(as<std::int64_t>(value_));
}

void Cell::write(ScalarType type, Ydb::Value& out) const {
  if (std::holds_alternative<Null>(value_)) {
    assert(type.optional && "NULL for a type that has none");
    out.set_null_flag_value(google::protobuf::NULL_VALUE);
    return;
  }
  switch (type.primitive) {
    case Primitive::boolean:
      return out.set_bool_value(as<bool>(value_));
    case Primitive::int32:
      return out.set_int32_value(number<std::int32_t>());
    case Primitive::uint32:
      return out.set_uint32_value(number<std::uint32_t>());
    case Primitive::real:
      return out.set_double_value(as<double>(value_));
    case Primitive::int64:
      return out.set_int64_value(number<std::int64_t>());
    case Primitive::uint64:
    case Primitive::timestamp:
      return out.set_uint64_value(number<std::uint64_t>());
    case Primitive::utf8: {
      const std::string_view text = as<std::string_view>(value_);
      return out.set_text_value(text.data(), text.size());
    }
    case Primitive::bytes: {
      const std::string_view bytes = as<std::string_view>(value_);
      return out.set_bytes_value(bytes.data(), bytes.size());
    }
    case Primitive::decimal: {
      const Int128 digits = as<Decimal>(value_).digits;
      out.set_low_128(static_cast<std::uint64_t>(digits));
      return out.set_high_128(static_cast<std::uint64_t>(digits >> 64));
    }
  }
}

Rows::Rows(const RowType& type, Ydb::TypedValue& list) : type_(type), list_(*list.mutable_value()) {
  *list.mutable_type() = type.list_type();
}

void Rows::add(std::initializer_list<Cell> cells) {
  assert(cells.size() == type_.columns().size() && "a row has another number of columns");
  Ydb::Value& row = *list_.add_items();
  row.mutable_items()->Reserve(static_cast<int>(cells.size()));
  auto type = type_.columns().begin();
  for (const Cell& cell : cells) cell.write(*type++, *row.add_items());
}

// Large enough for the parameters of a statement with a few scalars, text included.
struct Parameters::Memory : ArenaBlock<4096> {};

Parameters::Parameters()
    : memory_(new Memory),
      request_(google::protobuf::Arena::CreateMessage<Ydb::Query::ExecuteQueryRequest>(
          &memory_->arena)) {}
Parameters::Parameters(Parameters&&) noexcept = default;
Parameters& Parameters::operator=(Parameters&&) noexcept = default;
Parameters::~Parameters() = default;

Ydb::TypedValue& Parameters::named(std::string_view name) {
  return (*request_->mutable_parameters())[std::string(name)];
}

void Parameters::add(std::string_view name, ScalarType type, const Cell& value) {
  Ydb::TypedValue& parameter = named(name);
  write_type(type, *parameter.mutable_type());
  value.write(type, *parameter.mutable_value());
}

void Parameters::add_list(std::string_view name, std::span<const std::int32_t> values) {
  Ydb::TypedValue& parameter = named(name);
  write_type(Primitive::int32, *parameter.mutable_type()->mutable_list_type()->mutable_item());
  for (const std::int32_t value : values) {
    parameter.mutable_value()->add_items()->set_int32_value(value);
  }
}

void Parameters::add_list(std::string_view name, std::span<const std::string> values) {
  Ydb::TypedValue& parameter = named(name);
  write_type(Primitive::utf8, *parameter.mutable_type()->mutable_list_type()->mutable_item());
  for (const std::string& value : values) {
    parameter.mutable_value()->add_items()->set_text_value(value);
  }
}

Rows Parameters::add_rows(std::string_view name, const RowType& type) {
  return Rows(type, named(name));
}

ValueView::ValueView(const Ydb::Value& value, const Ydb::Type& type) noexcept
    : value_(&value), type_(&type) {
  // Only the type shows an optional layer, except if the value is nested, to tell a NULL within
  // the layer from NULL.
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
  for (; scale < 2; ++scale) digits *= 10;  // at most 10^35 before, so no overflow
  if (digits > most || digits < -most) mistaken("an amount of cents of 64 bits");
  return static_cast<std::int64_t>(digits);
}

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
  // Only the first message of a set must have the columns.
  if (set.first == nullptr || set.first->columns_size() == 0) set.first = &added;
  set.rows.reserve(set.rows.size() + static_cast<std::size_t>(added.rows_size()));
  for (const Ydb::Value& row : added.rows()) set.rows.push_back(&row);
  set.truncated = set.truncated || added.truncated();
}

}  // namespace drover::database::ydb
