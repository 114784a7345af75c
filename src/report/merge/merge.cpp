#include "report/merge/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "model/adder.h"
#include "report/document/result_fields.h"
#include "report/merge/merge_sums.h"
#include "report/merge/part_match.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

// The order of parts in the result, which does not depend on the order of arrival.
struct Place {
  std::uint64_t rank = 0;
  std::uint64_t warehouse = 0;
  std::string name;

  auto operator<=>(const Place&) const = default;
};

// A value that one host supplies for all: the host of the lowest place that has one.
template <class Value>
class OfLowest {
 public:
  void offer(const Place& place, const std::optional<Value>& value) {
    if (!value || (place_ && *place_ < place)) return;
    place_ = place;
    value_ = value;
  }
  const std::optional<Value>& value() const { return value_; }

 private:
  std::optional<Place> place_;
  std::optional<Value> value_;
};

template <class Value>
std::optional<Value> if_any(Value value) {
  return value.empty() ? std::nullopt : std::optional(std::move(value));
}

// A host, with the values that are added in the order of ranks.
struct Host {
  Place place;
  RankResult rank;
  std::vector<WorkerHealth> workers;
  bool ended_early = false;  // by a person, or it has given up
};

// Adds a section that is part of the sum only if every part has it.
template <class Section>
void add_if_in_all(std::optional<Section>& sum, const std::optional<Section>& part) {
  if (!part) sum.reset();
  if (sum) model::add(*sum, *part);
}

// Hosts that end together measure intervals whose lengths differ by less than this.
constexpr double early_least_s = 2;

// Longer lists name this number of items and the number of the others.
constexpr std::size_t named_most = 8;

void join_most(std::vector<std::string>& texts, std::string_view what, std::string_view between,
               std::vector<std::string>& into) {
  const std::size_t count = texts.size();
  if (count == 0) return;
  if (count > named_most) texts.resize(named_most);
  into.push_back(fmt::format("{}", fmt::join(texts, between)));
  if (count > named_most) into.back() += fmt::format(" and {} more {}", count - named_most, what);
}

// Returns the warehouses that no host has: "1 to 100", "201 to 250".
std::vector<std::string> uncovered(const std::vector<Host>& hosts, std::uint64_t warehouses) {
  std::vector<std::string> gaps;
  std::uint64_t next = 1;
  const auto gap_before = [&](std::uint64_t first) {
    if (first <= next) return;
    gaps.push_back(first - next == 1 ? fmt::format("{}", next)
                                     : fmt::format("{} to {}", next, first - 1));
  };
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const Host& host : hosts)
    ranges.emplace_back(host.rank.warehouse_first, host.rank.warehouse_last);
  std::ranges::sort(ranges);
  for (const auto& [first, last] : ranges) {
    gap_before(first);
    next = last + 1;
  }
  gap_before(warehouses + 1);
  return gaps;
}

std::string missing_ranks(const std::vector<Host>& hosts) {
  const std::uint64_t ranks = hosts.front().rank.ranks;
  std::vector<std::uint64_t> missing;
  auto host = hosts.begin();
  for (std::uint64_t rank = 0; rank < ranks && missing.size() <= named_most; ++rank) {
    if (host != hosts.end() && host->rank.rank == rank) {
      ++host;
    } else {
      missing.push_back(rank);
    }
  }
  if (missing.empty()) return {};
  const std::uint64_t count = ranks - hosts.size();
  if (count > named_most) missing.resize(named_most);
  return fmt::format("{} {}{} of {} (counted from 0) {} missing", count == 1 ? "rank" : "ranks",
                     fmt::join(missing, ", "),
                     count > named_most ? fmt::format(" and {} more", count - named_most) : "",
                     ranks, count == 1 ? "is" : "are");
}

}  // namespace

struct Merger::Sum {
  Result result;
  PartMatch match;
  std::vector<Host> hosts;
  SecondSums seconds;
  SpanSums spans;
  OfLowest<measure::Host> client;
  OfLowest<Server> server;
  OfLowest<std::vector<Checkpoint>> checkpoints;
  OfLowest<ServerStats> server_stats;
  OfLowest<std::string> failure;
  OfLowest<std::string> first_wrong;
  bool misses_lost_commits = false;

  void add(const Result& part);
  void add_sections(const Result& part);
  void add_plan(const Result& part);
  void finish_ranks();
  std::optional<std::string> what_is_missing() const;
};

Merger::Merger() : sum_(std::make_unique<Sum>()) {}
Merger::Merger(Merger&&) noexcept = default;
Merger& Merger::operator=(Merger&&) noexcept = default;
Merger::~Merger() = default;

