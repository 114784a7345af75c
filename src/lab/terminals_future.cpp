// A terminal as a chain of futures: each step returns before it has happened, and the next is a
// lambda that somebody else calls. There is no loop to be seen and nothing on a stack; the state of
// a terminal is counted, since nobody can say whose lambda will be the last.
#include <memory>

#include "coro/event.h"
#include "lab/chained_future.h"
#include "lab/terminal_herd.h"

namespace drover::lab {
namespace {

using coro::Task;
using coro::Worker;

struct Terminals {
  TerminalHerd& herd;
  std::size_t running;
  coro::Event all_stopped;
};

struct Terminal {
  Terminals& all;
  bool is_watched;
  coro::Instant due{};
};

ChainedFuture request() {
  return ChainedFuture::after(request_time);
}

void begin_task(const std::shared_ptr<Terminal>& terminal) {
  Terminals& all = terminal->all;
  if (all.herd.stopping) {
    if (--all.running == 0) all.all_stopped.set();
    return;
  }
  if (terminal->is_watched) terminal->due = Worker::current().now() + pause_time;
  ChainedFuture::after(pause_time)
      .then([terminal] {
        if (terminal->is_watched) {
          terminal->all.herd.tally.note_pause(terminal->due, Worker::current().now());
        }
        return request();
      })
      .then([] { return request(); })
      .then([] { return request(); })
      .then([] { return request(); })
      .apply([terminal] {
        ++terminal->all.herd.tally.tasks;
        begin_task(terminal);
      });
}

}  // namespace

Task<void> drive_futures(TerminalHerd& herd) {
  Terminals all{herd, herd.terminals, {}};
  for (std::size_t i = 0; i < herd.terminals; ++i) {
    begin_task(std::make_shared<Terminal>(Terminal{all, herd.is_watched(i)}));
  }
  co_await herd.wait_for_end();
  co_await all.all_stopped.wait();
}

}  // namespace drover::lab
