#include "database/postgres/watch/server_activity.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "coro/deadline.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/postgres/dialect.h"
#include "database/postgres/pooling.h"

namespace drover::database::postgres {

using coro::Duration;
using coro::Instant;
using coro::Task;

namespace {

// Both views are read in milliseconds.
constexpr Duration look_limit = std::chrono::seconds(15);

Task<std::unique_ptr<Connection>> open_to_look(Access access) {
  const std::optional<Dialect> known = access.dialect;
  auto connection = co_await open(std::move(access));
  connection->set_round_trip_limit(look_limit);
  if (co_await is_pgpool(*connection)) connection->set_pooling(Pooling::pgpool);
  const Dialect dialect = known ? *known : co_await find_dialect(*connection);
  connection->set_dialect(dialect);
  co_return connection;
}

}  // namespace

ServerActivityWatch::ServerActivityWatch(Access access,
                                         std::function<void(std::string_view)> on_note)
    : access_(std::move(access)), on_note_(std::move(on_note)) {}

Task<void> ServerActivityWatch::run() {
  for (;;) {
    try {
      co_await watch_a_session();
      co_return;
    } catch (const Error& error) {
      const bool hopeless =
          error.error_class() == ErrorClass::statement || error.error_class() == ErrorClass::denied;
      if (!known_ && hopeless) {
        note("wait events", error.what());
        co_return;
      }
      if (!known_ && !std::exchange(said_absent_, true)) note("wait events so far", error.what());
    }
    co_await coro::sleep_for(pause_before_reopening);
  }
}

Task<void> ServerActivityWatch::finish(Duration patience) {
  if (!known_) co_return;
  try {
    co_await coro::with_deadline(coro::Worker::current().now() + patience, read_costs());
  } catch (const Error&) {
    // Unknown, like what takes too long.
  } catch (const coro::DeadlineExceeded&) {
  }
}

std::optional<ObservedActivity> ServerActivityWatch::observed() const {
  if (!known_) return std::nullopt;
  return activity_;
}

// Ends where there is nothing to see.
Task<void> ServerActivityWatch::watch_a_session() {
  const auto connection = co_await open_to_look(access_);
  if (const std::string reason = co_await why_no_wait_events(*connection); !reason.empty()) {
    if (!known_) note("wait events", reason);
    co_return;
  }
  if (const std::string reason = co_await costs_.read(*connection); !reason.empty()) {
    note("costs of statements", reason);
  }
  Instant due = coro::Worker::current().now();
  for (;;) {
    const auto counts = co_await read_wait_events(*connection);
    const Instant now = coro::Worker::current().now();
    take(counts, now);
    // Samples that were due while the server did not answer are left out.
    due = std::max(due + pause_, now);
    co_await coro::sleep_until(due);
  }
}

Task<void> ServerActivityWatch::read_costs() {
  const auto connection = co_await open_to_look(access_);
  activity_.statements = co_await costs_.read_all(*connection);
}

void ServerActivityWatch::take(const std::vector<WaitEventCount>& counts, Instant now) {
  known_ = true;
  if (activity_.samples.size() == samples_most) {
    thin(activity_.samples);
    pause_ *= 2;
  }
  ActivitySample& sample = activity_.samples.emplace_back();
  sample.time = now;
  for (const WaitEventCount& one : counts) {
    const auto known = std::ranges::find(activity_.events, one.event);
    const auto index = static_cast<std::uint32_t>(known - activity_.events.begin());
    if (known == activity_.events.end()) activity_.events.push_back(one.event);
    sample.sessions.emplace_back(index, one.sessions);
  }
}

void ServerActivityWatch::thin(std::vector<ActivitySample>& samples) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.size(); i += 2) std::swap(samples[kept++], samples[i]);
  samples.resize(kept);
}

void ServerActivityWatch::note(std::string_view what, std::string_view reason) {
  on_note_(fmt::format("note: --server-stats cannot show {}: {}", what, reason));
}

}  // namespace drover::database::postgres
