#include "load/availability.h"

#include <algorithm>

namespace drover::load {

using coro::Duration;
using coro::Instant;

namespace {

// Answers that are closer together are not recorded separately.
constexpr Duration answer_precision = std::chrono::milliseconds(10);

constexpr int usual_gaps_of_a_stall = 5;
constexpr Duration usual_gap_most = std::chrono::seconds(1);
constexpr int gaps_remembered = 16;

constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace

// Requires: the mutex is held.
void Availability::begin_outage(Instant now, std::string_view error) {
  if (current_) return;
  current_.emplace();
  // A server that hangs fails only after a timeout, but has been away since its last answer.
  const Instant since = since_.load(relaxed);
  current_->start = busy_workers_ > 0 && is_stall(since, now) ? since : now;
  current_->first_error = error;
  epoch_.fetch_add(1, std::memory_order_relaxed);
  down_.store(true, std::memory_order_relaxed);
}

// Requires: the mutex is held.
void Availability::keep(Outage outage) {
  if (record_.outages.size() < outages_most) {
    record_.outages.push_back(std::move(outage));
  } else {
    ++record_.outages_dropped;
  }
}

void Availability::end_outage(Instant now) {
  const std::lock_guard lock(mutex_);
  if (!current_) return;
  // The clocks of two threads' calls may be a little out of order.
  current_->end = std::max(now, current_->start);
  if (*current_->end - current_->start >= shortest_outage) {
    keep(std::move(*current_));
  } else {
    ++record_.interruptions;
  }
  current_.reset();
  since_.store(std::max(now, since_.load(relaxed)), relaxed);
  epoch_.fetch_add(1, std::memory_order_relaxed);
  down_.store(false, std::memory_order_relaxed);
}

// Requires: the mutex is held. So do learn_gap() and end_silence().
bool Availability::is_stall(Instant start, Instant end) const {
  return end - start >= stall_from_.load(relaxed);
}

void Availability::learn_gap(Duration gap) {
  const Duration seen = std::clamp(gap, Duration::zero(), usual_gap_most);
  usual_gap_ = usual_gap_ ? *usual_gap_ + (seen - *usual_gap_) / gaps_remembered : seen;
  stall_from_.store(std::max(shortest_stall, *usual_gap_ * usual_gaps_of_a_stall), relaxed);
  precision_.store(answer_precision, relaxed);
}

// The clocks of two threads' calls may be a little out of order.
void Availability::end_silence(Instant now) {
  const Instant since = since_.load(relaxed);
  if (now <= since) return;
  since_.store(now, relaxed);
  if (current_ || !is_stall(since, now)) return;
  if (record_.stalls.size() < outages_most) {
    record_.stalls.push_back({since, now});
  } else {
    ++record_.stalls_dropped;
  }
  epoch_.fetch_add(2, relaxed);
}

void Availability::note_answer(Instant now) {
  const std::lock_guard lock(mutex_);
  // The first answer sets the usual gap, by which stalls are judged.
  if (!usual_gap_) learn_gap(now - since_.load(relaxed));
  const Duration gap = now - since_.load(relaxed);
  end_silence(now);
  learn_gap(gap);
}

void Availability::work_began(Instant now) {
  const std::lock_guard lock(mutex_);
  if (busy_workers_++ > 0) return;
  end_silence(idle_since_);  // the silence ended when the last client stopped waiting
  since_.store(std::max(now, since_.load(relaxed)), relaxed);
}

void Availability::work_ended(Instant now) {
  const std::lock_guard lock(mutex_);
  if (--busy_workers_ == 0) idle_since_ = now;
}

void Availability::client_stood_still(Instant from, Instant until) {
  const std::lock_guard lock(mutex_);
  if (busy_workers_ > 0) end_silence(from);
  since_.store(std::max(until, since_.load(relaxed)), relaxed);
}

void Availability::transaction_lost(Instant now, std::string_view error) {
  const std::lock_guard lock(mutex_);
  begin_outage(now, error);
  ++current_->transactions_lost;
}

void Availability::session_lost() {
  const std::lock_guard lock(mutex_);
  ++record_.sessions_lost;
}

void Availability::session_ended_idle() {
  const std::lock_guard lock(mutex_);
  ++record_.sessions_ended_idle;
}

void Availability::session_renewed() {
  const std::lock_guard lock(mutex_);
  ++record_.sessions_renewed;
}

void Availability::session_refused(Instant now, std::string_view error) {
  const std::lock_guard lock(mutex_);
  ++record_.sessions_refused;
  begin_outage(now, error);
}

void Availability::session_reopened(Instant now) {
  {
    const std::lock_guard lock(mutex_);
    ++record_.sessions_reopened;
  }
  if (down()) end_outage(now);
}

Duration Availability::away_for(Instant now) const {
  const std::lock_guard lock(mutex_);
  if (!current_ || now - current_->start < shortest_outage) return {};
  return now - current_->start;
}

Duration Availability::silent_for(Instant now) const {
  const std::lock_guard lock(mutex_);
  const Instant since = since_.load(relaxed);
  if (current_ || busy_workers_ == 0 || !is_stall(since, now)) return {};
  return now - since;
}

void Availability::add_stalls(Instant now, std::size_t most, AvailabilityRecord& record) const {
  const auto long_enough = [&](Instant start, Instant end) {
    return std::min(end, now) - start >= shortest_stall;
  };
  for (const Stall& stall : record_.stalls) {
    if (long_enough(stall.start, *stall.end)) record.stalls.push_back(stall);
  }
  const Instant since = since_.load(relaxed);
  const bool goes_on = busy_workers_ > 0 || idle_since_ >= now;
  const Instant until = goes_on ? now : idle_since_;
  if (!current_ && is_stall(since, until)) {
    record.stalls.push_back({since, goes_on ? std::nullopt : std::optional(until)});
  }
  if (record.stalls.size() <= most) return;
  const std::size_t dropped = record.stalls.size() - most;
  record.stalls.erase(record.stalls.begin(),
                      record.stalls.begin() + static_cast<std::ptrdiff_t>(dropped));
  record.stalls_dropped += dropped;
}

AvailabilityRecord Availability::record(Instant now) const {
  return recent(now, outages_most);
}

AvailabilityRecord Availability::recent(Instant now, std::size_t most) const {
  const std::lock_guard lock(mutex_);
  AvailabilityRecord record{record_.counts()};
  record.sessions_renewed = record_.sessions_renewed;
  record.outages_dropped = record_.outages_dropped;
  record.stalls_dropped = record_.stalls_dropped;
  const std::size_t kept = std::min(most, record_.outages.size());
  record.outages_dropped += record_.outages.size() - kept;
  record.outages.assign(record_.outages.end() - static_cast<std::ptrdiff_t>(kept),
                        record_.outages.end());
  add_stalls(now, most, record);
  if (!current_) return record;
  if (now - current_->start >= shortest_outage) {
    record.outages.push_back(*current_);
  } else {
    ++record.interruptions;
  }
  return record;
}

bool is_lasting(const database::Error& error) noexcept {
  if (error.error_class() != database::ErrorClass::statement) return false;
  const std::string_view sqlstate = error.sqlstate();
  const bool is_of_family =
      sqlstate.size() == 5 && (sqlstate.starts_with("42") || sqlstate.starts_with("3F"));
  return is_of_family || sqlstate == "0A000" || sqlstate == "SCHEME_ERROR" ||
         sqlstate == "UNSUPPORTED";
}

void HopelessTypes::succeeded(std::size_t type) {
  const std::lock_guard lock(mutex_);
  types_[type].has_succeeded = true;
}

bool HopelessTypes::failed(std::size_t type, const database::Error& error, coro::Instant now) {
  const std::lock_guard lock(mutex_);
  Failures& failures = types_[type];
  if (failures.has_succeeded) return false;
  if (!is_lasting(error)) {
    failures.in_a_row = 0;
    return false;
  }
  if (failures.in_a_row == 0 || failures.sqlstate != error.sqlstate()) {
    failures = {.sqlstate = error.sqlstate(), .since = now};
  }
  ++failures.in_a_row;
  return failures.in_a_row >= failures_least && now - failures.since >= time_least;
}

}  // namespace drover::load
