#include "database/ydb/admin_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace drover::database::ydb {
namespace {

using coro::Task;

// The YDB type of each alternative of AdminParameter::value, in their order.
constexpr Primitive admin_types[] = {Primitive::boolean, Primitive::int32, Primitive::int64,
                                     Primitive::uint64, Primitive::utf8};

Parameters parameters_of(const std::vector<AdminParameter>& parameters) {
  Parameters made;
  for (const AdminParameter& one : parameters) {
    const auto add = [&](const auto& value) {
      made.add(one.name, admin_types[one.value.index()], value);
    };
    std::visit(add, one.value);
  }
  return made;
}

AdminRows rows_of(const QueryResult& result) {
  if (result.sets() == 0) return {};
  const ResultSetView set = result.set(0);
  std::vector<std::string> columns;
  for (std::size_t column = 0; column < set.columns(); ++column) {
    columns.emplace_back(set.name(column));
  }
  std::vector<AdminRows::Cell> cells;
  for (std::size_t row = 0; row < set.rows(); ++row) {
    for (std::size_t column = 0; column < set.columns(); ++column) {
      AdminRows::Cell& cell = cells.emplace_back();
      const ValueView value = set.at(row, column);
      if (!value.is_null()) value.append_text(cell.emplace());
    }
  }
  return AdminRows(std::move(columns), std::move(cells));
}

}  // namespace

Task<AdminRows> YdbAdminSession::query(std::string text, std::vector<AdminParameter> parameters) {
  std::string declared;
  for (const AdminParameter& one : parameters) {
    declared +=
        fmt::format("DECLARE {} AS {};\n", one.name, yql_name(admin_types[one.value.index()]));
  }
  const QueryResult result =
      co_await access_.query(declared + text, [&parameters] { return parameters_of(parameters); });
  co_return rows_of(result);
}

Task<std::vector<bool>> YdbAdminSession::tables_exist(std::vector<std::string> names) {
  const std::vector<std::string> there = co_await access_.table_names();
  std::vector<bool> exist;
  for (const std::string& name : names) {
    exist.push_back(std::ranges::find(there, name) != there.end());
  }
  co_return exist;
}

bool YdbAdminSession::is_unknown_column(const Error& error) const noexcept {
  const auto* ydb_error = dynamic_cast<const YdbError*>(&error);
  return ydb_error != nullptr && is_of_text(*ydb_error);
}

}  // namespace drover::database::ydb
