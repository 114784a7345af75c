// The loop of a terminal (clauses 5.2.2 to 5.2.5): key in, execute, think. At each co_await the
// worker thread executes other terminals.
#include <chrono>

#include "coro/sleep.h"
#include "workload/tpcc/input.h"
#include "workload/tpcc/terminals/terminals.h"

namespace drover::tpcc {

using coro::Instant;
using coro::slept_until;
using coro::Task;
using load::ClientGroup;
using load::SharedTotals;

// Without delays: prevents a tight loop of transactions that fail at once.
constexpr coro::Duration pause_after_failure = std::chrono::milliseconds(100);

Task<void> Terminals::terminal(ClientGroup& group, std::int32_t w_id, std::int32_t d_id,
                               WarehouseDeck& deck) {
  Rng rng = Rng::stream(plan_.seed, RandomPurpose::Terminal,
                        {static_cast<std::uint64_t>(w_id), static_cast<std::uint64_t>(d_id)});
  group.terminal_up();
  if (plan_.waits_for_phases) co_await group.phases_known();
  if (group.stopped()) co_return;
  TransactionType type{};
  bool keyed_in = false;
  Instant time = group.start_time();
  if (!plan_.no_delays) {
    const InitialState initial = draw_initial_state(rng, plan_.pace);
    type = initial.type;
    keyed_in = initial.keying;
    time += initial.remaining;
    if (!co_await slept_until(time)) co_return;
  }
  while (!group.stopped()) {
    if (!keyed_in) type = deck.draw();
    if (!keyed_in && !plan_.no_delays) {
      const Instant begun = time;
      time += keying_time(type, plan_.pace);
      if (!co_await slept_until(time)) co_return;
      group.recorder().paused(&SharedTotals::keying, index_of(type), begun, time);
      if (group.stopped()) co_return;
    }
    keyed_in = false;
    const ClientGroup::Answered answered = co_await transact(group, type, w_id, d_id, time, rng);
    time = answered.at;
    if (plan_.no_delays) {
      if (answered.succeeded) continue;
      // The pause is the client's own: the next transaction's latency counts from its end.
      time += pause_after_failure;
      if (!co_await slept_until(time)) co_return;
    } else {
      time += think_time(rng, type, plan_.pace);
      if (!co_await slept_until(time)) co_return;
      group.recorder().paused(&SharedTotals::think, index_of(type), answered.at, time);
    }
  }
}

// Not a coroutine, because the transaction lives in the engine's coroutine.
Task<ClientGroup::Answered> Terminals::transact(ClientGroup& group, TransactionType type,
                                                std::int32_t w_id, std::int32_t d_id,
                                                Instant intended_start, Rng& rng) {
  if (type == TransactionType::Delivery && plan_.deferred_delivery) {
    return queue_delivery(group, make_delivery(rng, w_id), intended_start);
  }
  return group.transact(Transaction(*this, make_input(type, rng, w_id, d_id)), intended_start);
}

Input Terminals::make_input(TransactionType type, Rng& rng, std::int32_t w_id,
                            std::int32_t d_id) const {
  switch (type) {
    case TransactionType::NewOrder:
      return make_new_order(rng, inputs_, w_id);
    case TransactionType::Payment:
      return make_payment(rng, inputs_, w_id);
    case TransactionType::OrderStatus:
      return make_order_status(rng, inputs_, w_id);
    case TransactionType::Delivery:
      return make_delivery(rng, w_id);
    case TransactionType::StockLevel:
      break;
  }
  return make_stock_level(rng, w_id, d_id);
}

}  // namespace drover::tpcc
