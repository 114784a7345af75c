// The engine with a workload of two kinds of transactions that is none of Drover's, on virtual
// time.
#include "load/workload.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "load/client_group.h"
#include "load/run.h"

namespace drover::load {
namespace {

using namespace std::chrono_literals;
using coro::Task;
using database::Error;
using database::ErrorClass;

// One session each, as many as are asked for.
struct NoDatabase final : database::Backend, database::Session {
  Task<void> open() override { co_return; }
  Task<database::Session*> acquire() override { co_return static_cast<database::Session*>(this); }
  void release(database::Session&) noexcept override {}
};

enum Kind : std::size_t { look, change };

// What the workload was asked and told.
struct Seen {
  std::uint64_t measured = 0;
  std::size_t asked = 0;
  std::size_t unresolved = 0;
};

// Terminals look, which takes 10 ms, and change something, which takes 30 ms; each tenth change's
// answer is lost.
class LookAndChange final : public Workload {
 public:
  static constexpr std::size_t terminal_count = 4;

  explicit LookAndChange(Seen& seen) : seen_(seen) {}

  database::Backend& backend() noexcept override { return database_; }
  std::size_t terminals() const noexcept override { return terminal_count; }
  void start_terminals(ClientGroup& group) override {
    for (std::size_t i = 0; i < terminal_count; ++i) {
      if (!group.start(terminal(group))) return;
    }
  }
  Task<std::vector<database::Resolution>> resolve(
      std::vector<const load::Transaction*> unknown_commits) override {
    seen_.asked += unknown_commits.size();
    co_return std::vector(unknown_commits.size(), database::Resolution::committed);
  }
  void leave_unresolved(std::size_t unknown_commits) override {
    seen_.unresolved += unknown_commits;
  }

 private:
  class Transaction final : public load::Transaction {
   public:
    Transaction(LookAndChange& workload, Kind kind) : workload_(workload), kind_(kind) {}
    std::size_t type() const noexcept override { return kind_; }
    Task<void> execute(database::Session&) override {
      co_await coro::sleep_for(kind_ == look ? 10ms : 30ms);
      if (kind_ == look || ++workload_.changes_ % 10 != 0) co_return;
      throw Error(ErrorClass::ambiguous_commit, "", "the connection broke");
    }
    bool committed() const noexcept override { return true; }
    bool commit_sent() const noexcept override { return kind_ == change; }
    void count(bool is_measured) override { workload_.seen_.measured += is_measured ? 1 : 0; }
    std::unique_ptr<load::Transaction> keep() const override {
      return std::make_unique<Transaction>(*this);
    }

   private:
    LookAndChange& workload_;
    Kind kind_;
  };

  Task<void> terminal(ClientGroup& group) {
    group.terminal_up();
    coro::Instant time = group.start_time();
    while (!group.stopped()) {
      for (const Kind kind : {look, change}) {
        time = (co_await group.transact(Transaction(*this, kind), time)).at;
      }
    }
  }

  Seen& seen_;
  NoDatabase database_;
  std::uint64_t changes_ = 0;
};

TEST(Workload, AnyWorkloadIsDrivenAndMeasured) {
  coro::VirtualClock clock;
  coro::Worker worker(clock);
  Plan plan;
  plan.workload.types = {{.name = "look"}, {.name = "change"}};
  plan.warmup = 1s;
  plan.duration = 10s;
  Observer nobody;
  StopRequest stop;
  Surroundings surroundings;
  surroundings.own_threads = false;
  Seen seen;
  std::optional<Outcome> outcome;
  auto body = [&]() -> Task<void> {
    const auto make = [&](std::size_t) { return std::make_unique<LookAndChange>(seen); };
    outcome = co_await run(plan, make, nobody, stop, surroundings);
  };
  coro::block_on(worker, body());
  const WorkerMetrics& metrics = *outcome->workers.at(0);
  // A terminal's round takes 40 ms: 250 of them in the interval, and a tenth of the changes is
  // lost.
  EXPECT_EQ(metrics.measured[look].ok_count.get(), 4 * 250U);
  EXPECT_EQ(metrics.measured[change].ok_count.get(), 4 * 225U);
  EXPECT_EQ(metrics.measured[change].failed_count.get(), 4 * 25U);
  EXPECT_EQ(metrics.measured[change].ambiguous.committed.get(), 4 * 25U);
  EXPECT_EQ(seen.measured,
            metrics.measured[look].ok_count.get() + metrics.measured[change].ok_count.get());
  EXPECT_GE(seen.asked, 100U);
  EXPECT_EQ(seen.unresolved, 0U);
  EXPECT_EQ(metrics.measured[look].latency.snapshot().count(), 1'000U);
  std::uint64_t sampled = 0;
  for (const Sample& sample : outcome->samples) {
    if (sample.phase == Phase::measure) sampled += sample.ok[change];
  }
  EXPECT_EQ(sampled, metrics.measured[change].ok_count.get());
}

}  // namespace
}  // namespace drover::load
