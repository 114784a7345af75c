#include "workload/tpcc/mix.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>

#include "workload/tpcc/schema.h"

namespace drover::tpcc {

int32_t Deck::remaining() const {
  return std::accumulate(left_.begin(), left_.end(), 0);
}

TransactionType Deck::draw(Rng& rng) {
  if (remaining() == 0) left_ = deck_cards;
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

namespace {

using std::chrono::nanoseconds;

constexpr std::array<double, transaction_type_count> keying_seconds = {18, 3, 2, 2, 2};
constexpr std::array<double, transaction_type_count> think_mean_seconds = {12, 12, 10, 5, 5};
constexpr double think_time_cut = 10;  // in means

nanoseconds paced(double seconds, double pace) {
  assert(pace > 0);
  return nanoseconds(std::llround(seconds * 1e9 / pace));
}

// Returns a type with a probability proportional to the time that terminals spend with it.
TransactionType type_found_at_random_time(Rng& rng) {
  std::array<double, transaction_type_count> weights{};
  double sum = 0;
  for (const TransactionType type : all_transaction_types) {
    const size_t index = index_of(type);
    weights[index] = deck_share(type) * (keying_seconds[index] + think_mean_seconds[index]);
    sum += weights[index];
  }
  double place = rng.unit() * sum;
  for (const TransactionType type : all_transaction_types) {
    place -= weights[index_of(type)];
    if (place <= 0) return type;
  }
  return TransactionType::StockLevel;  // only by rounding
}

}  // namespace

nanoseconds keying_time(TransactionType type, double pace) {
  return paced(keying_seconds[index_of(type)], pace);
}

nanoseconds think_time_mean(TransactionType type, double pace) {
  return paced(think_mean_seconds[index_of(type)], pace);
}

nanoseconds think_time(Rng& rng, TransactionType type, double pace) {
  const double means = std::min(-std::log(rng.unit()), think_time_cut);
  return paced(think_mean_seconds[index_of(type)] * means, pace);
}

InitialState draw_initial_state(Rng& rng, double pace) {
  InitialState state{};
  state.type = type_found_at_random_time(rng);
  const double keying = keying_seconds[index_of(state.type)];
  const double thinking = think_mean_seconds[index_of(state.type)];
  state.keying = rng.unit() * (keying + thinking) <= keying;
  // The rest of a constant time is uniform, and the rest of an exponential time is exponential.
  state.remaining =
      state.keying ? paced(keying * (1 - rng.unit()), pace) : think_time(rng, state.type, pace);
  return state;
}

}  // namespace drover::tpcc
