// Rules about the client side: whether it was the bottleneck and the figures describe it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "report/audit/audit_rules.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

// In a worker thread with a higher load, transactions queue.
constexpr double demand_most = 0.8;

// The share of the mean latency that may be the client's own delay. Delays below `delay_least_ms`
// are accepted: the latencies of a database differ by more than that between runs.
constexpr double share_most = 0.1;
constexpr double delay_least_ms = 1;

// Wake-ups of a worker for a New-Order: its timer and two answers.
constexpr double wake_ups_of_new_order = 3;

// The same limit for the timer lag, which is the whole wait of an event: for a processor (which a
// database on the same machine may use) and for the worker's earlier events.
constexpr double reaction_share_most = 0.25;
constexpr double reaction_least_ms = 2;

// One percent of the 5 s that a transaction may take.
constexpr double timer_lag_p99_most_ms = 50;

// The share of the load that late timers may take: a terminal is late twice in each cycle.
constexpr double cycle_share_most = 0.01;

double mean_ms(const measure::HistogramSnapshot& histogram) {
  return histogram.mean_ns() * 1e-6;
}

// The advice if a thread had to wait for a processor.
constexpr const char* crowd_knob = "; give Drover its own cores or its own machine";

// A client that stood still for at least this time and for more than one percent of the interval
// has measured itself.
constexpr double standstill_least_ms = 1000;
constexpr double standstill_share_most = 0.01;

// The transaction with which the client's delays are compared: New-Order in TPC-C, else any type.
struct Yardstick {
  std::string noun;
  TransactionResult transaction;
  double wake_ups;
};

// The wake-ups of a transaction: one for its start and one for the answer to each statement.
double wake_ups_of_any(const Result& result) {
  std::uint64_t statements = 0;
  std::uint64_t completed = 0;
  for (const TransactionResult& one : result.transactions) {
    completed += one.ok_count;
    for (const StatementResult& statement : one.statements) statements += statement.ok_count;
  }
  if (completed == 0) return 2;
  return 1 + std::max(std::round(static_cast<double>(statements) / static_cast<double>(completed)),
                      1.0);
}

std::optional<Yardstick> yardstick_of(const Result& result) {
  if (!result.kind().has_tpmc) {
    Yardstick any{"transaction", all_transactions(result), wake_ups_of_any(result)};
    return any.transaction.latency.empty() ? std::nullopt : std::optional(std::move(any));
  }
  const TransactionResult* new_order = result.find_transaction("NewOrder");
  if (new_order == nullptr || new_order->latency.empty()) return std::nullopt;
  return Yardstick{"New-Order", *new_order, wake_ups_of_new_order};
}

// Returns the time of a transaction in the database and the network: without waits for a permit
// and late starts, and without transactions that had no answer.
double served_ms(const TransactionResult& one) {
  if (!one.service.empty()) return std::max(mean_ms(one.service), delay_least_ms);
  return std::max(mean_ms(one.answered_latency()) - mean_ms(one.wait), delay_least_ms);
}

// A host that generates load: the only one, or one of several.
struct Client {
  std::string host;  // "host b"; empty: the only one
  std::span<const WorkerHealth> workers;
  const measure::HistogramSnapshot& timer_lag;
  unsigned cpus;
};

std::vector<Client> clients_of(const Result& result) {
  const std::span<const WorkerHealth> workers = result.client.workers;
  std::uint64_t count = 0;
  for (const RankResult& one : result.ranks) count += std::min(one.threads, workers.size() + 1);
  std::vector<Client> clients;
  if (result.ranks.size() < 2 || count != workers.size()) {
    clients.push_back({"", workers, result.client.timer_lag, result.environment.client.cpus});
    return clients;
  }
  std::size_t next = 0;
  for (const RankResult& one : result.ranks) {
    clients.push_back({rank_text(result.ranks, one), workers.subspan(next, one.threads),
                       one.timer_lag, one.host.cpus});
    next += one.threads;
  }
  return clients;
}

// A verdict on a host, and its rank among equal verdicts.
struct JudgedClient {
  Judged judged;
  double badness = 0;
};

using JudgeClient = JudgedClient (*)(const Result&, const std::optional<Yardstick>&, const Client&);

