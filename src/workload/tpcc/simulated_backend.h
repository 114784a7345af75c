// A backend without a database: each transaction takes a fixed time, which shows the cost of the
// client. It has any number of sessions. Belongs to one worker.
#pragma once

#include "coro/clock.h"
#include "coro/sleep.h"
#include "workload/tpcc/backend.h"

namespace drover::tpcc {

class SimulatedBackend final : public Backend, Session {
 public:
  explicit SimulatedBackend(coro::Duration transaction_time) noexcept
      : transaction_time_(transaction_time) {}

  coro::Task<void> open() override { co_return; }
  coro::Task<database::Session*> acquire() override {
    co_return static_cast<database::Session*>(this);
  }
  void release(database::Session&) noexcept override {}

 private:
  coro::Task<Outcome> execute(const Input& input, Trace&) override {
    co_await coro::sleep_for(transaction_time_);
    Outcome outcome;
    if (const auto* order = std::get_if<NewOrderInput>(&input))
      outcome.committed = !order->rollback;
    co_return outcome;
  }

  coro::Duration transaction_time_;
};

}  // namespace drover::tpcc
