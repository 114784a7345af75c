#include "database/ydb/value_type.h"

#include "types.pb.h"

namespace drover::database::ydb {

void write_type(ScalarType type, Ydb::Type& out) {
  Ydb::Type& inner = type.optional ? *out.mutable_optional_type()->mutable_item() : out;
  if (type.primitive == Primitive::decimal) {
    inner.mutable_decimal_type()->set_precision(type.precision);
    inner.mutable_decimal_type()->set_scale(type.scale);
  } else {
    inner.set_type_id(static_cast<Ydb::Type::PrimitiveTypeId>(type.primitive));
  }
}

RowType::RowType() : list_type_(std::make_unique<Ydb::Type>()) {}
RowType::RowType(RowType&&) noexcept = default;
RowType& RowType::operator=(RowType&&) noexcept = default;
RowType::~RowType() = default;

RowType::RowType(std::initializer_list<Column> columns) : RowType() {
  Ydb::StructType& row = *list_type_->mutable_list_type()->mutable_item()->mutable_struct_type();
  for (const Column& column : columns) {
    Ydb::StructMember& member = *row.add_members();
    member.set_name(column.name);
    write_type(column.type, *member.mutable_type());
    types_.push_back(column.type);
  }
}

RowType RowType::tuple(std::initializer_list<ScalarType> types) {
  RowType made;
  Ydb::TupleType& row = *made.list_type_->mutable_list_type()->mutable_item()->mutable_tuple_type();
  for (const ScalarType type : types) {
    write_type(type, *row.add_elements());
    made.types_.push_back(type);
  }
  return made;
}

}  // namespace drover::database::ydb
