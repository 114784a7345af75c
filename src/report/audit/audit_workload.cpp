// Rules about the load: the mix, the pauses, the inputs (clauses 2.4.1, 2.5.1 and 2.6.1), the
// throughput and its steadiness; for YCSB and scripts the shares of the transactions and the rate.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "report/audit/audit_rules.h"
#include "report/audit/audit_statistics.h"
#include "report/document/specification.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

// A deck makes the mix exact except for the cards at the two ends of the interval: for each
// warehouse an unfinished deck and ten terminals that hold a card.
constexpr std::uint64_t edge_cards_per_warehouse = 40;

std::uint64_t completed(const TransactionResult& one) {
  return one.ok_count + one.user_aborted_count;
}

Judged judge_mix(const Result& result) {
  std::uint64_t all = 0;
  for (const TransactionResult& one : result.transactions) all += completed(one);
  if (all < few) return too_few(text::counted(all, "transaction"));
  bool holds = true;
  std::vector<std::string> shares;
  const auto count = static_cast<double>(all);
  const double at_random =
      std::min(count, static_cast<double>(edge_cards_per_warehouse * result.own_warehouses()));
  for (const SpecifiedTransaction& rule : specified_transactions) {
    const TransactionResult* one = result.find_transaction(rule.name);
    const double share = one == nullptr ? 0 : static_cast<double>(completed(*one)) / count;
    std::string& text = shares.emplace_back(fmt::format("{} {:.2f}%", rule.name, share * 100));
    if (share >= rule.share_least) continue;
    const double chance =
        bound_deviations * std::sqrt(rule.share_least * (1 - rule.share_least) * at_random) / count;
    holds = holds && share >= rule.share_least - chance;
    text += fmt::format(" (minimum {:g}%, less {:.2f}% for chance)", rule.share_least * 100,
                        chance * 100);
  }
  return compliant_if(
      holds, fmt::format("{} of {} transactions", fmt::join(shares, ", "), text::grouped(all)));
}

// Returns the largest distance of the histogram from the distribution, beyond what late timers
// explain. It compares the edges of buckets only, at which the histogram is exact.
double distance(const measure::HistogramSnapshot& histogram, const Distribution& expected,
                double lag_s) {
  // One pause in a thousand may have been later than that.
  constexpr double later = 0.001;
  const auto count = static_cast<double>(histogram.count());
  const auto seconds = [](std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; };
  double farthest = 0;
  double seen = 0;
  for (const auto& [index, number] : histogram.to_sparse().buckets) {
    const double too_few = expected.cumulative(seconds(measure::bucket_first_ns(index)) - lag_s) -
                           later - seen / count;
    seen += static_cast<double>(number);
    const double too_many =
        seen / count - expected.cumulative(seconds(measure::bucket_last_ns(index)));
    farthest = std::max({farthest, too_few, too_many});
  }
  return farthest;
}

// Returns true if outages or stalls held terminals up, so that many pauses began together.
bool is_disturbed(const Result& result) {
  const Availability& availability = result.availability;
  if (!availability.outages.empty() || !availability.stalls.empty()) return true;
  constexpr double mean_cycle_s = 20;
  return all_transactions(result).latency.mean_ns() * 1e-9 * result.plan.pace > 0.05 * mean_cycle_s;
}

// Pauses that `--pace` divides break the rule in any case.
Judged at_pace(const Result& result, Judged judged) {
  if (result.plan.pace == 1.0) return judged;
  return broken("--pace {:g} changes the specified keying and think times; run with --pace 1 ({})",
                result.plan.pace, judged.text);
}

// Compares the think times of a transaction type with the specified ones.
struct ThinkTimes {
  double mean_s = 0;
  double mean_low_s = 0;
  double mean_high_s = 0;
  double distance = 0;
  double distance_most = 0;

  bool hold() const {
    return mean_low_s <= mean_s && mean_s <= mean_high_s && distance <= distance_most;
  }
};

