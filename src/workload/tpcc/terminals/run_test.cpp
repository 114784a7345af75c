// A whole run on virtual time: all of its workers are tasks of one.
#include "load/run.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "workload/tpcc/backend.h"
#include "workload/tpcc/terminals/terminals.h"

namespace drover::tpcc {
namespace {

using namespace std::chrono_literals;
using coro::Duration;
using coro::Task;

// Every transaction takes as long, and after a while the database is given up.
class LeavingBackend final : public Backend, Session {
 public:
  Task<void> open() override { co_return; }
  Task<void> keep_open(SessionObserver&) override {
    co_await coro::sleep_for(1s);
    throw database::Error(database::ErrorClass::unavailable, "", "gone");
  }
  Task<database::Session*> acquire() override { co_return static_cast<database::Session*>(this); }
  void release(database::Session&) noexcept override {}
  Task<Outcome> execute(const Input&, Trace&) override {
    co_await coro::sleep_for(4s);
    co_return Outcome{};
  }
};

// Is never open.
class HangingBackend final : public Backend {
 public:
  Task<void> open() override { co_await coro::sleep_for(1h); }
  Task<database::Session*> acquire() override { co_return nullptr; }
  void release(database::Session&) noexcept override {}
};

class RunTest : public testing::Test {
 protected:
  RunTest() {
    plan.warehouses = 3;
    plan.threads = 2;
    plan.no_delays = true;
    plan.duration = 10s;
    plan.seed = 7;
    records.emplace(plan);
  }

  template <class MakeBackend>
  void run(MakeBackend make_backend) {
    load::Observer nobody;
    load::Surroundings surroundings;
    surroundings.own_threads = false;
    auto body = [&]() -> Task<void> {
      outcome = co_await load::run(plan, make_terminals(plan, make_backend, *records), nobody, stop,
                                   surroundings);
    };
    coro::block_on(worker, body());
  }

  coro::VirtualClock clock;
  coro::Worker worker{clock};
  Plan plan;
  std::optional<RunRecords> records;
  load::StopRequest stop;
  load::Outcome outcome;
};

TEST_F(RunTest, AllWorkersRunOnOneThread) {
  run([](std::size_t) { return std::make_unique<SimulatedBackend>(10ms); });
  EXPECT_EQ(outcome.measured, Duration(10s));
  ASSERT_EQ(outcome.workers.size(), 2U);
  for (const auto& one : outcome.workers) EXPECT_GT(one->started.get(), 9'000U);
  EXPECT_EQ(outcome.samples.size(), 10U);
}

// Without a warm-up the first of them are queued before the phases are known.
TEST_F(RunTest, ADeferredDeliveryCountsInThePhaseInWhichItWasQueued) {
  plan.deferred_delivery = true;
  run([](std::size_t) { return std::make_unique<SimulatedBackend>(10ms); });
  for (const WorkerCounts& counts : records->workers) {
    const DeferredMetrics& deferred = counts.deferred;
    EXPECT_GT(deferred.completed.get(), 0U);
    EXPECT_EQ(deferred.queued.get(), deferred.completed.get() + deferred.failed.get() +
                                         deferred.unfinished.snapshot().count());
  }
}

TEST_F(RunTest, ARunThatIsGivenUpHasMeasuredUntilThen) {
  run([](std::size_t) { return std::make_unique<LeavingBackend>(); });
  EXPECT_TRUE(outcome.failure);
  EXPECT_GE(outcome.measured, Duration(1s));
  EXPECT_LT(outcome.measured, Duration(1'001ms)) << "what was in flight took 4 s";
}

TEST_F(RunTest, AnInterruptEndsARunThatIsStillOpening) {
  auto interrupt = [this]() -> Task<void> {
    co_await coro::sleep_for(3s);
    stop.request();
  };
  auto body = [&]() -> Task<void> {
    coro::Scope beside(co_await coro::current_source());
    beside.start(interrupt());
    load::Observer nobody;
    load::Surroundings surroundings;
    surroundings.own_threads = false;
    const auto hanging = [](std::size_t) { return std::make_unique<HangingBackend>(); };
    outcome = co_await load::run(plan, make_terminals(plan, hanging, *records), nobody, stop,
                                 surroundings);
    co_await beside.join();
  };
  coro::block_on(worker, body());
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_LT(clock.now() - coro::Instant{}, 3'001ms);
}

}  // namespace
}  // namespace drover::tpcc
