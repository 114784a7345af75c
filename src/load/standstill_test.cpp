// The main thread of a run stands still while the workers go on, on virtual time.
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
using coro::Duration;
using coro::Task;

constexpr Duration commit_pause = 10ms;

struct UnusedSessions final : database::Backend, database::Session {
  Task<void> open() override { co_return; }
  Task<database::Session*> acquire() override { co_return static_cast<database::Session*>(this); }
  void release(database::Session&) noexcept override {}
};

// Counts a commit every 10 ms, without a database.
class SteadyCommits final : public Workload {
 public:
  explicit SteadyCommits(ClientGroup*& group) : group_(group) {}

  database::Backend& backend() noexcept override { return sessions_; }
  std::size_t terminals() const noexcept override { return 1; }
  void start_terminals(ClientGroup& group) override {
    group_ = &group;
    group.start(terminal(group));
  }
  Task<std::vector<database::Resolution>> resolve(
      std::vector<const load::Transaction*> unknown_commits) override {
    co_return std::vector(unknown_commits.size(), database::Resolution::unknown);
  }
  void leave_unresolved(std::size_t) override {}

  static void commit(ClientGroup& group) {
    const coro::Instant now = coro::Worker::current().now();
    Recorder::ClientWait client_wait(group.recorder(), 0, now - commit_pause);
    group.recorder().answered_at_once(now, client_wait, 0);
  }

 private:
  static Task<void> terminal(ClientGroup& group) {
    group.terminal_up();
    co_await group.phases_known();
    while (co_await coro::slept_until(coro::Worker::current().now() + commit_pause)) commit(group);
  }

  UnusedSessions sessions_;
  ClientGroup*& group_;
};

// Keeps the main thread from the sample of `from` until the instant `until` of the run, while the
// worker counts commits.
class SlowObserver final : public Observer {
 public:
  SlowObserver(coro::VirtualClock& clock, ClientGroup*& group, Duration from, Duration until)
      : clock_(clock), group_(group), from_(from), until_(until) {}

  void on_snapshot(const Snapshot& snapshot) override {
    if (snapshot.second.elapsed < from_) return;
    const coro::Instant end = group_->start_time() + until_;
    while (clock_.now() + commit_pause <= end) {
      clock_.advance_to(clock_.now() + commit_pause);
      SteadyCommits::commit(*group_);
    }
    from_ = Duration::max();
  }

 private:
  coro::VirtualClock& clock_;
  ClientGroup*& group_;
  Duration from_;
  const Duration until_;
};

Outcome run_with_standstill(const Plan& plan, Duration from, Duration until) {
  coro::VirtualClock clock;
  coro::Worker worker(clock);
  ClientGroup* group = nullptr;
  SlowObserver observer(clock, group, from, until);
  StopRequest stop;
  Surroundings surroundings;
  surroundings.own_threads = false;
  std::optional<Outcome> outcome;
  auto body = [&]() -> Task<void> {
    const auto make = [&](std::size_t) { return std::make_unique<SteadyCommits>(group); };
    outcome = co_await run(plan, make, observer, stop, surroundings);
  };
  coro::block_on(worker, body());
  return std::move(*outcome);
}

TEST(Standstill, EachPointHasTheCountsOfItsOwnTime) {
  Plan plan;
  plan.terminal_count = 1;
  plan.warmup = 5s;
  plan.duration = 10s;
  struct Case {
    const char* name;
    Duration from;
    Duration until;
  };
  for (const Case& one : {Case{"within the interval", 7s, 10'400ms},
                          Case{"across the end of the warm-up", 3s, 7'500ms},
                          Case{"until just after the warm-up", 3s, 5'100ms},
                          Case{"across the end of the interval", 13s, 17s},
                          Case{"across both ends of the interval", 3s, 20s}}) {
    SCOPED_TRACE(one.name);
    const Outcome outcome = run_with_standstill(plan, one.from, one.until);
    std::uint64_t warmup = 0;
    std::uint64_t measured = 0;
    Duration end{};
    for (const Sample& sample : outcome.samples) {
      SCOPED_TRACE(coro::seconds_of(sample.elapsed));
      EXPECT_EQ(sample.elapsed - sample.length, end);
      end = sample.elapsed;
      EXPECT_EQ(sample.phase, end <= plan.warmup ? Phase::warmup : Phase::measure);
      // A commit may be late by the resolution of timers, and one more ends with a standstill.
      const double commits = coro::seconds_of(sample.length) / coro::seconds_of(commit_pause);
      EXPECT_NEAR(static_cast<double>(sample.ok[0]), commits, 3);
      EXPECT_LE(sample.client_load, 1);
      (sample.phase == Phase::warmup ? warmup : measured) += sample.ok[0];
    }
    EXPECT_EQ(end, plan.warmup + plan.duration);
    EXPECT_EQ(warmup, outcome.workers[0]->warmup[0].ok_count.get());
    EXPECT_EQ(measured, outcome.workers[0]->measured[0].ok_count.get());
  }
}

}  // namespace
}  // namespace drover::load
