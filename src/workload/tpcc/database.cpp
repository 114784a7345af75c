#include "workload/tpcc/database.h"

#include "coro/deadline.h"
#include "coro/sleep.h"
#include "coro/worker.h"

namespace drover::tpcc {

coro::Task<std::optional<LedgerSums>> Database::read_ledger_within(
    coro::Duration timeout, WarehouseRange warehouses) const {
  const coro::Instant give_up = coro::Worker::current().now() + timeout;
  while (coro::Worker::current().now() < give_up) {
    try {
      co_return co_await coro::with_deadline(give_up, read_ledger(warehouses));
    } catch (const database::Error&) {
      // Tried again below.
    } catch (const coro::DeadlineExceeded&) {
      break;
    }
    co_await coro::sleep_for(std::chrono::milliseconds(200));
  }
  co_return std::nullopt;
}

}  // namespace drover::tpcc
