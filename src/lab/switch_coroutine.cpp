// A flow as a coroutine: the loop of a thread, with co_await before what lets the others run.
#include "coro/scope.h"
#include "coro/sleep.h"
#include "lab/switch_herd.h"

namespace drover::lab {
namespace {

using coro::Scope;
using coro::Task;

Task<void> flow(SwitchHerd& herd, std::uint64_t value) {
  while (!herd.is_stopping()) {
    value = herd.operate(value);
    co_await coro::yield();
  }
  herd.keep(value);
}

}  // namespace

Task<void> drive_coroutines(SwitchHerd& herd) {
  const auto body = [&herd](Scope& scope) -> Task<void> {
    for (std::size_t i = 0; i < herd.flows; ++i) {
      scope.start(flow(herd, first_value(herd.first_flow + i)));
    }
    herd.note_started();
    co_return;
  };
  co_await coro::with_scope(body);
}

}  // namespace drover::lab
