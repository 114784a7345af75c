// Measures a draw from each distribution on one processor. items_per_second is draws per second.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "random/distributions.h"
#include "random/permutation.h"
#include "random/rng.h"
#include "random/zipfian.h"

namespace drover::random {
namespace {

constexpr std::uint64_t item_count = 100'000'000;

template <class Draw>
void measure(benchmark::State& state, Draw draw) {
  Rng rng(1);
  std::uint64_t sum = 0;
  for (auto _ : state) sum += draw(rng);
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(state.iterations());
}

// The argument is the skew in hundredths.
void zipfian(benchmark::State& state) {
  const Zipfian distribution(item_count, static_cast<double>(state.range(0)) / 100);
  measure(state, [&](Rng& rng) { return distribution.draw(rng); });
}
BENCHMARK(zipfian)->Arg(50)->Arg(99)->Arg(100)->Arg(120)->Arg(200);

void zipfian_permuted(benchmark::State& state) {
  const Zipfian distribution(item_count, 0.99);
  const Permutation permutation(item_count);
  measure(state, [&](Rng& rng) { return permutation(distribution.draw(rng)); });
}
BENCHMARK(zipfian_permuted);

// As `latest` does it while rows are inserted.
void zipfian_resized_each_time(benchmark::State& state) {
  Zipfian distribution(item_count, 0.99);
  std::uint64_t items = item_count;
  measure(state, [&](Rng& rng) {
    distribution.resize(++items);
    return distribution.draw(rng);
  });
}
BENCHMARK(zipfian_resized_each_time);

void permutation_alone(benchmark::State& state) {
  const Permutation permutation(static_cast<std::uint64_t>(state.range(0)));
  const std::uint64_t size = permutation.size();
  measure(state, [&](Rng& rng) { return permutation(rng.below(size)); });
}
BENCHMARK(permutation_alone)->Arg(100'000'000)->Arg((1 << 26) + 1)->Arg(1 << 26);

void scrambled_original_zipfian(benchmark::State& state) {
  const ScrambledOriginalZipfian distribution(item_count);
  measure(state, [&](Rng& rng) { return distribution.draw(rng); });
}
BENCHMARK(scrambled_original_zipfian);

void exponential(benchmark::State& state) {
  const Exponential distribution(95, 0.8571428571);
  measure(state, [&](Rng& rng) { return distribution.draw(rng, item_count); });
}
BENCHMARK(exponential);

void hotspot(benchmark::State& state) {
  const Hotspot distribution(0.2, 0.8);
  measure(state, [&](Rng& rng) { return distribution.draw(rng, item_count); });
}
BENCHMARK(hotspot);

void uniform64(benchmark::State& state) {
  measure(state, [](Rng& rng) { return rng.uniform64(1, item_count); });
}
BENCHMARK(uniform64);

}  // namespace
}  // namespace drover::random

BENCHMARK_MAIN();
