// Observation of the server's checkpoints (server_watch.h).

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/postgres/server_watch.h"
#include "database/postgres/session_setup.h"

namespace drover::database::postgres {
namespace {

using coro::Duration;
using coro::Instant;
using coro::seconds_of;
using coro::Task;

std::string_view cause(bool requested) {
  return requested ? "requested" : "timed";
}

}  // namespace

// The life of the counters is named by two times. A restart keeps the counters, but adds the time
// of its shutdown checkpoint, which was not counted as begun. After a crash of a server process the
// counters begin at zero without a restart.
std::optional<Statement> checkpoint_statement(std::string_view server_version) {
  constexpr std::string_view life =
      "pg_postmaster_start_time()::text || ' ' || "
      "coalesce(stats_reset::text, '')";
  int major = 0;
  const auto [rest, error] =
      std::from_chars(server_version.data(), server_version.data() + server_version.size(), major);
  // YugabyteDB ("11.2-YB-2.25") has these counters, but no checkpoints.
  if (error != std::errc() || server_version.find("-YB-") != std::string_view::npos) {
    return std::nullopt;
  }
  std::string sql = major <= 16 ? fmt::format(
                                      "SELECT checkpoints_timed::int8, checkpoints_req::int8, "
                                      "(checkpoint_write_time + checkpoint_sync_time)::int8, "
                                      "NULL::int8, {} FROM pg_catalog.pg_stat_bgwriter",
                                      life)
                                : fmt::format(
                                      "SELECT num_timed::int8, num_requested::int8, "
                                      "(write_time + sync_time)::int8, {}::int8, {} "
                                      "FROM pg_catalog.pg_stat_checkpointer",
                                      major >= 18 ? "num_done" : "NULL", life);
  return Statement{"drover_checkpoints", std::move(sql)};
}

// A checkpoint begins after the end of the previous one.
Instant CheckpointHistory::earliest(Instant start) const {
  for (auto one = checkpoints_.rbegin(); one != checkpoints_.rend(); ++one) {
    if (one->end) return std::max(start, *one->end);
  }
  return start;
}

void CheckpointHistory::add(ObservedCheckpoint checkpoint) {
  if (checkpoints_.size() < checkpoints_most) checkpoints_.push_back(checkpoint);
}

// A busy server may have reported the beginning late.
void CheckpointHistory::close(Instant now, Duration busy) {
  ObservedCheckpoint& last = checkpoints_.back();
  last.start = std::min(last.start, earliest(now - busy));
  last.end = now;
}

std::string CheckpointHistory::take(CheckpointCounters counters, Instant now) {
  const std::optional<CheckpointCounters> before = std::exchange(last_, std::move(counters));
  const Instant read_before = std::exchange(last_read_, now);
  if (!before) return {};
  if (before->life != last_->life) {
    // The end of the open checkpoint is lost with the old counters.
    if (is_open()) checkpoints_.back().end = read_before;
    return {};
  }
  const std::int64_t requested = last_->requested - before->requested;
  const bool begun = requested + last_->timed - before->timed > 0;
  const Duration busy = std::chrono::milliseconds(last_->busy_ms - before->busy_ms);
  std::int64_t ended = busy > Duration::zero() ? 1 : 0;
  if (last_->done && before->done) ended = *last_->done - *before->done;

  std::string news;
  if (is_open() && ended > 0) {
    close(now, busy);
    news =
        fmt::format("checkpoint ended after {:.1f} s", seconds_of(now - checkpoints_.back().start));
    if (--ended == 0 && !begun) return news;
  } else if (is_open() && begun) {
    checkpoints_.pop_back();  // the server counts skipped checkpoints, too
  }
  if (ended > 0) {
    const Instant start = earliest(now - busy);
    add({.start = start, .end = now, .requested = requested > 0});
    return fmt::format("checkpoint ended after {:.1f} s ({})", seconds_of(now - start),
                       cause(requested > 0));
  }
  if (!begun) return news;
  add({.start = now, .end = std::nullopt, .requested = requested > 0});
  if (!news.empty()) news += ", and another ";
  return news +
         fmt::format("{}began ({})", news.empty() ? "checkpoint " : "", cause(requested > 0));
}

CheckpointCounterWatch::CheckpointCounterWatch(Access access, NoteFunction on_note)
    : access_(std::move(access)), on_note_(std::move(on_note)) {}

Task<void> CheckpointCounterWatch::run() {
  constexpr Duration pause_before_reopening = std::chrono::seconds(5);
  for (;;) {
    try {
      co_await watch_session();
      co_return;
    } catch (const Error& error) {
      if (!known_ && error.is_permanent()) co_return;
    }
    co_await coro::sleep_for(pause_before_reopening);
  }
}

std::optional<std::vector<ObservedCheckpoint>> CheckpointCounterWatch::observed() const {
  if (!known_) return std::nullopt;
  return history_.checkpoints();
}

Task<void> CheckpointCounterWatch::watch_session() {
  // Longer than the server's statement_timeout, so that the server can report the timeout.
  constexpr Duration answer_limit = std::chrono::seconds(15);
  constexpr Duration pause_between_readings = std::chrono::seconds(1);
  const auto connection = co_await open_connection(access_);
  connection->set_round_trip_limit(answer_limit);
  const auto statement = checkpoint_statement(connection->parameter_status("server_version"));
  if (!statement) co_return;
  co_await set(*connection, "SET statement_timeout = '10s'");
  co_await connection->prepare({&*statement, 1});
  for (;;) {
    const Result result = co_await connection->execute(*statement);
    if (result.rows() != 1) co_return;
    CheckpointCounters counters{.timed = result.int8(0, 0),
                                .requested = result.int8(0, 1),
                                .busy_ms = result.int8(0, 2),
                                .done = std::nullopt,
                                .life = std::string(result.text(0, 4))};
    if (!result.is_null(0, 3)) counters.done = result.int8(0, 3);
    known_ = true;
    const std::string news = history_.take(std::move(counters), coro::Worker::current().now());
    if (!news.empty()) on_note_(news);
    co_await coro::sleep_for(pause_between_readings);
  }
}

}  // namespace drover::database::postgres
