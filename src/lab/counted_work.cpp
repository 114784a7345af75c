#include "lab/counted_work.h"

#include <algorithm>
#include <cmath>

namespace drover::lab {
namespace {

// A run is long enough that reading the clock is nothing beside it, and short enough to fit between
// two interruptions.
constexpr std::uint64_t steps_a_run = 10'000;
constexpr int runs = 2'000;

coro::Duration fastest_run() {
  const coro::Clock& clock = coro::SteadyClock::instance();
  coro::Duration fastest = coro::Duration::max();
  std::uint64_t value = 1;
  for (int i = 0; i < runs; ++i) {
    const coro::Instant begun = clock.now();
    asm volatile("" : "+r"(value)::"memory");  // no part of the computing is moved out of the run
    value = compute(steps_a_run, value);
    asm volatile("" : "+r"(value)::"memory");
    fastest = std::min(fastest, clock.now() - begun);
  }
  return std::max(fastest, coro::Duration(1));
}

}  // namespace

[[gnu::noinline]] std::uint64_t compute(std::uint64_t steps, std::uint64_t value) noexcept {
  for (; steps > 0; --steps) {
    value ^= value << 13;
    value ^= value >> 7;
    value ^= value << 17;
  }
  return value;
}

std::uint64_t steps_in(coro::Duration duration) {
  const double run_ns = static_cast<double>(fastest_run().count());
  const double steps = static_cast<double>(duration.count()) / run_ns * steps_a_run;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(steps)));
}

}  // namespace drover::lab
