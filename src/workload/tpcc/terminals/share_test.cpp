// The same run on one host and on four: what the terminals of each warehouse ask for is the same.
// On virtual time.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <tuple>
#include <variant>
#include <vector>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "load/run.h"
#include "workload/tpcc/terminals/terminals.h"

namespace drover::tpcc {
namespace {

using namespace std::chrono_literals;
using coro::Task;

// The type, the home warehouse, and numbers that were drawn.
using Asked = std::vector<std::int64_t>;
using AskedByWarehouse = std::map<std::int32_t, std::vector<Asked>>;

struct Numbers {
  Asked& all;

  void add(auto... numbers) const { (all.push_back(numbers), ...); }
  void add(const CustomerChoice& one) const {
    add(one.c_w_id, one.c_d_id, one.by_name ? one.c_last : one.c_id);
  }
  std::int32_t operator()(const NewOrderInput& order) const {
    add(order.d_id, order.c_id, order.ol_cnt);
    for (const NewOrderLine& line : order.lines()) add(line.i_id, line.supply_w_id, line.quantity);
    return order.w_id;
  }
  std::int32_t operator()(const PaymentInput& payment) const {
    add(payment.d_id, payment.amount_cents);
    add(payment.customer);
    return payment.w_id;
  }
  std::int32_t operator()(const OrderStatusInput& status) const {
    add(status.customer);
    return status.customer.c_w_id;
  }
  std::int32_t operator()(const DeliveryInput& delivery) const {
    add(delivery.carrier_id);
    return delivery.w_id;
  }
  std::int32_t operator()(const StockLevelInput& level) const {
    add(level.d_id, level.threshold);
    return level.w_id;
  }
};

class Noting final : public Backend, Session {
 public:
  explicit Noting(AskedByWarehouse& asked) : asked_(asked) {}

  Task<void> open() override { co_return; }
  Task<database::Session*> acquire() override { co_return static_cast<database::Session*>(this); }
  void release(database::Session&) noexcept override {}
  Task<Outcome> execute(const Input& input, Trace&) override {
    Asked one{static_cast<std::int64_t>(input.index())};
    const std::int32_t w_id = std::visit(Numbers{one}, input);
    asked_[w_id].push_back(std::move(one));
    co_await coro::sleep_for(5ms);
    co_return Outcome{};
  }

 private:
  AskedByWarehouse& asked_;
};

void run(const Plan& plan, AskedByWarehouse& asked) {
  coro::VirtualClock clock;
  coro::Worker worker(clock);
  RunRecords records(plan);
  load::Observer nobody;
  load::StopRequest stop;
  load::Surroundings surroundings;
  surroundings.own_threads = false;
  auto body = [&]() -> Task<void> {
    const BackendFactory backends = [&](std::size_t) { return std::make_unique<Noting>(asked); };
    co_await load::run(plan, make_terminals(plan, backends, records), nobody, stop, surroundings);
  };
  coro::block_on(worker, body());
}

TEST(SharedRun, DrawsTheSameInputsOnAnyNumberOfHosts) {
  for (const bool no_delays : {false, true}) {
    Plan plan;
    plan.warehouses = 7;
    plan.seed = 5;
    plan.no_delays = no_delays;
    plan.terminals_most = no_delays ? 31 : 0;
    plan.duration = no_delays ? 1s : 2min;
    plan.threads = 2;
    plan.complete();
    AskedByWarehouse whole;
    run(plan, whole);
    ASSERT_EQ(whole.size(), 7U);
    AskedByWarehouse parts;
    plan.threads = 1;
    for (std::uint64_t rank = 0; rank < 4; ++rank) {
      plan.share = {rank, 1, 4, rank, 4};
      plan.complete();
      AskedByWarehouse part;
      run(plan, part);
      EXPECT_EQ(part.begin()->first, plan.first_warehouse());
      EXPECT_EQ(part.rbegin()->first, plan.last_warehouse());
      parts.merge(part);
    }
    EXPECT_EQ(parts, whole);
  }
}

}  // namespace
}  // namespace drover::tpcc
