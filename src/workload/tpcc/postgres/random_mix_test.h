// For tests of the backends: transactions of the mix at random, on what the small database has, and
// terminals that execute them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "coro/scope.h"
#include "database/error.h"
#include "workload/tpcc/backend.h"
#include "workload/tpcc/every_database/tested_database_test.h"
#include "workload/tpcc/input.h"

namespace drover::tpcc::postgres {

inline CustomerChoice folded(CustomerChoice choice) {
  if (choice.by_name) {
    choice.c_last %= SmallDatabase::small_names;
  } else {
    choice.c_id = choice.c_id % SmallDatabase::small_customers + 1;
  }
  return choice;
}

// A transaction of the mix, on the few customers and the hundred most wanted items that there are.
inline Input random_input(Rng& rng) {
  const InputContext context{.warehouses = 2, .constants = {}};
  const std::int32_t w_id = rng.uniform(1, 2);
  const std::int32_t kind = rng.uniform(1, 23);
  if (kind <= 10) {
    NewOrderInput input = make_new_order(rng, context, w_id);
    input.c_id = input.c_id % SmallDatabase::small_customers + 1;
    for (NewOrderLine& line : input.lines_all) {
      if (line.i_id != unused_item) line.i_id = line.i_id % 100 + 1;
    }
    return input;
  }
  if (kind <= 20) {
    PaymentInput input = make_payment(rng, context, w_id);
    input.customer = folded(input.customer);
    return input;
  }
  if (kind == 21) {
    OrderStatusInput input = make_order_status(rng, context, w_id);
    input.customer = folded(input.customer);
    return input;
  }
  if (kind == 22) return make_delivery(rng, w_id);
  return make_stock_level(rng, w_id, rng.uniform(1, 10));
}

inline std::vector<Input> random_inputs(std::uint64_t seed, int count) {
  Rng rng(seed);
  std::vector<Input> inputs;
  for (int i = 0; i < count; ++i) inputs.push_back(random_input(rng));
  return inputs;
}

struct Tally {
  int committed = 0;
  int rolled_back = 0;
  int retries = 0;
  std::map<std::string, int> errors;
};

// Takes the next input until there is none, as a terminal would.
inline coro::Task<void> terminal(Backend& backend, const std::vector<Input>& inputs,
                                 std::size_t& next, Tally& tally) {
  while (next < inputs.size()) {
    const Input& input = inputs[next++];
    for (;;) {
      std::string fatal;
      try {
        const Outcome outcome = co_await execute_once(backend, input);
        ++(outcome.committed ? tally.committed : tally.rolled_back);
        break;
      } catch (const database::Error& error) {
        if (error.error_class() == database::ErrorClass::retryable) {
          ++tally.retries;
        } else {
          fatal = error.what();
        }
      }
      if (fatal.empty()) continue;
      ++tally.errors[fatal];
      break;
    }
  }
}

inline coro::Task<void> execute_all(Backend& backend, const std::vector<Input>& inputs,
                                    int terminals, Tally& tally) {
  co_await backend.open();
  std::size_t next = 0;
  coro::CancelSource& source = co_await coro::current_source();
  coro::Scope scope(source);
  for (int i = 0; i < terminals; ++i) scope.start(terminal(backend, inputs, next, tally));
  co_await scope.join();
}

}  // namespace drover::tpcc::postgres