ThinkTimes compare_think_times(const Result& result, const TransactionResult& one,
                               double mean_specified_s) {
  const double interval_s = result.summary.time_seconds;
  const double mean_s = mean_specified_s / result.plan.pace;
  const Distribution expected = observed_exponential(mean_s, result.plan.warmup_s, interval_s);
  const measure::HistogramSnapshot& lag = result.client.timer_lag;
  // The model assumes that pauses begin at a constant rate, which is not quite true. In a disturbed
  // run it is not true at all: the pauses that the edges of the interval cut may have any length.
  const double model_error = 0.005 + (is_disturbed(result) ? mean_s / interval_s : 0);
  const double error_s =
      bound_deviations * expected.deviation / std::sqrt(static_cast<double>(one.think.count())) +
      2 * model_error * mean_s;
  ThinkTimes times;
  times.mean_s = one.think.mean_ns() * 1e-9;
  times.mean_low_s = expected.mean - error_s;
  times.mean_high_s = expected.mean + error_s + 2 * lag.mean_ns() * 1e-9;
  times.distance =
      distance(one.think, expected, static_cast<double>(lag.percentile_ns(99.9)) * 1e-9);
  times.distance_most = kolmogorov_distance(one.think.count()) + model_error;
  return times;
}

Judged judge_think(const Result& result) {
  if (result.plan.no_delays) return not_judged("no think times with --no-delays");
  std::vector<std::string> means;
  std::vector<std::string> wrong;
  std::uint64_t count = 0;
  for (const SpecifiedTransaction& rule : specified_transactions) {
    const TransactionResult* one = result.find_transaction(rule.name);
    if (one == nullptr || one->think.count() < few) continue;
    const ThinkTimes times = compare_think_times(result, *one, rule.think_mean_s);
    count += one->think.count();
    means.push_back(fmt::format("{} {} s", rule.name, text::figure_text(times.mean_s)));
    if (times.hold()) continue;
    wrong.push_back(fmt::format(
        "think times after {}: mean {} s (allowed {} to {} s), distance {:.3f} from the negative "
        "exponential distribution (allowed {:.3f})",
        rule.name, text::figure_text(times.mean_s), text::figure_text(times.mean_low_s),
        text::figure_text(times.mean_high_s), times.distance, times.distance_most));
  }
  if (count == 0) return at_pace(result, not_judged("too few think times"));
  if (!wrong.empty())
    return at_pace(result,
                   broken("{}, {} think times", fmt::join(wrong, "; "), text::grouped(count)));
  return at_pace(result, held("means: {}; {} think times with a negative exponential distribution",
                              fmt::join(means, ", "), text::grouped(count)));
}

Judged judge_keying(const Result& result) {
  if (result.plan.no_delays) return not_judged("no keying times with --no-delays");
  std::vector<std::string> shortest;
  std::vector<std::string> wrong;
  std::uint64_t count = 0;
  for (const SpecifiedTransaction& rule : specified_transactions) {
    const TransactionResult* one = result.find_transaction(rule.name);
    if (one == nullptr || one->keying.empty()) continue;
    count += one->keying.count();
    const double least_s = rule.keying_s / result.plan.pace;
    const double shortest_s = static_cast<double>(one->keying.min_ns()) * 1e-9;
    shortest.push_back(fmt::format("{} {:.6g} s", rule.name, shortest_s));
    constexpr double rounding_s = 1e-9;
    if (shortest_s < least_s - rounding_s)
      wrong.push_back(fmt::format("{} (minimum {:.6g} s)", shortest.back(), least_s));
  }
  if (count == 0) return at_pace(result, not_judged("no keying time in the measured interval"));
  return at_pace(result, compliant_if(wrong.empty(),
                                      fmt::format("shortest: {}; {} keying times",
                                                  fmt::join(wrong.empty() ? shortest : wrong, ", "),
                                                  text::grouped(count))));
}

// Returns how far chance may move the number of New-Orders. A run of a few cycles of a terminal
// scatters like a Poisson process; longer runs and the deck scatter less.
double new_orders_by_chance(double count, double interval_s) {
  constexpr double few_cycles_s = 120;
  const double ratio = interval_s < few_cycles_s ? 1 : 1.5 * new_order_variance_ratio();
  return bound_deviations * std::sqrt(ratio * count);
}

