#include "workload/ycsb/postgres/resolve.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "workload/ycsb/keys.h"
#include "workload/ycsb/postgres/table.h"
#include "workload/ycsb/resolution.h"

namespace drover::ycsb::postgres {
namespace {

using database::Resolution;
using database::postgres::Result;

}  // namespace

coro::Task<std::vector<Resolution>> resolve_doubts(database::postgres::Connection& connection,
                                                   const Properties& properties, ValueKind values,
                                                   std::span<const Doubt> doubts) {
  const Table table(properties);
  const std::string sql = fmt::format("SELECT {} FROM {} WHERE {} = $1::text", table.all_fields(),
                                      table.name(), key_column);
  const auto fields = static_cast<std::uint32_t>(table.field_count());
  std::vector<Resolution> answers;
  for (const Doubt& doubt : doubts) {
    const std::uint64_t number = doubt.operation.key;
    const KeyName key(number, properties.insert_order, properties.zero_padding);
    const Result row = co_await connection.query(sql, key.view());
    Resolution answer = Resolution::not_committed;
    if (row.rows() > 0 && doubt.operation.type == OperationType::insert) {
      answer = Resolution::committed;
    } else if (row.rows() > 0) {
      const std::uint64_t shown = shown_number(number, properties.insert_order);
      const auto text_of = [&row](std::uint32_t field) {
        return row.text(0, static_cast<int>(field));
      };
      answer = resolution_of(doubt, shown, values, fields, text_of);
    }
    answers.push_back(answer);
  }
  co_return answers;
}

}  // namespace drover::ycsb::postgres
