// The life of a terminal (clauses 5.2.2 to 5.2.5): key in, transact, think, and again. It reads
// like the blocking version; each co_await is a place where 150,000 others may run.
#include <variant>

#include "coro/sleep.h"
#include "load/herd.h"
#include "tpcc/pacing.h"

namespace drover::load {

using coro::Instant;
using coro::slept_until;
using coro::Task;
using tpcc::TransactionType;

Task<void> Herd::terminal(std::int32_t w_id, std::int32_t d_id, WarehouseDeck& deck) {
  tpcc::Rng rng =
      tpcc::Rng::stream(plan_.seed, tpcc::RandomPurpose::Terminal,
                        {static_cast<std::uint64_t>(w_id), static_cast<std::uint64_t>(d_id)});
  metrics_.terminals_up.add(1);
  if (--terminals_to_come_ == 0 && all_up_) all_up_();
  if (stopped_.is_set()) co_return;
  TransactionType type{};
  bool keyed_in = false;
  Instant time = timetable_.start;
  if (!plan_.no_delays) {
    const tpcc::InitialState initial = tpcc::draw_initial_state(rng, plan_.pace);
    type = initial.type;
    keyed_in = initial.keying;
    time += initial.remaining;
    if (!co_await slept_until(time)) co_return;
  }
  while (!stopped_.is_set()) {
    if (!keyed_in) type = deck.draw();
    if (!keyed_in && !plan_.no_delays) {
      const Instant begun = time;
      time += tpcc::keying_time(type, plan_.pace);
      if (!co_await slept_until(time)) co_return;
      record_pause(&TransactionMetrics::keying, type, begun, time);
    }
    keyed_in = false;
    // Where millions are due, nobody who asked for the end waits for what they would begin.
    if (shared_.stop_asked.load(std::memory_order_relaxed)) co_return;
    time = co_await transact(type, w_id, d_id, time, rng);
    if (!plan_.no_delays) {
      const Instant begun = time;
      time += tpcc::think_time(rng, type, plan_.pace);
      if (!co_await slept_until(time)) co_return;
      record_pause(&TransactionMetrics::think, type, begun, time);
    }
  }
}

tpcc::Input Herd::make_input(TransactionType type, tpcc::Rng& rng, std::int32_t w_id,
                             std::int32_t d_id) const {
  switch (type) {
    case TransactionType::NewOrder:
      return tpcc::make_new_order(rng, inputs_, w_id);
    case TransactionType::Payment:
      return tpcc::make_payment(rng, inputs_, w_id);
    case TransactionType::OrderStatus:
      return tpcc::make_order_status(rng, inputs_, w_id);
    case TransactionType::Delivery:
      return tpcc::make_delivery(rng, w_id);
    case TransactionType::StockLevel:
      break;
  }
  return tpcc::make_stock_level(rng, w_id, d_id);
}

}  // namespace drover::load
