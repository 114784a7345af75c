// The step engines' three tests, as flows a second on one worker: flows one by one, waves of 30,000
// flows that each wait for an event, and flows that wait in a loop. The event is the success() of
// the waiting step, called from a task of the same worker, when every flow of the wave waits.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "steps/async_steps.h"
#include "steps/nitro_steps.h"

namespace drover::steps {
namespace {

constexpr std::size_t wave = 30'000;

// What these flows need, and what one gets without saying.
using SmallNitro = NitroSteps<MaxSteps<3>, MaxTimeouts<1>, MaxCancels<1>, MaxExtended<1>,
                              MaxStackAllocs<1>, MaxParallel<0>>;
using DefaultNitro = NitroSteps<>;

template <class FlowType>
void one_by_one(benchmark::State& state) {
  coro::Worker worker;
  std::size_t done = 0;
  auto body = [&]() -> coro::Task<void> {
    for (auto _ : state) {
      FlowType flow(worker);
      flow.add([](Steps&) {});
      flow.add([](Steps&) {});
      flow.add([&done](Steps&) { ++done; });
      flow.execute();
      co_await coro::yield();
    }
  };
  coro::block_on(worker, body());
  if (done != static_cast<std::size_t>(state.iterations())) state.SkipWithError("a flow was lost");
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(one_by_one<AsyncSteps>);
BENCHMARK(one_by_one<SmallNitro>);
BENCHMARK(one_by_one<DefaultNitro>);

template <class FlowType>
void waves(benchmark::State& state) {
  coro::Worker worker;
  std::size_t done = 0;
  std::vector<Steps*> waiting;
  waiting.reserve(wave);
  std::vector<std::optional<FlowType>> flows(wave);
  auto body = [&]() -> coro::Task<void> {
    for (auto _ : state) {
      waiting.clear();
      for (std::size_t i = 0; i < wave; ++i) {
        FlowType& flow = flows[i].emplace(worker);
        flow.add([&waiting](Steps& steps) {
          steps.wait_external();
          waiting.push_back(&steps);
        });
        flow.add([&done](Steps&) { ++done; });
        flow.execute();
      }
      while (waiting.size() < wave) co_await coro::yield();
      for (Steps* step : waiting) step->success();
      const std::size_t all = done + wave;
      while (done < all) co_await coro::yield();
      co_await coro::yield();
    }
  };
  coro::block_on(worker, body());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(wave));
}
BENCHMARK(waves<AsyncSteps>)->Unit(benchmark::kMillisecond);
BENCHMARK(waves<SmallNitro>)->Unit(benchmark::kMillisecond);
BENCHMARK(waves<DefaultNitro>)->Unit(benchmark::kMillisecond);

// An iteration of the benchmark is a wait of each flow.
template <class FlowType>
void waits_in_a_loop(benchmark::State& state) {
  coro::Worker worker;
  std::vector<Steps*> waiting;
  std::vector<Steps*> woken;
  waiting.reserve(wave);
  woken.reserve(wave);
  auto body = [&]() -> coro::Task<void> {
    std::deque<FlowType> flows;
    for (std::size_t i = 0; i < wave; ++i) {
      FlowType& flow = flows.emplace_back(worker);
      flow.loop([&waiting](Steps& steps) {
        steps.wait_external();
        waiting.push_back(&steps);
      });
      flow.execute();
    }
    for (auto _ : state) {
      while (waiting.size() < wave) co_await coro::yield();
      woken.swap(waiting);
      for (Steps* step : woken) step->success();
      woken.clear();
    }
    for (FlowType& flow : flows) flow.cancel();
  };
  coro::block_on(worker, body());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(wave));
}
BENCHMARK(waits_in_a_loop<AsyncSteps>)->Unit(benchmark::kMillisecond);
BENCHMARK(waits_in_a_loop<SmallNitro>)->Unit(benchmark::kMillisecond);
BENCHMARK(waits_in_a_loop<DefaultNitro>)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace drover::steps

BENCHMARK_MAIN();
