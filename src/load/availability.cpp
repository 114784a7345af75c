#include "load/availability.h"

#include <algorithm>

namespace drover::load {

using coro::Instant;

// Requires: the mutex is held.
void Availability::begin_outage(Instant now, std::string_view error) {
  if (current_) return;
  current_.emplace();
  current_->start = now;
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
  epoch_.fetch_add(1, std::memory_order_relaxed);
  down_.store(false, std::memory_order_relaxed);
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

void Availability::session_refused(Instant now, std::string_view error) {
  const std::lock_guard lock(mutex_);
  begin_outage(now, error);
}

void Availability::session_reopened(Instant now) {
  {
    const std::lock_guard lock(mutex_);
    ++record_.sessions_reopened;
  }
  if (down()) end_outage(now);
}

coro::Duration Availability::away_for(Instant now) const {
  const std::lock_guard lock(mutex_);
  if (!current_ || now - current_->start < shortest_outage) return {};
  return now - current_->start;
}

AvailabilityRecord Availability::record(Instant now) const {
  return recent(now, outages_most);
}

AvailabilityRecord Availability::recent(Instant now, std::size_t most) const {
  const std::lock_guard lock(mutex_);
  AvailabilityRecord record{.outages = {},
                            .interruptions = record_.interruptions,
                            .sessions_lost = record_.sessions_lost,
                            .sessions_reopened = record_.sessions_reopened,
                            .outages_dropped = record_.outages_dropped};
  const std::size_t kept = std::min(most, record_.outages.size());
  record.outages_dropped += record_.outages.size() - kept;
  record.outages.assign(record_.outages.end() - static_cast<std::ptrdiff_t>(kept),
                        record_.outages.end());
  if (!current_) return record;
  if (now - current_->start >= shortest_outage) {
    record.outages.push_back(*current_);
  } else {
    ++record.interruptions;
  }
  return record;
}

}  // namespace drover::load
