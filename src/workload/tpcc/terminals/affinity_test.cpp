// --affinity: which host the transactions of a warehouse ask for.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <variant>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "workload/tpcc/input.h"
#include "workload/tpcc/terminals/tested_terminals_test.h"

namespace drover::tpcc {
namespace {

using namespace std::chrono_literals;
using coro::Task;

constexpr std::size_t hosts = 3;

std::int32_t warehouse_at_home(const Input& input) {
  switch (static_cast<TransactionType>(input.index())) {
    case TransactionType::NewOrder:
      return std::get<NewOrderInput>(input).w_id;
    case TransactionType::Payment:
      return std::get<PaymentInput>(input).w_id;
    case TransactionType::OrderStatus:
      return std::get<OrderStatusInput>(input).customer.c_w_id;
    case TransactionType::Delivery:
      return std::get<DeliveryInput>(input).w_id;
    case TransactionType::StockLevel:
      break;
  }
  return std::get<StockLevelInput>(input).w_id;
}

class HostSession final : public Session {
 public:
  void set_host(std::size_t host) { host_ = host; }
  Task<Outcome> execute(const Input& input, Trace&) override {
    co_await coro::sleep_for(1ms);
    EXPECT_EQ(static_cast<std::size_t>(warehouse_at_home(input) - 1) % hosts, host());
    ++executed[input.index()];
    co_return Outcome{};
  }

  std::array<int, transaction_type_count> executed{};
};

class SeveralHosts final : public Backend {
 public:
  SeveralHosts() {
    for (std::size_t host = 0; host < hosts; ++host) sessions[host].set_host(host);
  }
  Task<void> open() override { co_return; }
  Task<database::Session*> acquire() override {
    ADD_FAILURE() << "no host was asked for";
    co_return &sessions[0];
  }
  Task<database::Session*> acquire_at(std::size_t host) override { co_return &sessions[host]; }
  void release(database::Session&) noexcept override {}

  std::array<HostSession, hosts> sessions;
};

TEST(Affinity, EachWarehouseHasAHost) {
  for (const bool deferred : {false, true}) {
    coro::VirtualClock clock;
    coro::Worker worker{clock};
    Plan plan;
    plan.warehouses = 7;
    plan.no_delays = true;
    plan.duration = 100ms;
    plan.deferred_delivery = deferred;
    plan.hosts = {"a:1", "b:2", "c:3"};
    plan.affinity = true;
    load::WorkerMetrics metrics(transaction_type_count, hosts);
    load::SharedRecords shared;
    RunRecords records{plan};
    SeveralHosts backend;
    auto body = [&]() -> Task<void> {
      TestedTerminals tested(plan, backend, metrics, shared, records);
      const coro::Instant start = clock.now();
      co_await tested.group.run(
          {.start = start, .measure_start = start, .measure_end = start + plan.duration});
    };
    coro::block_on(worker, body());
    for (const HostSession& session : backend.sessions) {
      for (const int count : session.executed) EXPECT_GT(count, 0);
    }
  }
}

}  // namespace
}  // namespace drover::tpcc
