#include "run/start_at.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "coro/sleep.h"
#include "coro/worker.h"
#include "text/plain_text.h"

namespace drover::run {
namespace {

// The machine's clock may be set while it is waited for: it is looked at again so often, and shortly before.
constexpr double look_again_s = 10;
constexpr double shortly_before_s = 1;

coro::Duration duration_of(double seconds) {
  return coro::Duration(static_cast<std::int64_t>(seconds * 1e9));
}

}  // namespace

coro::Task<coro::Instant> StartAt::terminals_up() {
  double left = unix_s_ - unix_time_();
  if (left < 0) {
    log_.on_note(fmt::format(
        "note: the time of --start-at passed while the terminals started. The run begins {} late",
        text::length_text(-left)));
  } else {
    log_.on_note(fmt::format("all terminals have started. Waiting {1} until {0}",
                             text::moment_text(static_cast<std::int64_t>(unix_s_)),
                             text::length_text(left)));
  }
  for (; left > shortly_before_s; left = unix_s_ - unix_time_()) {
    co_await coro::sleep_for(
        duration_of(std::min(std::max(left - shortly_before_s, 0.001), look_again_s)));
  }
  co_return coro::Worker::current().now() + duration_of(left);
}

}  // namespace drover::run
