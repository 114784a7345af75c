// Transactions that belong to hosts: whom they are executed with, and what is counted of each host.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "database/session_pool.h"
#include "load/clients.h"
#include "load/run.h"
#include "load/workload.h"

namespace drover::load {
namespace {

using namespace std::chrono_literals;
using coro::Task;

constexpr std::size_t hosts = 2;

class HostSession final : public database::Session {
 public:
  explicit HostSession(std::size_t host) { host_ = host; }
  bool usable() const noexcept { return true; }
  bool in_transaction() const noexcept { return false; }
  Task<void> close() { co_return; }
};

class TwoHosts final : public database::Backend {
 public:
  Task<void> open() override { return pool_.open(); }
  Task<database::Session*> acquire() override { co_return co_await pool_.take(); }
  Task<database::Session*> acquire_at(std::size_t host) override {
    co_return co_await pool_.take(host);
  }
  void release(database::Session& session) noexcept override {
    pool_.release(static_cast<HostSession&>(session));
  }
  void count_sessions(std::vector<std::size_t>& by_host) const override {
    for (std::size_t host = 0; host < hosts; ++host) by_host[host] = pool_.open_at(host);
  }

 private:
  static Task<std::unique_ptr<HostSession>> connect(std::size_t number) {
    co_return std::make_unique<HostSession>(number % hosts);
  }

  database::SessionPool<HostSession> pool_{{.size = 4, .open = connect, .hosts = hosts}};
};

// Each client is at home at the host of its number. The second host is four times as slow, and one
// in ten of its transactions fails.
class AtHome final : public Workload {
 public:
  AtHome(const Plan& plan, std::uint64_t& strays) : strays_(strays), clients_(plan, 0) {}

  database::Backend& backend() noexcept override { return database_; }
  std::size_t terminals() const noexcept override { return clients_.clients(); }
  void start_terminals(ClientGroup& group) override {
    clients_.start(group, [this](std::size_t number) { return Transaction(*this, number); });
  }
  Task<std::vector<database::Resolution>> resolve(std::vector<const load::Transaction*>) override {
    co_return std::vector<database::Resolution>();
  }
  void leave_unresolved(std::size_t) override {}

 private:
  class Transaction final : public load::Transaction {
   public:
    Transaction(AtHome& workload, std::size_t number) : workload_(workload), number_(number) {}
    std::size_t type() const noexcept override { return 0; }
    Task<void> execute(database::Session& session) override {
      if (session.host() != number_ % hosts) ++workload_.strays_;
      co_await coro::sleep_for(session.host() == 0 ? 10ms : 40ms);
      if (session.host() == 0 || ++workload_.executed_ % 10 != 0) co_return;
      throw database::Error(database::ErrorClass::statement, "", "no");
    }
    bool committed() const noexcept override { return true; }
    bool commit_sent() const noexcept override { return false; }
    void count(bool) override {}
    std::size_t home() const noexcept override { return number_; }
    std::unique_ptr<load::Transaction> keep() const override {
      return std::make_unique<Transaction>(*this);
    }

   private:
    AtHome& workload_;
    std::size_t number_;
  };

