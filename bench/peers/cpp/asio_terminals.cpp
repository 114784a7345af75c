// The terminals on Asio: each is a coroutine with a timer of its own, each thread has a context of
// its own.
#include "asio_coroutine.h"
#include "terminals.h"

namespace drover::peers {
namespace {

// Not a coroutine itself: that would cost a frame for each wait.
Awaitable sleep(Timer& timer, std::chrono::microseconds time) {
  timer.expires_after(time);
  return timer.async_wait(awaited);
}

Awaitable terminal(Loop& loop, asio::io_context& context) {
  Timer timer(context.get_executor());
  while (!loop.is_stopping()) {
    co_await sleep(timer, pause_time);
    for (int i = 0; i < requests_per_task; ++i) co_await sleep(timer, request_time);
    loop.count_task();
  }
}

void drive(Loop& loop) {
  asio::io_context context(one_thread);
  for (std::size_t i = 0; i < loop.terminals; ++i) {
    asio::co_spawn(context.get_executor(), terminal(loop, context), asio::detached);
  }
  context.run();
}

}  // namespace
}  // namespace drover::peers

int main(int argc, char** argv) {
  return drover::peers::run_terminals(argc, argv, drover::peers::asio_version(),
                                      drover::peers::drive);
}
