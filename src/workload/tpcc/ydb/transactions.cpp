#include "workload/tpcc/ydb/transactions.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>

#include "database/error.h"

namespace drover::tpcc::ydb {
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

void require_one_row(const ResultSetView& rows, std::string_view what) {
  if (rows.rows() == 1) return;
  throw database::Error(database::ErrorClass::statement, "",
                        fmt::format("{} has {} rows, expected one. The database may be loaded "
                                    "incompletely. Check it with 'drover tpcc check'",
                                    what, rows.rows()));
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
