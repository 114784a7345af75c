// Whether clients of a benchmark that is not TPC-C did what they were asked for: which transactions, and how many.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/audit/audit_rules.h"
#include "report/audit/sampling_bounds.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

CountBounds bounds_of_share(std::uint64_t all, double share) {
  if (share <= 0) return {0, 0};
  if (share >= 1) return {all, all};
  return binomial_bounds(all, share);
}

// Each transaction is of a type by chance; what clients were at when the interval began and when it ended is all that
// makes it otherwise.
Judged judge_shares(const Result& result) {
  const std::uint64_t all = result.all_count();
  if (all < few) return too_few(text::counted(all, "transaction"));
  Judged judged{Judgement::held, ""};
  const std::uint64_t at_edges = result.plan.clients;
  for (const TransactionResult& one : result.transactions) {
    if (!one.share) continue;
    const CountBounds chance = bounds_of_share(all, *one.share);
    const std::uint64_t low = chance.low - std::min(chance.low, at_edges);
    const std::uint64_t high = std::min(chance.high + at_edges, all);
    const std::uint64_t count = one.all_count();
    const bool holds = low <= count && (*one.share > 0 ? count <= high : count == 0);
    judged.text += fmt::format("{}{} {:.2f}%", judged.text.empty() ? "" : ", ", one.name,
                               percent_of(count, all));
    if (holds) continue;
    judged.judgement = Judgement::broken;
    judged.text += fmt::format(" (specified {:.2f}%, allowed {:.2f}% to {:.2f}% with chance)",
                               *one.share * 100, percent_of(low, all), percent_of(high, all));
  }
  if (judged.text.empty()) return not_judged("no shares were specified");
  judged.text += fmt::format(" of {} transactions", text::grouped(all));
  return judged;
}

// The part of what is asked for that may be missing, and how long transactions may be due.
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
  // Those of a Poisson process come as chance has it, and some are under way at either end.
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
  if (!too_few && !too_late) return {Judgement::held, text};
  if (is_client_too_slow(result)) {
    return {Judgement::invalid, text + "; the client side did not keep up. See the rules client.*"};
  }
  return {Judgement::broken,
          fmt::format("{}; the database did not keep up, so the latency grows with the "
                      "length of the run. Use a lower --rate, or more than {} and {}",
                      text, text::counted_grouped(plan.clients, "client"),
                      text::counted_grouped(plan.connections, "connection"))};
}

}  // namespace

const std::vector<Rule> workload_rules = {{"mix", "", judge_shares, For::others},
                                          {"rate", "", judge_rate, For::others}};

}  // namespace drover::report