Judged judge_throughput(const Result& result) {
  if (result.plan.no_delays) return not_judged("no bounds apply with --no-delays");
  if (result.plan.pace != 1.0)
    return not_judged("no bounds apply with --pace {:g}", result.plan.pace);
  if (result.plan.warehouses == 0) return not_judged("no warehouse");
  const auto warehouses = static_cast<double>(result.own_warehouses());
  const double minutes = result.summary.time_seconds / 60;
  const auto new_orders = static_cast<double>(result.summary.new_orders);
  const double least = tpmc_per_warehouse_least * warehouses * minutes;
  const double most = tpmc_per_warehouse_max * warehouses * minutes;
  const auto chance = [&](double count) {
    return new_orders_by_chance(count, result.summary.time_seconds);
  };
  const double low = std::max(least - chance(least), 0.0);
  const double high = most + chance(most);
  const std::string text = fmt::format(
      "{:.2f} tpmC per warehouse; allowed {:.2f} to {:.2f} (specified {:g} to {:g}, widened for "
      "chance)",
      result.summary.tpmc / warehouses, low / (warehouses * minutes), high / (warehouses * minutes),
      tpmc_per_warehouse_least, tpmc_per_warehouse_max);
  if (new_orders > high) return broken("{}; more than the terminals can generate", text);
  return compliant_if(new_orders >= low, text,
                      "; the database does not keep up or was unavailable. Use fewer warehouses");
}

Judged judge_interval(const Result& result) {
  const std::string measured = text::figure_text(result.summary.time_seconds / 60);
  if (result.summary.time_seconds >= official_interval_s) return held("{} min measured", measured);
  return not_judged("{} min measured; an official run takes at least 120 min", measured);
}

// "throughput fell from 543 to 4.3 a second 16 s after the start of the run".
std::string shift_text(std::string_view what, const LevelShift& shift, std::string_view unit,
                       const SteadyStateBins& bins) {
  const auto level = [](double value) {
    const double shown = std::max(value, 0.0);  // a straight line may end below
    return fmt::format("{:.{}f}", shown, shown < 99.95 ? 1 : 0);
  };
  const auto second = [&bins](std::size_t bin) {
    return fmt::format("{:.0f} s", bins.start_s + static_cast<double>(bin) * bins.seconds_each);
  };
  const std::string_view verb = shift.to < shift.from ? "fell" : "rose";
  const std::string text =
      fmt::format("{} {} from {} to {} {}", what, verb, level(shift.from), level(shift.to), unit);
  if (shift.shape == LevelShift::Shape::ramp) return text + " over the measured interval";
  if (shift.shape == LevelShift::Shape::step)
    return text + fmt::format(" {} after the start of the run", second(shift.first));
  return text +
         fmt::format(" between {} and {} of the run", second(shift.first), second(shift.last));
}

// A run that becomes better within the interval began too early, before it was warm.
std::string_view advice(const LevelShift& shift, bool is_worse) {
  if (shift.shape == LevelShift::Shape::ramp || !is_worse) return "; use a longer --warmup";
  return "; find out what happened at that time";
}