void Merger::add(Result part, const std::string& name) {
  sum_->match.require(part, name);
  sum_->match.take(part, name);
  // The part of a lost host already has the figures of its rank.
  if (part.ranks.front().lost.empty()) complete_rank(part);
  sum_->add(part);
}

namespace {

// Returns 100 for the sum of seven sevenths of 100, not 99.99999999999999.
double without_rounding_errors(double sum) {
  return std::strtod(fmt::format("{:.12g}", sum).c_str(), nullptr);
}

}  // namespace

void Merger::Sum::add_plan(const Result& part) {
  settings::RunSettings& sum = result.plan;
  sum.threads += part.plan.threads;
  sum.connections += part.plan.connections;
  sum.max_inflight += part.plan.max_inflight;
  sum.clients += part.plan.clients;
  sum.rate = without_rounding_errors(sum.rate + part.plan.rate);
  sum.operations += part.plan.operations;
  sum.terminals += part.plan.terminals;
  sum.server_stats = sum.server_stats || part.plan.server_stats;
}

// Adds to the sum the sections of `part` that are merged field by field. Requires: the sum already
// has the sections of an earlier part.
void Merger::Sum::add_sections(const Result& part) {
  add_plan(part);
  model::add(result.transactions, part.transactions);
  model::add(result.inputs, part.inputs);
  result.delivery_skipped_districts += part.delivery_skipped_districts;
  model::add(result.deferred_delivery, part.deferred_delivery);
  model::add(result.availability, part.availability);
  if (result.warehouse_availability && part.warehouse_availability) {
    const WarehouseAvailability& one = *part.warehouse_availability;
    WarehouseAvailability& sum = *result.warehouse_availability;
    sum.away.insert(sum.away.end(), one.away.begin(), one.away.end());
    sum.away_s += one.away_s;
  } else {
    result.warehouse_availability.reset();
  }
  model::add(result.ledger, part.ledger);
  add_if_in_all(result.ledger_in_data, part.ledger_in_data);
  if (!result.lost_commits) {
    result.lost_commits = part.lost_commits;
  } else if (part.lost_commits) {
    add_lost_commits(*result.lost_commits, *part.lost_commits);
  }
  model::add(result.accounts, part.accounts);
  model::add(result.verification, part.verification);
  model::add(result.backlog, part.backlog);
  model::Adder adder;
  describe_client(adder, result, part);
  model::add(result.hosts, part.hosts);
  result.summary.time_seconds = std::max(result.summary.time_seconds, part.summary.time_seconds);
  result.interrupted = result.interrupted || part.interrupted;
}

void Merger::Sum::add(const Result& part) {
  RankResult rank = part.ranks.front();
  if (part.kind().has_warehouses)
    std::tie(rank.warehouse_first, rank.warehouse_last) = PartMatch::range_of(part);
  rank.threads = part.client.workers.size();
  const Place place{rank.rank, rank.warehouse_first, rank.name};
  const std::int64_t earlier_start = result.summary.measure_start_ts;
  if (hosts.empty()) {
    result = part;
    result.plan.of_all_hosts.reset();
    result.ranks.clear();
    result.audit.clear();
    result.time_series.clear();
    result.client.workers.clear();
    if (result.lost_commits) add_lost_commits(*result.lost_commits, {});
  } else {
    add_sections(part);
  }
  misses_lost_commits = misses_lost_commits || !part.lost_commits;
  const std::int64_t wall_s =
      rank.clock_at_start ? std::llround(rank.clock_at_start->wall_s) : std::int64_t{0};
  const std::int64_t start = part.summary.measure_start_ts - wall_s;
  const bool is_first_start =
      part.summary.measure_start_ts > 0 && (earlier_start == 0 || start < earlier_start);
  result.summary.measure_start_ts = is_first_start ? start : earlier_start;
  client.offer(place, part.environment.client);
  server.offer(place, part.environment.server);
  checkpoints.offer(place, part.checkpoints);
  server_stats.offer(place, part.server_stats);
  if (part.verification) first_wrong.offer(place, if_any(part.verification->first_wrong));
  if (part.failure) failure.offer(place, "host " + rank.name + ": " + *part.failure);
  seconds.add(part);
  spans.add(part);
  const bool ended_early = part.interrupted || part.failure.has_value();
  hosts.push_back({place, std::move(rank), part.client.workers, ended_early});
}

