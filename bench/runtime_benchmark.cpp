// Measures parts of the runtime: awaiting a task, starting a task, a post, and timers on the wheel
// beside timers on a binary heap (which cannot remove from its middle).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "coro/timer_wheel.h"

namespace drover::coro {
namespace {

Task<int> leaf() {
  co_return 1;
}

void await_a_task(benchmark::State& state) {
  Worker worker;
  auto body = [&state]() -> Task<void> {
    int sum = 0;
    for (auto _ : state) sum += co_await leaf();
    benchmark::DoNotOptimize(sum);
  };
  block_on(worker, body());
}
BENCHMARK(await_a_task);

// So many tasks yield to each other; their frames lie in memory in another order than in the queue,
// as those of tasks do that have waited for this and that.
void resume_scattered_frames(benchmark::State& state) {
  Worker worker;
  const auto count = static_cast<std::size_t>(state.range(0));
  bool stopping = false;
  const auto flow = [&stopping]() -> Task<void> {
    while (!stopping) co_await yield();
  };
  const auto body = [&](Scope& scope) -> Task<void> {
    std::vector<Task<void>> tasks;
    for (std::size_t i = 0; i < count; ++i) tasks.push_back(flow());
    std::shuffle(tasks.begin(), tasks.end(), std::mt19937_64(1));
    for (Task<void>& task : tasks) scope.start(std::move(task));
    for (auto _ : state) co_await yield();
    stopping = true;
  };
  block_on(worker, with_scope(body));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(resume_scattered_frames)->Arg(64)->Arg(4'096)->Arg(65'536);

Task<void> nothing() {
  co_return;
}

void start_a_task(benchmark::State& state) {
  Worker worker;
  auto body = [&state](Scope& scope) -> Task<void> {
    for (auto _ : state) {
      scope.start(nothing());
      co_await yield();
    }
  };
  block_on(worker, with_scope(body));
}
BENCHMARK(start_a_task);

// The think times of so many terminals, in nanoseconds.
std::vector<std::int64_t> delays() {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> think(1 / 12e9);
  std::vector<std::int64_t> result(1 << 16);
  for (auto& delay : result) delay = static_cast<std::int64_t>(think(random));
  return result;
}

struct Timer final : TimerNode {
  void on_timer() noexcept override { due->push_back(this); }
  std::vector<Timer*>* due = nullptr;
};

// Steps on from timer to timer; each that fires is armed again.
void timers_on_the_wheel(benchmark::State& state) {
  const std::vector<std::int64_t> delay = delays();
  std::size_t next = 0;
  const auto draw = [&] { return Duration(delay[next++ % delay.size()]); };
  Instant now{};
  TimerWheel wheel(now);
  std::vector<Timer*> due;
  std::vector<Timer> timers(static_cast<std::size_t>(state.range(0)));
  for (Timer& timer : timers) {
    timer.due = &due;
    wheel.add(timer, now + draw());
  }
  std::int64_t fired = 0;
  for (auto _ : state) {
    now = *wheel.next_expiry();
    wheel.expire(now);
    for (Timer* timer : due) wheel.add(*timer, now + draw());
    fired += static_cast<std::int64_t>(due.size());
    due.clear();
  }
  for (Timer& timer : timers) wheel.remove(timer);
  state.SetItemsProcessed(fired);
}
BENCHMARK(timers_on_the_wheel)->Arg(1'000)->Arg(150'000);

void timers_on_a_heap(benchmark::State& state) {
  const std::vector<std::int64_t> delay = delays();
  std::size_t next = 0;
  const auto draw = [&] { return delay[next++ % delay.size()]; };
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> heap;
  for (std::int64_t i = 0; i < state.range(0); ++i) heap.push(draw());
  std::int64_t fired = 0;
  for (auto _ : state) {
    const std::int64_t now = heap.top();
    heap.pop();
    heap.push(now + draw());
    ++fired;
  }
  state.SetItemsProcessed(fired);
}
BENCHMARK(timers_on_a_heap)->Arg(1'000)->Arg(150'000);

}  // namespace
}  // namespace drover::coro

BENCHMARK_MAIN();
