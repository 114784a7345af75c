// A terminal as a thread: code that blocks. The simplest to read; the system keeps a stack for each
// and decides who runs.
#include <fmt/format.h>
#include <pthread.h>
#include <sys/prctl.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "lab/terminal_herd.h"
#include "lab/terminals_usage.h"

namespace drover::lab {
namespace {

using coro::Instant;

Instant now() {
  return std::chrono::steady_clock::now();
}

void request() {
  std::this_thread::sleep_for(request_time);
}

void terminal(const std::atomic<bool>& stopping, TerminalTally& tally, bool is_watched) {
  prctl(PR_SET_TIMERSLACK, 1UL);  // the default of 50 µs would be added to every sleep
  while (!stopping.load(std::memory_order_relaxed)) {
    const Instant due = now() + pause_time;
    std::this_thread::sleep_for(pause_time);
    if (is_watched) tally.note_pause(due, now());
    for (int i = 0; i < requests_per_task; ++i) request();
    ++tally.tasks;
  }
}

// As small as a stack may be: what is compared is the threads, not the memory wasted on them.
constexpr std::size_t stack_bytes = 64 * 1024;

constexpr coro::Duration start_patience = std::chrono::seconds(10);

class TerminalThread {
 public:
  TerminalThread(const std::atomic<bool>& stopping, bool is_watched)
      : stopping_(stopping), is_watched_(is_watched) {}
  TerminalThread(const TerminalThread&) = delete;
  TerminalThread& operator=(const TerminalThread&) = delete;

  ~TerminalThread() { join(); }

  void join() {
    if (std::exchange(started_, false)) pthread_join(thread_, nullptr);
  }

  void start() {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    const auto body = [](void* self) -> void* {
      auto& thread = *static_cast<TerminalThread*>(self);
      terminal(thread.stopping_, thread.tally, thread.is_watched_);
      return nullptr;
    };
    const int error = pthread_create(&thread_, &attributes, body, this);
    pthread_attr_destroy(&attributes);
    if (error != 0) throw std::system_error(error, std::generic_category(), "pthread_create");
    started_ = true;
  }

  TerminalTally tally;

 private:
  const std::atomic<bool>& stopping_;
  const bool is_watched_;
  bool started_ = false;
  pthread_t thread_{};
};

// Those that run already keep the processors from the one that starts the others.
void require_in_time(Instant begun, coro::Duration duration, std::size_t started,
                     std::size_t terminals) {
  if (now() - begun < duration + start_patience) return;
  throw std::runtime_error(
      fmt::format("only {} of {} threads were started in {} s", started, terminals,
                  std::chrono::round<std::chrono::seconds>(now() - begun).count()));
}

}  // namespace

TerminalsOutcome run_terminal_threads(const TerminalsPlan& plan) {
  std::atomic<bool> stopping = false;
  std::vector<std::unique_ptr<TerminalThread>> threads;
  const auto stop = [&] {
    stopping.store(true, std::memory_order_relaxed);
    threads.clear();
  };
  TerminalsOutcome outcome;
  measure::HistogramSnapshot lateness;
  try {
    TerminalsUsage usage(plan.terminals);
    for (std::size_t i = 0; i < plan.terminals; ++i) {
      threads.push_back(
          std::make_unique<TerminalThread>(stopping, i % terminals_a_watched_one == 0));
      threads.back()->start();
      require_in_time(usage.begun(), plan.duration, i + 1, plan.terminals);
    }
    std::this_thread::sleep_until(usage.begun() + plan.duration);
    // Before the time is taken: what is done after it must not count.
    stopping.store(true, std::memory_order_relaxed);
    usage.finish(outcome);
  } catch (...) {
    stop();
    throw;
  }
  for (auto& thread : threads) {
    TerminalTally& tally = thread->tally;
    thread->join();
    outcome.tasks += tally.tasks;
    outcome.early += tally.early;
    tally.lateness.add_to(lateness);
  }
  set_lateness(outcome, lateness);
  return outcome;
}

}  // namespace drover::lab