// Numbers hosts that were started by hand.
void Merger::Sum::finish_ranks() {
  std::ranges::sort(hosts, {}, &Host::place);
  const bool is_by_hand = hosts.front().rank.run.empty() && hosts.front().rank.ranks == 1;
  result.client.cpu_seconds = 0;
  for (Host& host : hosts) {
    if (is_by_hand) {
      host.rank.rank = result.ranks.size();
      host.rank.ranks = hosts.size();
    }
    result.client.cpu_seconds += host.rank.cpu_seconds;
    result.client.workers.insert(result.client.workers.end(), host.workers.begin(),
                                 host.workers.end());
    result.ranks.push_back(host.rank);
  }
}

std::optional<std::string> Merger::Sum::what_is_missing() const {
  std::vector<std::string> sentences;
  std::vector<std::string> lost;
  for (const RankResult& one : result.ranks) {
    if (one.lost.empty()) continue;
    std::string when;
    if (one.lost_at_s) {
      const auto seconds = static_cast<std::uint64_t>(*one.lost_at_s);
      when = fmt::format(" at {}:{:02}", seconds / 60, seconds % 60);
    }
    lost.push_back(fmt::format("{} was lost{}: {}", rank_text(result.ranks, one), when, one.lost));
  }
  join_most(lost, "were lost", "; ", sentences);
  std::vector<std::string> early;
  for (const Host& host : hosts) {
    const double missed_s = result.summary.time_seconds - host.rank.measured_s;
    const bool has_begun = host.rank.start_ts > 0;
    if (!host.rank.lost.empty() || missed_s < early_least_s) continue;
    if (has_begun && !host.ended_early) continue;
    const std::string name = rank_text(result.ranks, host.rank);
    early.push_back(has_begun ? fmt::format("{} measured {:.1f} of {:.1f} s", name,
                                            host.rank.measured_s, result.summary.time_seconds)
                              : name + " did not begin");
  }
  join_most(early, "ended early", "; ", sentences);
  if (std::string missing = missing_ranks(hosts); !missing.empty())
    sentences.push_back(std::move(missing));
  if (result.kind().has_warehouses) {
    std::vector<std::string> gaps = uncovered(hosts, result.plan.warehouses);
    if (!gaps.empty()) gaps.front() = "no host had the warehouses " + gaps.front();
    join_most(gaps, "ranges", " and ", sentences);
  }
  if (sentences.empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(sentences, "; "));
}

Result Merger::take() {
  const std::unique_ptr<Sum> sum = std::move(sum_);
  Result& result = sum->result;
  sum->finish_ranks();
  result.incomplete = sum->what_is_missing();
  result.environment = {.client = sum->client.value().value_or(measure::Host()),
                        .server = sum->server.value()};
  if (result.verification)
    result.verification->first_wrong = sum->first_wrong.value().value_or(std::string());
  if (result.lost_commits && sum->misses_lost_commits) result.lost_commits->complete = false;
  result.checkpoints = sum->checkpoints.value();
  result.server_stats = sum->server_stats.value();
  result.failure = sum->failure.value();
  result.time_series_step_s = sum->seconds.step_s();
  result.time_series = sum->seconds.take();
  const double measured_from = result.plan.warmup_s;
  sum->spans.finish(result.availability, measured_from,
                    measured_from + result.summary.time_seconds);
  std::ranges::sort(result.accounts, {}, &Account::name);
  std::ranges::sort(result.hosts, {}, &HostResult::name);
  complete_summary(result);
  complete_availability(result);
  return std::move(result);
}

void complete_rank(Result& part) {
  RankResult& rank = part.ranks.front();
  const TransactionResult all = all_transactions(part);
  rank.host = part.environment.client;
  if (rank.name.empty()) rank.name = rank.host.hostname;
  rank.terminals = part.client.terminals;
  rank.connections = part.client.connections;
  rank.threads = part.client.workers.size();
  rank.measured_s = part.summary.time_seconds;
  rank.ok_count = all.ok_count;
  rank.failed_count = all.failed_count;
  rank.latency = all.latency;
  rank.cpu_seconds = part.client.cpu_seconds;
  rank.peak_rss_bytes = part.client.peak_rss_bytes;
  rank.busiest_worker_load = part.client.busiest_worker_load();
  rank.timer_lag = part.client.timer_lag;
  rank.unavailable_s = part.availability.unavailable_s;
  if (part.audit.empty()) return;
  const AuditSummary audit = summarise(part.audit);
  rank.audit = audit.sentence;
  rank.valid = audit.valid;
}

}  // namespace drover::report
