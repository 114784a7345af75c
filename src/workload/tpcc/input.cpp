#include "workload/tpcc/input.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace drover::tpcc {

using std::chrono::nanoseconds;

namespace {

int32_t random_district(Rng& rng) {
  return rng.uniform(1, districts_per_warehouse);
}

// Returns a uniformly chosen warehouse other than `w_id`, or `w_id` if there is only one.
int32_t other_warehouse(Rng& rng, const InputContext& context, int32_t w_id) {
  if (context.warehouses == 1) return w_id;
  const int32_t other = rng.uniform(1, context.warehouses - 1);
  return other < w_id ? other : other + 1;
}

int32_t random_customer(Rng& rng, const InputContext& context) {
  return nurand(rng, nurand_a_c_id, context.constants.c_id, 1, customers_per_district);
}

// Names six of ten customers by their last name (clauses 2.5.1.2 and 2.6.1.2).
CustomerChoice choose_customer(Rng& rng, const InputContext& context, int32_t w_id, int32_t d_id) {
  CustomerChoice choice{w_id, d_id, rng.uniform(1, 100) <= 60, 0, 0};
  if (choice.by_name) {
    choice.c_last = nurand(rng, nurand_a_c_last, context.constants.c_last, 0, 999);
  } else {
    choice.c_id = random_customer(rng, context);
  }
  return choice;
}

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

NewOrderInput make_new_order(Rng& rng, const InputContext& context, int32_t w_id) {
  assert(w_id >= 1 && w_id <= context.warehouses);
  NewOrderInput input{};
  input.w_id = w_id;
  input.d_id = random_district(rng);
  input.c_id = random_customer(rng, context);
  input.ol_cnt = rng.uniform(order_lines_min, order_lines_max);
  input.rollback = rng.one_in(100);
  input.all_local = true;
  for (int32_t number = 0; number < input.ol_cnt; ++number) {
    NewOrderLine& line = input.lines_all[static_cast<size_t>(number)];
    line.i_id = nurand(rng, nurand_a_ol_i_id, context.constants.ol_i_id, 1, items);
    line.supply_w_id = rng.one_in(100) ? other_warehouse(rng, context, w_id) : w_id;
    line.quantity = rng.uniform(1, 10);
    input.all_local = input.all_local && line.supply_w_id == w_id;
  }
  if (input.rollback) input.lines_all[static_cast<size_t>(input.ol_cnt - 1)].i_id = unused_item;
  return input;
}

PaymentInput make_payment(Rng& rng, const InputContext& context, int32_t w_id) {
  assert(w_id >= 1 && w_id <= context.warehouses);
  PaymentInput input{};
  input.w_id = w_id;
  input.d_id = random_district(rng);
  int32_t c_w_id = w_id;
  int32_t c_d_id = input.d_id;
  if (rng.uniform(1, 100) > 85 && context.warehouses > 1) {
    c_w_id = other_warehouse(rng, context, w_id);
    c_d_id = random_district(rng);
  }
  input.customer = choose_customer(rng, context, c_w_id, c_d_id);
  input.amount_cents = rng.uniform(1'00, 5'000'00);
  return input;
}

OrderStatusInput make_order_status(Rng& rng, const InputContext& context, int32_t w_id) {
  const int32_t d_id = random_district(rng);
  return {.customer = choose_customer(rng, context, w_id, d_id)};
}

DeliveryInput make_delivery(Rng& rng, int32_t w_id) {
  return {.w_id = w_id, .carrier_id = rng.uniform(1, 10)};
}

StockLevelInput make_stock_level(Rng& rng, int32_t w_id, int32_t d_id) {
  return {.w_id = w_id, .d_id = d_id, .threshold = rng.uniform(10, 20)};
}

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

nanoseconds mean_cycle(double pace) {
  double sum_ns = 0;
  for (const TransactionType type : all_transaction_types) {
    const auto cycle = keying_time(type, pace) + think_time_mean(type, pace);
    sum_ns += deck_share(type) * static_cast<double>(cycle.count());
  }
  return nanoseconds(static_cast<int64_t>(sum_ns));
}

double tpmc_per_warehouse_max(double pace) {
  const double cycle_minutes =
      std::chrono::duration<double, std::ratio<60>>(mean_cycle(pace)).count();
  return districts_per_warehouse * deck_share(TransactionType::NewOrder) / cycle_minutes;
}

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
