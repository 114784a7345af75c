#include "workload/tpcc/input.h"

#include <cassert>

namespace drover::tpcc {

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

}  // namespace drover::tpcc