// Returns the verdict on the worst host, with its name.
template <JudgeClient judge>
Judged judge_worst(const Result& result) {
  const std::optional<Yardstick> yardstick = yardstick_of(result);
  const auto order = [](const JudgedClient& one) {
    const bool is_judged = one.judged.judgement != Judgement::not_judged;
    return std::tuple(is_judged, one.judged.judgement == Judgement::invalid, one.badness);
  };
  std::optional<JudgedClient> worst;
  for (const Client& client : clients_of(result)) {
    JudgedClient one = judge(result, yardstick, client);
    if (worst && order(one) <= order(*worst)) continue;
    worst = std::move(one);
    const bool is_judged = worst->judged.judgement != Judgement::not_judged;
    if (is_judged && !client.host.empty())
      worst->judged.text = client.host + ": " + worst->judged.text;
  }
  return std::move(worst->judged);
}

JudgedClient judge_load(const Result& result, const std::optional<Yardstick>& /*yardstick*/,
                        const Client& client) {
  if (client.workers.empty()) return {not_judged("the load of the worker threads is unknown")};
  const auto demand_of = [](const WorkerHealth& worker) {
    return worker.load + worker.run_queue_share;
  };
  const WorkerHealth& busiest = *std::ranges::max_element(client.workers, {}, demand_of);
  const double demand = demand_of(busiest);
  const std::string text =
      fmt::format("a worker thread needed {:.0f}% of a core (limit {:.0f}%) and got {:.0f}%{}",
                  demand * 100, demand_most * 100, busiest.load * 100,
                  result.client.run_queue_known
                      ? ""
                      : " (this kernel does not report how long threads wait for a core)");
  // Without the waits the load is only a lower bound of the demand.
  if (!result.client.run_queue_known && busiest.load <= demand_most)
    return {not_judged("{}", text), busiest.load};
  const bool crowded = busiest.run_queue_share > busiest.load;
  const bool has_processors = client.cpus > client.workers.size();
  return {valid_if(demand <= demand_most, text,
                   crowded          ? crowd_knob
                   : has_processors ? "; use more --threads"
                                    : "; use a machine with more cores, and more --threads"),
          demand};
}

// Judges the delay of a transaction by the wake-ups of a worker. `verb`: "waits {} ms for a core".
Judged judge_delay(double each_ms, const std::string& verb, const Yardstick& yardstick,
                   double least_ms, double most_share) {
  const double ms = each_ms * yardstick.wake_ups;
  const double whole_ms = served_ms(yardstick.transaction);
  return valid_if(
      ms <= least_ms || ms / whole_ms <= most_share,
      fmt::format("a worker thread {} each time, {:g} times per {}: {} ms or {:.1f}% of its {} ms; "
                  "limit {:g} ms or {:.0f}%",
                  verb, yardstick.wake_ups, yardstick.noun, text::figure_text(ms),
                  ms / whole_ms * 100, text::figure_text(whole_ms), least_ms, most_share * 100),
      crowd_knob);
}

JudgedClient judge_run_queue(const Result& result, const std::optional<Yardstick>& yardstick,
                             const Client& client) {
  if (!result.client.run_queue_known || client.workers.empty())
    return {not_judged("this kernel does not report how long threads wait for a core")};
  if (!yardstick)
    return {
        not_judged("no {} was committed", result.kind().has_tpmc ? "New-Order" : "transaction")};
  const double longest_ms =
      std::ranges::max(client.workers, {}, &WorkerHealth::wake_up_delay_ms).wake_up_delay_ms;
  return {judge_delay(longest_ms, fmt::format("waits {:.3f} ms for a core", longest_ms), *yardstick,
                      delay_least_ms, share_most),
          longest_ms};
}

JudgedClient judge_reaction(const Result& result, const std::optional<Yardstick>& yardstick,
                            const Client& client) {
  if (client.timer_lag.empty() || !yardstick) {
    return {not_judged("no timer ended, or no {} was committed",
                       result.kind().has_tpmc ? "New-Order" : "transaction")};
  }
  const double lag_ms = mean_ms(client.timer_lag);
  return {judge_delay(lag_ms, fmt::format("wakes up {} ms late", text::figure_text(lag_ms)),
                      *yardstick, reaction_least_ms, reaction_share_most),
          lag_ms * yardstick->wake_ups};
}

