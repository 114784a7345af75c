#include "terminals.h"

#include <fmt/format.h>

#include <memory>
#include <thread>
#include <vector>

#include "measure/process.h"
#include "peer.h"

namespace drover::peers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds warm_up_least{1};
constexpr std::chrono::seconds warm_up_most{60};

std::uint64_t tasks_of(const std::vector<std::unique_ptr<Loop>>& loops) {
  std::uint64_t tasks = 0;
  for (const auto& loop : loops) tasks += loop->tasks.load(std::memory_order_relaxed);
  return tasks;
}

// At least a second, and until there are as many tasks as terminals: then all of them were made.
void warm_up(const std::vector<std::unique_ptr<Loop>>& loops, std::size_t terminals) {
  const Clock::time_point begun = Clock::now();
  std::this_thread::sleep_for(warm_up_least);
  while (tasks_of(loops) < terminals) {
    if (Clock::now() - begun > warm_up_most)
      fail("not every terminal completed a task within a minute");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

int run_terminals(int argc, char** argv, std::string_view version, Drive drive) {
  const std::size_t terminals = count_argument(argc, argv, 1, "TERMINALS");
  const double seconds = seconds_argument(argc, argv, 2, "SECONDS");
  const std::size_t threads = count_argument(argc, argv, 3, "THREADS");

  const measure::ProcessUsage before = measure::read_process_usage();
  std::vector<std::unique_ptr<Loop>> loops;
  for (std::size_t i = 0; i < threads; ++i) {
    loops.push_back(std::make_unique<Loop>());
    loops.back()->terminals = terminals / threads + (i < terminals % threads ? 1 : 0);
  }
  std::vector<std::thread> runners;
  for (auto& loop : loops) runners.emplace_back(drive, std::ref(*loop));

  warm_up(loops, terminals);
  const double cpu_before = measure::read_process_usage().cpu_seconds;
  const std::uint64_t tasks_before = tasks_of(loops);
  const Clock::time_point begun = Clock::now();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const std::uint64_t tasks = tasks_of(loops) - tasks_before;
  const double measured = std::chrono::duration<double>(Clock::now() - begun).count();
  const measure::ProcessUsage after = measure::read_process_usage();

  for (auto& loop : loops) loop->stopping.store(true, std::memory_order_relaxed);
  for (std::thread& runner : runners) runner.join();
  const double grown = static_cast<double>(after.rss_bytes) - static_cast<double>(before.rss_bytes);
  fmt::print(R"({{"version": "{}", "tasks": {}, "seconds": {}, "cpu_seconds": {}, )"
             R"("bytes_per_terminal": {}}})"
             "\n",
             version, tasks, measured, after.cpu_seconds - cpu_before,
             grown / static_cast<double>(terminals));
  return 0;
}

}  // namespace drover::peers