Judged judge_steady_state(const Result& result) {
  constexpr std::size_t bins_least = 10;
  const SteadyStateBins bins = make_steady_state_bins(result.time_series);
  const std::string of_bins =
      fmt::format(" ({} intervals of {:g} s)", bins.throughput.size(), bins.seconds_each);
  if (const auto shift = find_throughput_shift(bins)) {
    return broken("{}{}{}", shift_text("throughput", *shift, "tx/s", bins), of_bins,
                  advice(*shift, shift->to < shift->from));
  }
  if (bins.throughput.size() < bins_least)
    return not_judged("a trend needs at least {} s", bins_least);
  if (const auto shift = find_p90_shift(bins)) {
    return broken("{}{}{}", shift_text("90th percentile", *shift, "ms", bins), of_bins,
                  advice(*shift, shift->to > shift->from));
  }
  const Trend throughput = find_trend(bins.throughput);
  bool moves = throughput_has_trend(throughput);
  std::string text = fmt::format(
      "throughput changed by {:+.1f}% over the measured interval (z {:+.1f})",
      throughput.median > 0 ? throughput.change / throughput.median * 100 : 0, throughput.z);
  if (bins.p90_ms.size() >= bins_least) {
    const Trend latency = find_trend(bins.p90_ms);
    moves = moves || p90_has_trend(latency);
    text += fmt::format(", 90th percentile by {:+.1f} ms (z {:+.1f})", latency.change, latency.z);
  }
  return compliant_if(!moves, text + (moves ? "" : ", neither has a step") + of_bins,
                      "; use a longer --warmup");
}

CountBounds bounds_of_share(std::uint64_t all, double share) {
  if (share <= 0) return {0, 0};
  if (share >= 1) return {all, all};
  return binomial_bounds(all, share);
}

// The type of each transaction is drawn. Only the transactions at the two ends of the interval,
// at most one for each client, deviate from that.
Judged judge_shares(const Result& result) {
  const std::uint64_t all = result.all_count();
  if (all < few) return too_few(text::counted(all, "transaction"));
  const std::uint64_t at_edges = result.plan.clients;
  bool all_hold = true;
  std::vector<std::string> shares;
  for (const TransactionResult& one : result.transactions) {
    if (!one.share) continue;
    const CountBounds chance = bounds_of_share(all, *one.share);
    const std::uint64_t low = chance.low - std::min(chance.low, at_edges);
    const std::uint64_t high = std::min(chance.high + at_edges, all);
    const std::uint64_t count = one.all_count();
    shares.push_back(fmt::format("{} {:.2f}%", one.name, percent_of(count, all)));
    if (low <= count && (*one.share > 0 ? count <= high : count == 0)) continue;
    all_hold = false;
    shares.back() += fmt::format(" (specified {:.2f}%, chance allows {:.2f}% to {:.2f}%)",
                                 *one.share * 100, percent_of(low, all), percent_of(high, all));
  }
  if (shares.empty()) return not_judged("no shares were specified");
  return compliant_if(
      all_hold, fmt::format("{} of {} transactions", fmt::join(shares, ", "), text::grouped(all)));
}

// The share of the scheduled transactions that may be missing, and the largest backlog in seconds.
constexpr double missing_most = 0.01;
constexpr double backlog_s_most = 1;

Judged judge_rate(const Result& result) {
  const settings::RunSettings& plan = result.plan;
  if (!plan.is_open_loop()) return not_judged("no --rate was given");
  const double seconds = result.summary.time_seconds;
  const double asked = plan.rate * seconds;
  if (asked < static_cast<double>(few))
    return too_few(fmt::format("{:.0f} scheduled transactions", asked));
  const auto count = static_cast<double>(result.all_count());
  const auto clients = static_cast<double>(plan.clients);
  // Poisson arrivals scatter, and at both ends of the interval some transactions are in flight.
  const double chance =
      clients + (plan.arrivals == "poisson" ? bound_deviations * std::sqrt(asked) : 1.0);
  const auto backlog = static_cast<double>(result.backlog.value_or(0));
  const bool too_few = count < asked * (1 - missing_most) - chance;
  const bool too_late = backlog > plan.rate * backlog_s_most + chance;
  std::string text =
      fmt::format("{} of {} scheduled tx/s ({:.1f}%)", text::figure_text(count / seconds),
                  text::figure_text(plan.rate), 100 * count / asked);
  if (count < asked * (1 - missing_most)) {
    const double permitted = std::min(chance / asked, 1 - missing_most);
    text += fmt::format(", allowed at least {:.2f}% ({:g}% minus {:.2f}% for chance)",
                        100 * (1 - missing_most - permitted), 100 * (1 - missing_most),
                        100 * permitted);
  }
  if (result.backlog) {
    text += fmt::format(", backlog of {} at the end (limit {:.0f})",
                        text::counted_grouped(*result.backlog, "transaction"),
                        plan.rate * backlog_s_most + chance);
  }
  if (!too_few && !too_late) return held("{}", text);
  if (is_client_too_slow(result)) {
    return invalid(
        "{}; the client side (Drover) was overloaded. The rules client.load, client.run_queue, "
        "client.reaction and client.timers show why",
        text);
  }
  return broken(
      "{}; {} over {} did not reach the rate, so the latency grows during the run. Use a lower "
      "--rate, or more clients and connections",
      text, text::counted_grouped(plan.clients, "client"),
      text::counted_grouped(plan.connections, "connection"));
}