JudgedClient judge_timers(const Result& result, const std::optional<Yardstick>& /*yardstick*/,
                          const Client& client) {
  const measure::HistogramSnapshot& lag = client.timer_lag;
  if (lag.empty()) return {not_judged("no timer ended in the measured interval")};
  const double p99_ms = static_cast<double>(lag.percentile_ns(99)) * 1e-6;
  constexpr double mean_cycle_ms = 20'000;
  const double cycle_ms = mean_cycle_ms / result.plan.pace;
  const double longest_ms = static_cast<double>(lag.max_ns()) * 1e-6;
  const bool stood_still = longest_ms > standstill_least_ms &&
                           longest_ms > standstill_share_most * result.summary.time_seconds * 1e3;
  const bool has_cycles = result.kind().has_warehouses && !result.plan.no_delays;
  const bool keeps_pace = !has_cycles || 2 * mean_ms(lag) <= cycle_share_most * cycle_ms;
  std::string text = fmt::format("timer lag p99 {} ms (limit {:g} ms), mean {} ms, of {} timers",
                                 text::figure_text(p99_ms), timer_lag_p99_most_ms,
                                 text::figure_text(mean_ms(lag)), text::grouped(lag.count()));
  if (stood_still)
    text += fmt::format("; the client side did not run for {:.1f} s", longest_ms * 1e-3);
  if (!keeps_pace) {
    text += fmt::format("; late timers cost a terminal more than {:g}% of its cycle of {} ms",
                        cycle_share_most * 100, text::figure_text(cycle_ms));
  }
  return {valid_if(p99_ms <= timer_lag_p99_most_ms && !stood_still && keeps_pace, text,
                   fmt::format("{}, or use fewer {}s", crowd_knob, result.plan.kind().client)),
          p99_ms};
}

// Returns the reason why transactions must wait in a queue even with enough connections; empty if
// there is none.
std::string queue_by_design(const Result& result) {
  const settings::RunSettings& plan = result.plan;
  if (plan.kind().has_warehouses) {
    if (plan.no_delays) return "with --no-delays terminals wait for a connection by design";
    return plan.max_inflight_chosen ? "--max-inflight makes terminals wait by design" : "";
  }
  if (plan.is_open_loop()) return "in an open loop transactions wait for a slow database by design";
  if (plan.clients <= std::min(plan.connections, plan.max_inflight)) return "";
  return fmt::format(
      "{} share {} and wait by design", text::counted_grouped(plan.clients, "client"),
      text::counted_grouped(std::min(plan.connections, plan.max_inflight), "connection"));
}

Judged judge_waiting(const Result& result) {
  if (const std::string reason = queue_by_design(result); !reason.empty())
    return not_judged("{}", reason);
  const TransactionResult all = all_transactions(result);
  // The waits of unanswered transactions are unknown.
  const measure::HistogramSnapshot latencies = all.answered_latency();
  if (latencies.empty()) return not_judged("no transaction was answered");
  const measure::HistogramSnapshot& waits = all.wait;
  const double share =
      static_cast<double>(waits.sum_ns()) / static_cast<double>(latencies.sum_ns());
  return valid_if(
      mean_ms(waits) <= delay_least_ms || share <= share_most,
      fmt::format("a transaction waits {} ms for a permit (--max-inflight) and a connection, "
                  "{:.1f}% of its latency "
                  "of {} ms; limit {:g} ms or {:.0f}%",
                  text::figure_text(mean_ms(waits)), share * 100,
                  text::figure_text(mean_ms(latencies)), delay_least_ms, share_most * 100),
      fmt::format("; use more --connections ({} now)", result.plan.connections));
}

}  // namespace

const std::vector<Rule> client_rules = {
    {"client.load", "", judge_worst<judge_load>, For::all},
    {"client.run_queue", "", judge_worst<judge_run_queue>, For::all},
    {"client.reaction", "", judge_worst<judge_reaction>, For::all},
    {"client.timers", "", judge_worst<judge_timers>, For::all},
    {"client.waiting", "", judge_waiting, For::all}};

bool is_client_too_slow(const Result& result) {
  return std::ranges::any_of(client_rules, [&result](const Rule& rule) {
    return rule.name != std::string_view("client.waiting") &&
           rule.judge(result).judgement == Judgement::invalid;
  });
}

}  // namespace drover::report
