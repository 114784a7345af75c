#include "witness.h"

#include <fmt/format.h>

#include <utility>

#include "coro/worker.h"

namespace drover::simulation {
namespace {

using database::ErrorClass;

coro::Instant now() {
  return coro::Worker::current().now();
}

Sign::Kind kind_of(ErrorClass error) {
  switch (error) {
    case ErrorClass::connection_lost:
    case ErrorClass::ambiguous_commit:
    case ErrorClass::unavailable:
      return Sign::Kind::lost;
    default:
      return Sign::Kind::answered;
  }
}

std::string_view name_of(const tpcc::Input& input) {
  return tpcc::transaction_name(static_cast<tpcc::TransactionType>(input.index()));
}

}  // namespace

void Witness::note(std::string_view what, std::int64_t first, std::int64_t second) {
  const auto mix = [this](std::uint64_t value) {
    hash_ = (hash_ ^ value) * 0xd1342543de82ef95ULL;
    hash_ ^= hash_ >> 32;
  };
  const std::int64_t at = now().time_since_epoch().count();
  mix(static_cast<std::uint64_t>(at));
  for (const char c : what) mix(static_cast<unsigned char>(c));
  mix(static_cast<std::uint64_t>(first));
  mix(static_cast<std::uint64_t>(second));
  if (prints_)
    fmt::print("{:>16.9f}  {} {} {}\n", static_cast<double>(at) / 1e9, what, first, second);
}

std::size_t Witness::begin(std::size_t worker, const tpcc::Input& input, std::uint32_t mark) {
  const std::size_t number = attempts_.size();
  Attempt& attempt = attempts_.emplace_back();
  attempt.worker = worker;
  attempt.input = input;
  attempt.mark = mark;
  attempt.begun = now();
  if (!by_mark_.emplace(std::pair(worker, mark), number).second) {
    fault(fmt::format("the mark {} was given twice", mark));
  }
  note(name_of(input), static_cast<std::int64_t>(number), mark);
  return number;
}

void Witness::end(std::size_t attempt, Attempt::End how) {
  Attempt& one = attempts_.at(attempt);
  one.end = how;
  one.ended = now();
}

void Witness::committed(std::size_t attempt, std::int32_t orders) {
  end(attempt, Attempt::End::committed);
  attempts_[attempt].orders = orders;
  signs_.push_back({Sign::Kind::succeeded, now()});
  note("committed", static_cast<std::int64_t>(attempt));
}

void Witness::rolled_back(std::size_t attempt) {
  end(attempt, Attempt::End::rolled_back);
  signs_.push_back({Sign::Kind::succeeded, now()});
  note("rolled back", static_cast<std::int64_t>(attempt));
}

void Witness::failed(std::size_t attempt, const database::Error& error, bool commit_sent) {
  end(attempt, Attempt::End::error);
  attempts_[attempt].error_class = error.error_class();
  attempts_[attempt].is_slow = error.backoff() == database::Backoff::slow;
  attempts_[attempt].commit_sent = commit_sent;
  signs_.push_back({kind_of(error.error_class()), now()});
  note(database::error_class_name(error.error_class()), static_cast<std::int64_t>(attempt));
}

void Witness::cancelled(std::size_t attempt, bool commit_sent) {
  end(attempt, Attempt::End::cancelled);
  attempts_[attempt].commit_sent = commit_sent;
  note("cancelled", static_cast<std::int64_t>(attempt), commit_sent ? 1 : 0);
}

void Witness::session_lost(std::size_t worker) {
  ++sessions_lost_;
  note("session lost", static_cast<std::int64_t>(worker));
}

void Witness::session_refused(std::size_t worker) {
  signs_.push_back({Sign::Kind::refused, now()});
  note("session refused", static_cast<std::int64_t>(worker));
}

void Witness::session_opened(std::size_t worker) {
  ++sessions_opened_;
  signs_.push_back({Sign::Kind::opened, now()});
  note("session opened", static_cast<std::int64_t>(worker));
}

Attempt* Witness::find(std::size_t worker, const tpcc::UnknownCommit& doubt) {
  const auto it = by_mark_.find({worker, doubt.trace.mark});
  if (it == by_mark_.end() || attempts_[it->second].input.index() != doubt.input.index()) {
    fault(fmt::format("a doubt of {} with the mark {} was no attempt", name_of(doubt.input),
                      doubt.trace.mark));
    return nullptr;
  }
  return &attempts_[it->second];
}

void Witness::asked(std::size_t worker, const tpcc::UnknownCommit& doubt) {
  if (Attempt* attempt = find(worker, doubt)) ++attempt->asked;
}

void Witness::found(std::size_t worker, const tpcc::UnknownCommit& doubt,
                    tpcc::ResolvedCommit finding) {
  Attempt* attempt = find(worker, doubt);
  if (attempt == nullptr) return;
  attempt->found = finding.resolution;
  attempt->orders = finding.orders_delivered;
  note("found", attempt - attempts_.data(), static_cast<std::int64_t>(finding.resolution));
}

}  // namespace drover::simulation
