#include "cli/run_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "cli/interrupt.h"
#include "cli/usage_error.h"
#include "coro/block_on.h"

namespace drover::cli {
namespace {

coro::Task<void> until_interrupted(coro::Task<void> work, bool& done) {
  coro::CancelSource& outer = co_await coro::current_source();
  coro::Scope scope(outer);
  InterruptWatch interrupt([&] { scope.cancel(); });
  auto body = [&]() -> coro::Task<void> {
    co_await std::move(work);
    done = true;
    scope.cancel();  // ends the watch
  };
  scope.start(interrupt.watch());
  scope.start(body());
  co_await scope.join();
}

}  // namespace

int run_command(coro::Task<void> work) {
  const BlockedInterrupts blocked;
  coro::Worker worker;
  bool done = false;
  coro::block_on(worker, until_interrupted(std::move(work), done));
  return done ? exit_success : exit_interrupted;
}

void note_to_stderr(std::string_view line) {
  fmt::print(stderr, "{}\n", line);
}

}  // namespace drover::cli
