#include "database/ydb/value/value.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "database/ydb/value/arena_block.h"
#include "query.pb.h"

namespace drover::database::ydb {

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

namespace {

// Narrows without losing anything.
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

}  // namespace

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

// What the parameters of a statement with a few scalars need, text included.
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

}  // namespace drover::database::ydb
