#include "run/conducted_run.h"

#include <algorithm>
#include <string>
#include <utility>

#include "measure/histogram.h"
#include "ranks/live.h"
#include "report/merge/merge.h"

namespace drover::run {
namespace {

using ranks::Message;

void set_plan(const load::Share& share, const load::Plan& whole, const load::Snapshot& last,
              settings::RunSettings& plan) {
  plan.threads = last.workers.size();
  plan.connections = last.connections_open;
  plan.max_inflight = last.connections_open;
  plan.clients = share.of(whole.clients);
  plan.rate = share.of_rate(whole.rate);
  plan.operations = share.of(whole.operations);
}

void set_client(const load::Snapshot& last, report::ClientCost& client) {
  client.cpu_seconds = last.process.cpu_seconds;
  client.peak_rss_bytes = last.process.peak_rss_bytes;
  client.threads = last.process.threads;
  client.connections = last.connections_open;
  for (const load::WorkerSnapshot& worker : last.workers) {
    client.workers.push_back({worker.load, 0, 0});
  }
}

}  // namespace

ReceivedFigures::ReceivedFigures(coro::Duration warmup, std::size_t ranks)
    : seconds(warmup, std::clamp(points_of_all_ranks / std::max<std::size_t>(ranks, 1),
                                 points_least, load::SampleSeries::points_most)) {}

void ReceivedFigures::take(const Message& live) {
  last = ranks::snapshot_in(live, clock_at_start.value_or(ranks::ClockDifference{}));
  load::Sample second = last.second;
  second.latency = last.second_latency.to_sparse();
  seconds.add(std::move(second));
}

report::Result part_of_lost(const Conducting& conducting, std::size_t rank,
                            const Benchmark& benchmark, ReceivedFigures& received,
                            report::Result empty, const load::Plan& plan, coro::Instant start,
                            double unix_start) {
  const load::Snapshot& last = received.last;
  const load::Share& share = conducting.shares[rank];
  report::Result part = std::move(empty);
  set_plan(share, plan, last, part.plan);
  for (std::size_t type = 0; type < part.transactions.size(); ++type) {
    model::Totals& totals = part.transactions[type];
    totals = last.measured[type];
    totals.attempts = totals.all_count() + totals.retry_count;
  }
  part.time_series_step_s = received.seconds.seconds_per_point();
  for (const load::Sample& second : received.seconds.take()) {
    part.time_series.push_back(time_point(second));
  }
  // The times of a part are those of the host's own clock.
  if (received.clock_at_start) unix_start += received.clock_at_start->offset().wall_s;
  part.summary.time_seconds = std::max(coro::seconds_of(last.second.elapsed - plan.warmup), 0.0);
  part.summary.measure_start_ts =
      static_cast<std::int64_t>(unix_start + coro::seconds_of(plan.warmup));
  report::complete_summary(part);
  load::Outcome outcome;
  outcome.start = start;
  outcome.unix_start = unix_start;
  outcome.measured = last.second.elapsed - plan.warmup;
  outcome.availability = last.availability;
  part.availability = availability(plan, outcome);
  part.ledger.exact = false;
  set_client(last, part.client);
  part.interrupted = true;
  report::RankResult& own = part.ranks.emplace_back();
  own.rank = rank;
  own.ranks = conducting.shares.size();
  own.run = conducting.run;
  own.name = conducting.conductor->name(rank);
  benchmark.describe_share(share, part);
  const ranks::Loss& loss = conducting.conductor->loss(rank).value();
  own.lost = loss.reason;
  own.lost_at_s = std::max(coro::seconds_of(loss.at - start), 0.0);
  if (received.clock_at_start) own.clock_at_start = received.clock_at_start->offset();
  report::complete_rank(part);
  own.start_ts = received.has_begun ? unix_start : 0;
  return part;
}

}  // namespace drover::run
