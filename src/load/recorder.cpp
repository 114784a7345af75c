#include "load/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "database/error.h"

namespace drover::load {

using coro::Duration;
using coro::Instant;
using coro::Worker;
using database::Error;
using database::ErrorClass;
using database::Resolution;

namespace {

// A script may raise any SQLSTATE. SQLSTATEs beyond this number are counted by their class only.
constexpr std::size_t sqlstates_most = 1'000;
constexpr std::size_t messages_most = 50;
constexpr std::size_t message_bytes_most = 300;

std::uint64_t nanoseconds(Duration duration) noexcept {
  return duration > Duration::zero() ? static_cast<std::uint64_t>(duration.count()) : 0;
}

// Returns true if the connection failed, and not only the transaction.
bool is_loss(const Error& error) noexcept {
  return error.error_class() == ErrorClass::connection_lost ||
         error.error_class() == ErrorClass::ambiguous_commit ||
         error.error_class() == ErrorClass::unavailable;
}

}  // namespace

Recorder::ClientWait::~ClientWait() {
  const Timetable& times = recorder_.times_;
  if (ended_ && *ended_ < times.measure_end) return;
  const Instant ended = ended_.value_or(Worker::current().now());
  if (ended < times.measure_end || intended_start_ >= times.measure_end) return;
  if (times.measure_end <= times.measure_start) return;  // stopped in the warm-up
  recorder_.metrics_.pending.push_back({.type = type_,
                                        .age = times.measure_end - intended_start_,
                                        .latency = ended - intended_start_,
                                        .end = how_});
}

void Recorder::succeeded(Transaction& transaction, ClientWait& client_wait, const Served& served) {
  const Instant now = Worker::current().now();
  client_wait.end(
      now, transaction.committed() ? ClientWait::End::committed : ClientWait::End::rolled_back);
  note_success(now, transaction.type());
  transaction.count(measuring(now));
  SharedTotals* totals = totals_at(now, transaction.type());
  if (totals == nullptr) return;
  totals->attempts.add();
  if (served.wait) totals->wait.record(nanoseconds(*served.wait));
  if (!transaction.committed()) {
    totals->user_aborted_count.add();
    return;
  }
  totals->ok_count.add();
  totals->latency.record(nanoseconds(now - client_wait.intended_start()));
  if (keeps_service_) totals->service.record(nanoseconds(now - served.begun));
  if (SharedHostTotals* host = host_totals_at(now, served.host)) {
    host->ok_count.add();
    host->service.record(nanoseconds(now - served.begun));
  }
}

void Recorder::note_success(Instant now, std::size_t type) {
  notice_standstill(now);
  shared_.availability.transaction_succeeded(now);
  if (type < has_succeeded_.size() && has_succeeded_[type]) return;
  if (type >= has_succeeded_.size()) has_succeeded_.resize(type + 1);
  has_succeeded_[type] = true;
  shared_.hopeless_types.succeeded(type);
}

std::string Recorder::hopelessness(const std::string& type_name, std::size_t type,
                                   const Error& error) {
  if (type < has_succeeded_.size() && has_succeeded_[type]) return {};
  const Instant now = Worker::current().now();
  if (!shared_.hopeless_types.failed(type, error, now)) return {};
  return fmt::format(
      "no transaction of type {} has succeeded. They fail with {}, an error that a retry cannot "
      "solve: {}",
      type_name, error.sqlstate(), database::one_line(error.what()));
}

void Recorder::paused(measure::Histogram SharedTotals::* kind, std::size_t type, Instant begun,
                      Instant due) {
  const Instant now = Worker::current().now();
  note_timer_lag(now, due);
  if (!measuring(now)) return;
  (metrics_.measured[type].*kind).record(nanoseconds(now - begun));
}

void Recorder::note_timer_lag(Instant now, Instant due) {
  measure::Histogram& lag = measuring(now) ? metrics_.timer_lag : metrics_.timer_lag_warmup;
  lag.record(nanoseconds(now - due));
}

void Recorder::failed(const Transaction& transaction, const Error& error, ClientWait* client_wait,
                      std::size_t host) {
  const Instant now = Worker::current().now();
  SharedTotals* totals = client_wait != nullptr ? totals_at(now, transaction.type()) : nullptr;
  if (client_wait != nullptr) client_wait->end(now, ClientWait::End::none);
  notice_standstill(now);
  if (totals != nullptr) {
    count_error(*totals, error);
    totals->failed_count.add();
    if (SharedHostTotals* at = host_totals_at(now, host)) at->failed_count.add();
  }
  if (error.error_class() == ErrorClass::ambiguous_commit) {
    unknown_commits_.push_back({transaction.keep(), totals});
  }
  if (is_loss(error)) {
    shared_.availability.transaction_lost(now, error.what());
  } else if (error.error_class() != ErrorClass::timed_out) {
    shared_.availability.transaction_answered(now);  // with an error
  }
}

void Recorder::retried(const Transaction& transaction, const Error& error) {
  SharedTotals* totals = totals_at(Worker::current().now(), transaction.type());
  if (totals == nullptr) return;
  count_error(*totals, error);
  totals->retry_count.add();
}

void Recorder::count_error(SharedTotals& totals, const Error& error) {
  totals.attempts.add();
  totals.errors_by_class[static_cast<std::size_t>(error.error_class())].add();
  if (error.sqlstate().empty()) return;
  std::map<std::string, std::uint64_t>& counts = totals.errors_by_sqlstate;
  if (counts.size() < sqlstates_most || counts.contains(error.sqlstate())) {
    ++counts[error.sqlstate()];
  }
  std::map<std::string, std::string>& messages = totals.error_messages;
  if (error.error_class() == ErrorClass::retryable || messages.size() == messages_most) return;
  if (messages.contains(error.sqlstate())) return;
  messages.emplace(error.sqlstate(), database::one_line(error.what(), message_bytes_most));
}

void Recorder::commit_unknown(const Transaction& transaction) {
  unknown_commits_.push_back({transaction.keep(), nullptr});
}

std::vector<const Transaction*> Recorder::unknown_commits() const {
  std::vector<const Transaction*> unknown_commits;
  for (const UnknownCommit& doubt : unknown_commits_)
    unknown_commits.push_back(doubt.transaction.get());
  return unknown_commits;
}

void Recorder::settle(const std::vector<Resolution>& answers) {
  require(answers.size() == unknown_commits_.size(), "a commit in doubt has no answer");
  for (std::size_t i = 0; i < unknown_commits_.size(); ++i) {
    SharedTotals* totals = unknown_commits_[i].totals;
    if (totals == nullptr) continue;
    switch (answers[i]) {
      case Resolution::committed:
        totals->ambiguous.committed.add();
        break;
      case Resolution::not_committed:
        totals->ambiguous.not_committed.add();
        break;
      case Resolution::unknown:
        totals->ambiguous.unresolved.add();
    }
  }
  unknown_commits_.clear();
}

void Recorder::end_interval(Instant now) noexcept {
  times_.measure_end = std::min(times_.measure_end, now);
}

void Recorder::ticked(Instant due) {
  const Instant now = Worker::current().now();
  notice_standstill(now);
  note_timer_lag(now, due);
}

// Called for timers and for answers, because either may be seen first after a standstill.
void Recorder::notice_standstill(Instant now) {
  constexpr Duration shortest = std::chrono::milliseconds(500);
  if (now - next_tick_ < shortest) return;
  shared_.availability.client_stood_still(next_tick_, now);
  next_tick_ = now;
}

void Recorder::begin_work() {
  if (work_++ > 0) return;
  const Instant now = Worker::current().now();
  notice_standstill(now);
  shared_.availability.work_began(now);
}

void Recorder::end_work() {
  if (--work_ > 0) return;
  const Instant now = Worker::current().now();
  notice_standstill(now);
  shared_.availability.work_ended(now);
}

bool Recorder::answered_at_once(Instant now, ClientWait& client_wait, std::size_t type) {
  client_wait.end(now, ClientWait::End::committed);
  if (SharedTotals* totals = totals_at(now, type)) {
    const std::uint64_t waited = nanoseconds(now - client_wait.intended_start());
    totals->attempts.add();
    totals->ok_count.add();
    totals->latency.record(waited);
    totals->wait.record(waited);
  }
  return measuring(now);
}

SharedTotals* Recorder::totals_at(Instant instant, std::size_t type) noexcept {
  switch (times_.phase_at(instant)) {
    case Phase::warmup:
      return &metrics_.warmup[type];
    case Phase::measure:
      return &metrics_.measured[type];
    case Phase::done:
      break;
  }
  return nullptr;
}

SharedHostTotals* Recorder::host_totals_at(Instant instant, std::size_t host) noexcept {
  if (metrics_.hosts.measured.size() == 0) return nullptr;
  return measuring(instant) ? &metrics_.hosts.measured[host] : &metrics_.hosts.warmup[host];
}

}  // namespace drover::load
