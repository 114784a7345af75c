#include "lab/switch_watch.h"

#include <time.h>

#include <thread>

namespace drover::lab {
namespace {

coro::Instant now() {
  return coro::SteadyClock::instance().now();
}

double seconds(coro::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

coro::Duration cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + coro::Duration(time.tv_nsec);
}

struct Reading {
  coro::Instant instant;
  std::uint64_t operations = 0;
  coro::Duration cpu{};
  coro::Duration taken{};  // so far apart may the figures be
};

Reading read_once(const std::function<std::uint64_t()>& operations) {
  Reading reading;
  reading.instant = now();
  reading.operations = operations();
  reading.cpu = cpu_time();
  reading.taken = now() - reading.instant;
  return reading;
}

// Among thousands of threads the one that reads may lose the processor between two figures: the
// tightest of some readings.
Reading read(const std::function<std::uint64_t()>& operations) {
  constexpr coro::Duration tight = std::chrono::milliseconds(1);
  constexpr int attempts = 8;
  Reading best = read_once(operations);
  for (int i = 1; i < attempts && best.taken > tight; ++i) {
    const Reading reading = read_once(operations);
    if (reading.taken < best.taken) best = reading;
  }
  return best;
}

}  // namespace

SwitchWatch::SwitchWatch() : begun_(now()) {}

void SwitchWatch::measure(const SwitchPlan& plan, const std::function<std::uint64_t()>& operations,
                          SwitchOutcome& outcome) const {
  outcome.start_seconds = seconds(now() - begun_);
  std::this_thread::sleep_for(plan.warm_up);
  const Reading before = read(operations);
  std::this_thread::sleep_until(before.instant + plan.duration);
  const Reading after = read(operations);
  outcome.operations = after.operations - before.operations;
  outcome.seconds = seconds(after.instant - before.instant);
  outcome.cpu_seconds = seconds(after.cpu - before.cpu);
}

void SwitchWatch::finish(SwitchOutcome& outcome) const {
  outcome.wall_seconds = seconds(now() - begun_);
}

}  // namespace drover::lab
