// The three tests of `drover lab steps` on Asio, on one thread: `asio_steps TEST FLOWS WAVE WAITS`.
//
// An event keeps its waiter's handler and dispatches it. To post it takes longer, and so does what
// Asio has ready-made: a channel, or a timer that never expires and is cancelled.
#include <algorithm>
#include <asio/dispatch.hpp>
#include <asio/post.hpp>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>

#include "asio_coroutine.h"
#include "measure/process.h"
#include "peer.h"

namespace drover::peers {
namespace {

struct Counts {
  std::uint64_t waiting = 0;
  std::uint64_t done = 0;
};

// What one flow waits for. Triggering it resumes the flow at once.
class Event {
 public:
  explicit Event(Executor executor) : executor_(executor) {}

  Awaitable wait() {
    auto keep = [this](Waiter waiter) { waiter_.emplace(std::move(waiter)); };
    Token token;
    return asio::async_initiate<Token, void()>(keep, token);
  }

  // Requires that the flow waits.
  void trigger() {
    Waiter waiter = std::move(*waiter_);
    waiter_.reset();
    asio::dispatch(executor_, std::move(waiter));
  }

 private:
  using Token = asio::use_awaitable_t<Executor>;
  using Waiter = asio::async_result<Token, void()>::handler_type;

  Executor executor_;
  std::optional<Waiter> waiter_;
};

Awaitable flow(Counts& counts) {
  ++counts.done;
  co_return;
}

Awaitable waiting_flow(Counts& counts, Event& event, std::uint64_t waits) {
  for (std::uint64_t i = 0; i < waits; ++i) {
    ++counts.waiting;
    co_await event.wait();
    ++counts.done;
  }
}

// Each flow is one that the context knows of, not a plain call of a coroutine.
Awaitable run_one_by_one(Executor executor, Counts& counts, std::uint64_t flows) {
  for (std::uint64_t i = 0; i < flows; ++i) {
    co_await asio::co_spawn(executor, flow(counts), awaited);
  }
}

// A wave of flows that wait so many times in all, where it does not divide the first ones once
// more. When all of them wait, each gets its event.
Awaitable run_wave(Executor executor, Counts& counts, std::uint64_t flows, std::uint64_t waits) {
  std::deque<Event> events;
  const std::uint64_t before = counts.done;
  for (std::uint64_t i = 0; i < flows; ++i) {
    const std::uint64_t mine = waits / flows + (i < waits % flows ? 1 : 0);
    asio::co_spawn(executor, waiting_flow(counts, events.emplace_back(executor), mine),
                   asio::detached);
  }
  for (std::uint64_t triggered = 0; triggered < waits;) {
    const std::uint64_t now = std::min(flows, waits - triggered);
    triggered += now;
    while (counts.waiting < before + triggered) co_await asio::post(executor, awaited);
    for (std::uint64_t i = 0; i < now; ++i) events[i].trigger();
  }
  while (counts.done < before + waits) co_await asio::post(executor, awaited);
}

Awaitable run_in_waves(Executor executor, Counts& counts, std::uint64_t flows, std::uint64_t wave) {
  for (std::uint64_t left = flows; left > 0;) {
    const std::uint64_t now = std::min(left, wave);
    co_await run_wave(executor, counts, now, now);
    left -= now;
  }
}

int run(int argc, char** argv) {
  const std::string_view test = argc > 1 ? argv[1] : "";
  const std::uint64_t flows = count_argument(argc, argv, 2, "FLOWS");
  const std::uint64_t wave = count_argument(argc, argv, 3, "WAVE");
  const std::uint64_t waits = count_argument(argc, argv, 4, "WAITS");

  asio::io_context context(one_thread);
  const Executor executor = context.get_executor();
  Counts counts;
  std::uint64_t expected = flows;
  if (test == "simple") {
    asio::co_spawn(executor, run_one_by_one(executor, counts, flows), asio::detached);
  } else if (test == "parallel") {
    asio::co_spawn(executor, run_in_waves(executor, counts, flows, wave), asio::detached);
  } else if (test == "waits") {
    expected = waits;
    asio::co_spawn(executor, run_wave(executor, counts, wave, waits), asio::detached);
  } else {
    fail_usage("TEST: expected simple, parallel or waits");
  }
  const measure::ProcessUsage before = measure::read_process_usage();
  const auto begun = std::chrono::steady_clock::now();
  context.run();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begun;
  const double cpu = measure::read_process_usage().cpu_seconds - before.cpu_seconds;
  if (counts.done != expected) fail("some flows did not end");
  print_steps(asio_version(), {counts.done, seconds.count(), cpu, before.rss_bytes});
  return 0;
}

}  // namespace
}  // namespace drover::peers

int main(int argc, char** argv) {
  return drover::peers::run(argc, argv);
}
