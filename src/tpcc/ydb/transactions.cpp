#include "tpcc/ydb/transactions.h"

#include <fmt/format.h>

#include "database/error.h"

namespace drover::tpcc::ydb {

std::int64_t now_us() noexcept {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

std::int64_t marked_now_us(std::uint32_t mark) noexcept {
  constexpr std::int64_t second = Trace::marks;
  return now_us() / second * second + mark;
}

void require_one_row(const ResultSetView& rows, std::string_view what) {
  if (rows.rows() == 1) return;
  throw database::Error(
      database::ErrorClass::statement, "",
      fmt::format("{} has {} rows where one was expected: is the database loaded as far as the run "
                  "reaches? See: drover tpcc check",
                  what, rows.rows()));
}

std::size_t middle_row(const ResultSetView& customers) {
  if (customers.rows() == 0) require_one_row(customers, "customer of that name");
  return (customers.rows() + 1) / 2 - 1;
}

std::int32_t int32_at(const ResultSetView& rows, std::size_t row, std::string_view column) {
  return static_cast<std::int32_t>(rows.at(row, column).integer());
}

}  // namespace drover::tpcc::ydb
