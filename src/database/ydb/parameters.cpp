#include "database/ydb/parameters.h"

#include <google/protobuf/arena.h>

#include <array>
#include <cassert>
#include <string>

#include "query.pb.h"

namespace drover::database::ydb {
namespace {

// What the parameters of a statement with a few scalars need, text included.
constexpr std::size_t first_block_bytes = 4096;

google::protobuf::ArenaOptions options_of(std::array<char, first_block_bytes>& block) {
  google::protobuf::ArenaOptions options;
  options.initial_block = block.data();
  options.initial_block_size = block.size();
  return options;
}

}  // namespace

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

std::size_t Rows::size() const noexcept {
  return static_cast<std::size_t>(list_.items_size());
}

struct Parameters::Memory {
  Memory() : arena(options_of(block)) {}

  alignas(8) std::array<char, first_block_bytes> block;  // NOLINT: the arena writes it
  google::protobuf::Arena arena;
};

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

Ydb::Value& Parameters::begin_list(std::string_view name, ScalarType type) {
  Ydb::TypedValue& parameter = named(name);
  write_type(type, *parameter.mutable_type()->mutable_list_type()->mutable_item());
  return *parameter.mutable_value();
}

void Parameters::add_item(Ydb::Value& list, ScalarType type, const Cell& value) {
  value.write(type, *list.add_items());
}

Rows Parameters::add_rows(std::string_view name, const RowType& type) {
  return Rows(type, named(name));
}

}  // namespace drover::database::ydb
