#include "tpcc/ydb/history_keys.h"

#include <algorithm>
#include <atomic>
#include <random>

#include "tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {
namespace {

std::int64_t next_number() {
  static std::atomic<std::uint32_t> numbers{std::random_device()()};
  return numbers.fetch_add(1, std::memory_order_relaxed) % HistoryKeys::per_microsecond;
}

}  // namespace

HistoryKeys::HistoryKeys() : number_(next_number()) {}

std::int64_t HistoryKeys::next() noexcept {
  last_us_ = std::max(now_us(), last_us_ + 1);
  return last_us_ * per_microsecond + number_;
}

}  // namespace drover::tpcc::ydb
