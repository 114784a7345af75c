#include "ui/run_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "text/plain_text.h"
#include "ui/number_text.h"
#include "ui/run_model.h"

namespace drover::ui {
namespace {

// In the order of database::ErrorClass.
constexpr std::array<std::pair<const char*, const char*>, database::error_class_count> error_words =
    {{{"serialization failure or deadlock", "serialization failures or deadlocks"},
      {"transaction that lost its connection", "transactions that lost their connection"},
      {"commit without an answer", "commits without an answer"},
      {"transaction without a connection", "transactions without a connection"},
      {"permission error", "permission errors"},
      {"statement error", "statement errors"},
      {"statement timeout", "statement timeouts"}}};

std::string error_text(std::size_t error_class, std::uint64_t count) {
  const auto& [one, many] = error_words[error_class];
  return fmt::format("{} {}", count_text(count), count == 1 ? one : many);
}

std::string seconds_text(double seconds) {
  return seconds < 60 ? fmt::format("{:.1f} s", seconds)
                      : clock_text(std::chrono::milliseconds(static_cast<int>(seconds * 1000)));
}

}  // namespace

std::string trouble_text(const load::Sample& sample) {
  const auto text = [](const char* what, coro::Duration since) {
    return fmt::format("{} for {:.1f} s", what, seconds_of(since));
  };
  if (sample.away > coro::Duration::zero()) return text("OUTAGE", sample.away);
  if (sample.silent > coro::Duration::zero()) return text("STALL", sample.silent);
  return "";
}

RunEvents::RunEvents(const load::Plan& plan) : plan_(plan), broken_(plan.workload.types.size()) {}

std::vector<RunEvent> RunEvents::observe(const load::Snapshot& snapshot) {
  events_.clear();
  observe_phase(snapshot);
  observe_outages(snapshot);
  observe_sessions(snapshot);
  observe_errors(snapshot);
  observe_limits(snapshot);
  observe_client(snapshot);
  observe_ranks(snapshot);
  return std::exchange(events_, {});
}

void RunEvents::observe_phase(const load::Snapshot& snapshot) {
  const load::Phase phase = snapshot.second.phase;
  if (std::exchange(phase_, phase) == phase) return;
  broken_.assign(broken_.size(), false);
  if (phase == load::Phase::done) return;
  const bool warming = phase == load::Phase::warmup;
  say(Level::note,
      warming ? "warm-up for " + clock_text(plan_.warmup) : "measuring " + measured_until(plan_));
}

// Reports each begin and each end of an outage or a stall once.
template <class Spans>
void RunEvents::observe_spans(const Spans& spans, Reported& reported, auto begin_text,
                              auto end_text) {
  for (const auto& span : spans) {
    if (span.start > reported.begin) {
      reported.begin = span.start;
      say(Level::warning, begin_text(span));
    }
    if (span.end && span.start > reported.end) {
      reported.end = span.start;
      say(Level::good, end_text(span, seconds_text(seconds_of(*span.end - span.start))));
    }
  }
}

void RunEvents::observe_outages(const load::Snapshot& snapshot) {
  observe_spans(
      snapshot.availability.outages, outages_,
      [](const load::Outage& outage) { return fmt::format("outage: {}", outage.first_error); },
      [](const load::Outage& outage, const std::string& length) {
        return fmt::format("the outage ended after {}; {} lost", length,
                           text::counted_grouped(outage.transactions_lost, "transaction"));
      });
  observe_spans(
      snapshot.availability.stalls, stalls_,
      [&snapshot](const load::Stall&) {
        return fmt::format("stall: the database does not answer; {} in flight, {} waiting",
                           count_text(snapshot.second.in_flight),
                           count_text(snapshot.second.waiting));
      },
      [](const load::Stall&, const std::string& length) {
        return "the stall ended after " + length;
      });
}

// A new outage counts as an interruption until it is long enough, so nothing is reported while
// connections are missing.
void RunEvents::observe_sessions(const load::Snapshot& snapshot) {
  const std::uint64_t now = snapshot.availability.interruptions;
  const bool down = snapshot.connections_open < plan_.connections;
  if (now <= interruptions_ || down) return;
  say(Level::note, fmt::format("{}: connections were lost and reopened within {:.1f} s",
                               text::counted_grouped(now - interruptions_, "interruption"),
                               seconds_of(load::shortest_outage)));
  interruptions_ = now;
}

void RunEvents::observe_errors(const load::Snapshot& snapshot) {
  ClassCounts now{};
  for (const auto* phase : {&snapshot.warmup, &snapshot.measured}) {
    for (const model::Totals& one : *phase) {
      for (std::size_t i = 0; i < now.size(); ++i) {
        const auto found = one.errors_by_class.find(
            std::string(database::error_class_name(static_cast<database::ErrorClass>(i))));
        if (found != one.errors_by_class.end()) now[i] += found->second;
      }
    }
  }
  bool first_of_kind = false;
  std::string text;
  bool only_retryable = true;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] <= errors_reported_[i]) continue;
    first_of_kind = first_of_kind || errors_reported_[i] == 0;
    only_retryable =
        only_retryable && static_cast<database::ErrorClass>(i) == database::ErrorClass::retryable;
    if (!text.empty()) text += ", ";
    text += error_text(i, now[i] - errors_reported_[i]);
  }
  const coro::Duration since = snapshot.second.elapsed - errors_reported_at_;
  if (text.empty() || (!first_of_kind && since < errors_every)) return;
  errors_reported_ = now;
  errors_reported_at_ = snapshot.second.elapsed;
  say(only_retryable ? Level::note : Level::warning, std::move(text));
}

void RunEvents::observe_limits(const load::Snapshot& snapshot) {
  const std::vector<load::TransactionType>& types = plan_.workload.types;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (!types[i].latency_limit_s) continue;
    const measure::HistogramSnapshot& latency = snapshot.phase()[i].latency;
    if (latency.count() < latencies_least) continue;
    const double p90_s = static_cast<double>(latency.percentile_ns(90)) / 1e9;
    const double limit_s = *types[i].latency_limit_s;
    const bool broken = p90_s > limit_s;
    if (broken_[i] == broken) continue;
    broken_[i] = broken;
    say(broken ? Level::warning : Level::good,
        fmt::format("{}: 90th percentile {} s, {} its limit of {:g} s", types[i].name,
                    text::figure_text(p90_s), broken ? "over" : "again within", limit_s));
  }
}

void RunEvents::observe_client(const load::Snapshot& snapshot) {
  const double load = snapshot.second.client_load;
  const bool busy = busy_ ? load > load_calm : load > load_most;
  if (std::exchange(busy_, busy) == busy) return;
  const auto busiest = std::ranges::max_element(snapshot.ranks, {}, &load::RankNow::worker_load);
  const std::string client =
      busiest == snapshot.ranks.end() ? "the client" : "host " + busiest->name;
  const std::string text =
      fmt::format("the busiest worker thread of {} uses {:.0f}% of a core", client, load * 100);
  if (busy) {
    say(Level::warning, text + ", so Drover delays the transactions. Use more --threads");
  } else {
    say(Level::good, text);
  }
}

void RunEvents::observe_ranks(const load::Snapshot& snapshot) {
  lost_.resize(snapshot.ranks.size());
  for (std::size_t i = 0; i < lost_.size(); ++i) {
    const load::RankNow& rank = snapshot.ranks[i];
    if (!rank.is_lost || lost_[i]) continue;
    lost_[i] = true;
    say(Level::warning,
        fmt::format("host {} is lost. The figures no longer include it", rank.name));
  }
}

}  // namespace drover::ui