using Count = std::uint64_t InputCounts::*;

// Returns a rule about the share of `part` in `whole`. `is_remote`: it needs several warehouses.
Rule share_rule(const char* name, const char* clause, Count part, Count whole, double expected,
                const char* noun, const char* is, bool is_remote = false) {
  return {name, clause, [=](const Result& result) {
            if (is_remote && result.plan.warehouses <= 1)
              return not_judged("a single warehouse has no remote warehouse");
            const std::uint64_t number = result.inputs.*part;
            const std::uint64_t count = result.inputs.*whole;
            if (count < few) return too_few(text::counted(count, noun));
            const CountBounds bounds = binomial_bounds(count, expected);
            return compliant_if(
                bounds.contain(number),
                fmt::format("{:.2f}% of {} {}; specified {:g}%, chance allows {:.2f}% to {:.2f}%",
                            percent_of(number, count), text::counted_grouped(count, noun), is,
                            expected * 100, percent_of(bounds.low, count),
                            percent_of(bounds.high, count)));
          }};
}

Judged judge_order_lines(const Result& result) {
  const InputCounts& inputs = result.inputs;
  if (inputs.new_orders < few) return too_few(text::counted(inputs.new_orders, "New-Order"));
  const auto orders = static_cast<double>(inputs.new_orders);
  const double mean = static_cast<double>(inputs.order_lines) / orders;
  const double chance = bound_deviations * std::sqrt(order_lines_variance / orders);
  return compliant_if(
      std::abs(mean - order_lines_mean) <= chance,
      fmt::format(
          "{:.3f} lines per order in {} New-Orders; specified {:g}, chance allows +- {:.3f}", mean,
          text::grouped(inputs.new_orders), order_lines_mean, chance));
}

}  // namespace

const std::vector<Rule> load_rules = {
    {"mix", "5.2.3", judge_mix},
    {"keying", "5.2.5.2", judge_keying},
    {"think", "5.2.5.4", judge_think},
    {"throughput", "4.2", judge_throughput},
    {"interval", "5.5.2", judge_interval},
    {"steady_state", "5.5.1", judge_steady_state, For::all},
    {"mix", "", judge_shares, For::ycsb_and_scripts},
    {"rate", "", judge_rate, For::ycsb_and_scripts},
    share_rule("inputs.rollbacks", "2.4.1.4", &InputCounts::new_orders_rolled_back,
               &InputCounts::new_orders, rollback_share, "New-Order", "were rolled back"),
    {"inputs.order_lines", "2.4.1.3", judge_order_lines},
    share_rule("inputs.remote_lines", "2.4.1.5", &InputCounts::order_lines_remote,
               &InputCounts::order_lines, remote_line_share, "order line", "were remote", true),
    share_rule("inputs.remote_payments", "2.5.1.2", &InputCounts::payments_remote,
               &InputCounts::payments, remote_payment_share, "Payment", "were remote", true),
    share_rule("inputs.payments_by_name", "2.5.1.2", &InputCounts::payments_by_name,
               &InputCounts::payments, by_name_share, "Payment", "selected the customer by name"),
    share_rule("inputs.order_statuses_by_name", "2.6.1.2", &InputCounts::order_statuses_by_name,
               &InputCounts::order_statuses, by_name_share, "Order-Status transaction",
               "selected the customer by name")};

}  // namespace drover::report
