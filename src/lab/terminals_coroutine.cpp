// A terminal as a coroutine: the blocking version with co_await before what waits.
#include "coro/scope.h"
#include "coro/sleep.h"
#include "lab/terminal_herd.h"

namespace drover::lab {
namespace {

using coro::Instant;
using coro::Scope;
using coro::Task;
using coro::Worker;

// What an asynchronous client hands out: something to await, here a timer.
auto request() {
  return coro::sleep_for(request_time);
}

template <bool is_watched>
Task<void> terminal(TerminalHerd& herd) {
  while (!herd.stopping) {
    const Instant due = is_watched ? Worker::current().now() + pause_time : Instant{};
    co_await coro::sleep_for(pause_time);
    if constexpr (is_watched) herd.tally.note_pause(due, Worker::current().now());
    for (int i = 0; i < requests_per_task; ++i) co_await request();
    ++herd.tally.tasks;
  }
}

}  // namespace

Task<void> drive_coroutines(TerminalHerd& herd) {
  const auto body = [&herd](Scope& scope) -> Task<void> {
    for (std::size_t i = 0; i < herd.terminals; ++i) {
      scope.start(herd.is_watched(i) ? terminal<true>(herd) : terminal<false>(herd));
    }
    co_await herd.wait_for_end();
  };
  co_await coro::with_scope(body);
}

}  // namespace drover::lab
