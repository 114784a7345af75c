#include "workload/tpcc/mix.h"

#include <cassert>

#include "workload/tpcc/pacing.h"
#include "workload/tpcc/schema.h"

namespace drover::tpcc {

int32_t Deck::remaining() const {
  int32_t sum = 0;
  for (const uint8_t cards : left_) sum += cards;
  return sum;
}

TransactionType Deck::take(Rng& rng) {
  int32_t place = rng.uniform(0, remaining() - 1);
  for (const TransactionType type : all_transaction_types) {
    uint8_t& cards = left_[index_of(type)];
    if (place < cards) {
      --cards;
      return type;
    }
    place -= cards;
  }
  assert(false);
  return TransactionType::NewOrder;
}

TransactionType Deck::draw(Rng& rng) {
  if (remaining() == 0) left_ = deck_cards;
  return take(rng);
}

std::chrono::nanoseconds mean_cycle(double pace) {
  double sum_ns = 0;
  for (const TransactionType type : all_transaction_types) {
    const auto cycle = keying_time(type, pace) + think_time_mean(type, pace);
    sum_ns += deck_share(type) * static_cast<double>(cycle.count());
  }
  return std::chrono::nanoseconds(static_cast<int64_t>(sum_ns));
}

double tpmc_per_warehouse_max(double pace) {
  const double cycle_minutes =
      std::chrono::duration<double, std::ratio<60>>(mean_cycle(pace)).count();
  return districts_per_warehouse * deck_share(TransactionType::NewOrder) / cycle_minutes;
}

}  // namespace drover::tpcc