  std::uint64_t& strays_;
  TwoHosts database_;
  ClientLoop clients_;
  std::uint64_t executed_ = 0;
};

class LastSnapshot final : public Observer {
 public:
  void on_snapshot(const Snapshot& snapshot) override { last = snapshot; }
  std::optional<Snapshot> last;
};

struct Ran {
  Outcome outcome;
  Snapshot last;
  std::uint64_t strays = 0;
};

Ran run_with(bool affinity) {
  coro::VirtualClock clock;
  coro::Worker worker(clock);
  Plan plan;
  plan.terminal_count = 20;
  plan.connections = plan.max_inflight = 4;
  plan.warmup = 1s;
  plan.duration = 10s;
  plan.hosts = {"one:1", "two:2"};
  plan.affinity = affinity;
  LastSnapshot observer;
  StopRequest stop;
  Surroundings surroundings;
  surroundings.own_threads = false;
  std::optional<Outcome> outcome;
  std::uint64_t strays = 0;
  auto body = [&]() -> Task<void> {
    const auto make = [&](std::size_t) { return std::make_unique<AtHome>(plan, strays); };
    outcome = co_await run(plan, make, observer, stop, surroundings);
  };
  coro::block_on(worker, body());
  return {std::move(*outcome), std::move(*observer.last), strays};
}

// Two sessions a host, of 10 ms and of 40 ms: they are never idle, though ten clients wait at the
// slow one.
TEST(Hosts, TransactionsStayAtHomeAndOneHostDoesNotKeepTheOther) {
  const Ran ran = run_with(true);
  EXPECT_EQ(ran.strays, 0U);
  const HostsMetrics& at = ran.outcome.workers.at(0)->hosts;
  EXPECT_NEAR(static_cast<double>(at.measured[0].ok_count.get()), 2 * 1000, 5);
  EXPECT_EQ(at.measured[0].failed_count.get(), 0U);
  EXPECT_NEAR(static_cast<double>(at.measured[1].ok_count.get()), 2 * 250 * 0.9, 5);
  EXPECT_NEAR(static_cast<double>(at.measured[1].failed_count.get()), 2 * 250 * 0.1, 5);
  EXPECT_NEAR(static_cast<double>(at.measured[0].service.snapshot().max_ns()), 10e6, 1e5);
  EXPECT_NEAR(static_cast<double>(at.measured[1].service.snapshot().min_ns()), 40e6, 1e5);
}

TEST(Hosts, TogetherTheyAreAllThatWasDone) {
  for (const bool affinity : {false, true}) {
    const Ran ran = run_with(affinity);
    const WorkerMetrics& metrics = *ran.outcome.workers.at(0);
    EXPECT_EQ(metrics.hosts.measured[0].ok_count.get() + metrics.hosts.measured[1].ok_count.get(),
              metrics.measured[0].ok_count.get());
    EXPECT_EQ(
        metrics.hosts.measured[0].failed_count.get() + metrics.hosts.measured[1].failed_count.get(),
        metrics.measured[0].failed_count.get());
    EXPECT_GT(metrics.hosts.warmup[1].ok_count.get(), 0U);
    ASSERT_EQ(ran.last.hosts.size(), hosts);
    for (std::size_t host = 0; host < hosts; ++host) {
      EXPECT_EQ(ran.last.hosts[host].sessions, 2U);
      EXPECT_EQ(ran.last.hosts[host].phase.ok_count, metrics.hosts.measured[host].ok_count.get());
    }
    EXPECT_NEAR(ran.last.hosts[0].per_second, 200, 3);
  }
}

// Each number is one worker's: in a row, or, where things have homes, dealt out as they are.
TEST(Hosts, NumbersOfConnections) {
  Plan plan;
  plan.threads = 3;
  plan.connections = 8;
  for (const bool affinity : {false, true}) {
    plan.affinity = affinity;
    std::vector<std::size_t> numbers;
    for (std::size_t index = 0; index < plan.threads; ++index) {
      const database::SessionUpkeep upkeep = plan.upkeep_of_worker(index);
      for (std::size_t i = 0; i < plan.share_of_worker(index, plan.connections); ++i) {
        numbers.push_back(upkeep.first_number + i * upkeep.number_step);
      }
    }
    const std::vector<std::size_t> expected =
        affinity ? std::vector<std::size_t>{0, 3, 6, 1, 4, 7, 2, 5}
                 : std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7};
    EXPECT_EQ(numbers, expected);
  }
}

// Over all hosts that make the load: else each would begin with the same host of the database.
TEST(Hosts, NumbersOfConnectionsOfSeveralHosts) {
  for (const bool is_chosen_for_all : {true, false}) {
    std::vector<std::size_t> numbers;
    for (std::uint64_t rank = 0; rank < 4; ++rank) {
      Plan plan;
      plan.share = {rank, 1, 4, rank, 4};
      if (is_chosen_for_all) {
        plan.set_connections(10);
      } else {
        plan.set_own_connections(3);
      }
      plan.threads = 2;
      for (std::size_t index = 0; index < plan.threads; ++index) {
        const database::SessionUpkeep upkeep = plan.upkeep_of_worker(index);
        for (std::size_t i = 0; i < plan.share_of_worker(index, plan.connections); ++i) {
          numbers.push_back(upkeep.first_number + i * upkeep.number_step);
        }
      }
    }
    std::vector<std::size_t> expected(is_chosen_for_all ? 10 : 12);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(numbers, expected);
  }
}

// Homes 0, 2, 4 and 6 are the first worker's, of two: three of them are at host 1, one at host 2.
TEST(Hosts, ConnectionsGoToTheHostsOfTheHomesOfTheirWorker) {
  Plan plan;
  plan.threads = 2;
  plan.hosts = {"coordinator:1", "one:1", "two:1"};
  plan.affinity = true;
  plan.home_count = 8;
  plan.home_hosts = {1, 2, 1, 2, 2, 2, 1, 2};
  for (const auto& [connections, expected] :
       std::vector<std::pair<std::size_t, std::vector<std::size_t>>>{
           {2, {1}}, {4, {1, 2}}, {8, {1, 2, 1, 1}}, {16, {1, 2, 1, 1, 1, 2, 1, 1}}}) {
    plan.connections = connections;
    EXPECT_EQ(plan.upkeep_of_worker(0).first_hosts, expected) << connections << " connections";
    const std::vector<std::size_t> all_at_two(connections / 2, 2);
    EXPECT_EQ(plan.upkeep_of_worker(1).first_hosts, all_at_two) << connections << " connections";
  }
  EXPECT_EQ(plan.host_of_home(6), 1U);
  plan.home_hosts.clear();
  EXPECT_EQ(plan.host_of_home(4), 1U);
  EXPECT_TRUE(plan.upkeep_of_worker(0).first_hosts.empty());
}

TEST(Hosts, WithoutAffinityAnyWillDo) {
  EXPECT_GT(run_with(false).strays, 0U);
}

}  // namespace
}  // namespace drover::load
