// The description of totals: each field with its name in the result document, its bounds and its
// meaning. The writers, readers and the schema of documents, the messages between hosts and Adder
// are its visitors (settings/field.h).
//
// Included by the .cpp files that use visitors.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "model/totals.h"
#include "settings/field.h"

namespace drover::model {

using settings::count;
using settings::milliseconds;
using settings::Need;
using settings::sentence;

// Returns the first of several objects that are described together.
const auto& first_of(const auto& first, const auto&... /*others*/) {
  return first;
}

// The descriptions of the figures of a histogram.
struct FigureWords {
  std::string_view percentiles = {};
  std::string_view mean = "Mean in milliseconds, exact.";
  std::string_view least = "Smallest value in milliseconds, exact.";
  std::string_view most = "Largest value in milliseconds, exact.";
  std::string_view buckets = "Histogram of all values.";
};

// Describes a histogram and the figures that follow from it, as fields of the enclosing object.
void describe_figures(auto& visit, const FigureWords& words, auto&... times) {
  visit.percentiles(times..., words.percentiles);
  const auto ms = [](std::uint64_t ns) { return static_cast<double>(ns) * 1e-6; };
  visit.repeats(
      "mean_ms", [&] { return first_of(times...).mean_ns() * 1e-6; }, milliseconds, words.mean);
  visit.repeats(
      "min_ms", [&] { return ms(first_of(times...).min_ns()); }, milliseconds, words.least);
  visit.repeats(
      "max_ms", [&] { return ms(first_of(times...).max_ns()); }, milliseconds, words.most);
  visit.buckets("histogram", times..., words.buckets);
}

template <class Type>
inline constexpr bool is_unknown_commits = false;
template <class Storage>
inline constexpr bool is_unknown_commits<UnknownCommits<Storage>> = true;

template <class... Type>
  requires(is_unknown_commits<std::remove_const_t<Type>> && ...)
void describe(auto& visit, Type&... one) {
  visit.repeats("count", [&] { return first_of(one...).count(); }, count, "Total number.");
  visit.field("committed", one.committed..., count,
              "Commits that the later lookup found in the data.");
  visit.field("not_committed", one.not_committed..., count,
              "Commits that the later lookup did not find in the data.");
  visit.field("unresolved", one.unresolved..., count, "Commits that the lookup could not resolve.");
}

// Fields that a snapshot of each second contains.
void describe_live_totals(auto& visit, auto&... one) {
  visit.field("ok_count", one.ok_count..., count, "Committed transactions.");
  visit.field("failed_count", one.failed_count..., count,
              "Transactions that ended in an error after all attempts.");
  visit.field("user_aborted_count", one.user_aborted_count..., count,
              "Transactions rolled back on purpose (clause 2.4.1.4).");
  visit.field("retry_count", one.retry_count..., count, "Attempts that were followed by a retry.");
  visit.counts(
      "errors_by_class", one.errors_by_class...,
      settings::one_of("retryable|connection_lost|ambiguous_commit|unavailable|denied|"
                       "statement|timed_out"),
      "Attempts that ended in an error, by error class. The sum is failed_count + retry_count.");
  describe_figures(
      visit,
      {.percentiles =
           "Latency in milliseconds, from the intended start to the answer over all attempts, of "
           "committed transactions and of late ones that were pending at the end.",
       .mean = "Mean latency in milliseconds, exact.",
       .least = "Smallest latency in milliseconds, exact.",
       .most = "Largest latency in milliseconds, exact.",
       .buckets =
           "Latency of committed transactions, and of pending.answered and pending.unanswered."},
      one.latency...);
}

// All fields. The fields that describe_live_totals() lacks are read when the workers have ended.
void describe_totals(auto& visit, auto&... one) {
  describe_live_totals(visit, one...);
  visit.field("attempts", one.attempts..., count,
              "Attempts, counted independently of the other counts: all_count + retry_count.");
  visit.field(
      "ambiguous", one.ambiguous...,
      "Unknown commit outcomes: the part of failed_count whose commit was sent and not answered.",
      Need::added);
  visit.counts("errors_by_sqlstate", one.errors_by_sqlstate..., settings::name,
               "Attempts that ended in an error, by SQLSTATE, for errors that have one.");
  visit.field("error_messages", one.error_messages..., sentence,
              "By SQLSTATE: the server's first message of an error that is not retried.",
              Need::added);
  visit.figures("wait", one.wait...,
                "Wait for a permit and a connection while the database was available.");
  visit.figures_or_null("keying", one.keying...,
                        "Actual keying times before the transactions; null if there were none.",
                        Need::added);
  visit.figures_or_null("think", one.think...,
                        "Actual think times after the transactions; null if there were none.",
                        Need::added);
  visit.figures_if_any("service", one.service...,
                       "Service time: the latency without a late start and without the wait for a "
                       "connection. Only in an open loop.");
}

void describe_host_totals(auto& visit, auto&... one) {
  visit.field("ok_count", one.ok_count..., count, "Transactions committed on this host.");
  visit.field("failed_count", one.failed_count..., count,
              "Transactions that ended in an error after all attempts.");
  visit.figures("service", one.service..., "Service time of the committed transactions.");
}

void describe_connections(auto& visit, auto&... one) {
  visit.field("interruptions", one.interruptions..., count, "Outages shorter than 0.1 s.");
  visit.field("sessions_lost", one.sessions_lost..., count, "Connections lost.");
  visit.field("sessions_ended_idle", one.sessions_ended_idle..., count,
              "Lost connections that were closed while they were idle. No transaction failed "
              "because of it. 0 in older documents.",
              Need::added);
  visit.field("sessions_reopened", one.sessions_reopened..., count,
              "Lost connections that were opened again.");
  visit.field("sessions_refused", one.sessions_refused..., count,
              "Failed attempts to open a lost connection again. 0 in older documents.",
              Need::added);
}

// Fields of an interval that are counts: they can be added over intervals and over hosts.
void describe_interval_counts(auto& visit, auto&... one) {
  visit.counts_by_transaction("ok", one.ok..., "Commits by transaction type.");
  visit.field("failed", one.failed..., count, "Failed transactions.");
  visit.field("retries", one.retries..., count, "Attempts that were followed by a retry.",
              Need::added);
  visit.buckets_if_any("latency", one.latency...,
                       "Latency of the committed transactions, for merging. Only in a part of a "
                       "run on several hosts.");
}

void describe_interval(auto& visit, auto&... one) {
  describe_interval_counts(visit, one...);
  visit.field("p50_ms", one.p50_ms..., milliseconds,
              "Median latency of all transaction types together, in milliseconds.");
  visit.field("p90_ms", one.p90_ms..., milliseconds,
              "90th percentile of the latency, in milliseconds.");
  visit.field("p99_ms", one.p99_ms..., milliseconds,
              "99th percentile of the latency, in milliseconds.");
  visit.field("in_flight", one.in_flight..., count,
              "Transactions in flight at the end of the interval.");
  visit.field("waiting", one.waiting..., count,
              "Transactions that waited for a permit or a connection at the end of the interval.");
  visit.field("client_load", one.client_load..., settings::share,
              "Share of the interval in which the busiest worker thread had a processor, 0 to 1 "
              "except for rounding.",
              Need::added);
}

}  // namespace drover::model
