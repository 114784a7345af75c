// Whether the database answered in time, and did what it was asked for.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/audit_lines.h"
#include "report/plain_text.h"
#include "report/specification.h"

namespace drover::report {

namespace {

// Of fewer transactions the 90th percentile is the largest latency.
constexpr std::uint64_t few = 10;

double seconds(std::uint64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

Verdict audit_percentile(std::string name, std::string clause,
                         const measure::HistogramSnapshot& latency,
                         const measure::HistogramSnapshot& unanswered, double limit_s,
                         const char* remedy) {
  Verdict line{std::move(name), std::move(clause), Judgement::not_judged, ""};
  if (latency.count() < few) {
    line.text = fmt::format("{} are too few", counted(latency.count(), "transaction"));
    return line;
  }
  const double p90_s = seconds(latency.percentile_ns(90));
  const bool at_least = is_lower_bound(latency, unanswered, 90);
  line.judgement = p90_s > limit_s ? Judgement::broken
                   : at_least      ? Judgement::not_judged
                                   : Judgement::held;
  line.text = fmt::format("90th percentile {}{} s, of {}{}; at most {:g} s",
                          at_least ? "at least " : "", figure_text(p90_s), grouped(latency.count()),
                          unanswered.empty() ? ""
                                             : fmt::format(", {} of them without an answer",
                                                           grouped(unanswered.count())),
                          limit_s);
  if (line.judgement == Judgement::broken) line.text += remedy;
  return line;
}

Verdict audit_deferred(const Result& result) {
  if (!result.deferred_delivery) {
    return {"deferred_delivery", "5.2.5.7", Judgement::not_judged, "Deliveries were not deferred"};
  }
  const DeferredDelivery& deferred = *result.deferred_delivery;
  Verdict line =
      audit_percentile("deferred_delivery", "5.2.5.7", deferred.latency, deferred.unanswered,
                       deferred.latency_limit_s, ": the queue grows");
  // Those that never ended would be the latest of all.
  const std::uint64_t lost = deferred.failed + deferred.unfinished;
  if (lost == 0) return line;
  line.text +=
      fmt::format("; {} failed, {} unfinished at the end, of {} queued", grouped(deferred.failed),
                  grouped(deferred.unfinished), grouped(deferred.queued));
  if (deferred.queued >= few && lost * 10 > deferred.queued) line.judgement = Judgement::broken;
  return line;
}

Verdict audit_skipped(const Result& result) {
  Verdict line{"delivery.skipped", "2.7.4.2", Judgement::not_judged, "no Delivery"};
  const std::uint64_t districts = result.inputs.deliveries * 10;
  if (districts == 0) return line;
  const std::uint64_t skipped = result.delivery_skipped_districts;
  const double percent = percent_of(skipped, districts);
  const bool holds = skipped <= 1 || percent <= skipped_districts_most * 100;
  line.judgement = holds ? Judgement::held : Judgement::broken;
  line.text =
      fmt::format("{} of {} districts had no order to deliver ({:.2f}%); at most {:g}%",
                  grouped(skipped), grouped(districts), percent, skipped_districts_most * 100);
  if (!holds) line.text += "; load the data anew";
  return line;
}

// Failed transactions that lost their session, or never got one.
std::uint64_t lost_sessions(const TransactionResult& one) {
  std::uint64_t lost = 0;
  for (const char* name : {"connection_lost", "ambiguous_commit", "unavailable"}) {
    const auto found = one.errors_by_class.find(name);
    if (found != one.errors_by_class.end()) lost += found->second;
  }
  return std::min(lost, one.failed_count);
}

// An outage is another line's: what is left are transactions that the database refused.
Verdict audit_errors(const Result& result) {
  constexpr double percent_most = 1;
  Verdict line{"errors", "", Judgement::not_judged, "no transaction"};
  const std::uint64_t all = result.all_count();
  if (all == 0) return line;
  std::uint64_t failed = 0;
  std::uint64_t without_session = 0;
  for (const TransactionResult& one : result.transactions) {
    failed += one.failed_count;
    without_session += lost_sessions(one);
  }
  std::uint64_t in_outages = 0;
  for (const Outage& outage : result.availability.outages) in_outages += outage.transactions_lost;
  const std::uint64_t refused = failed - std::min(without_session, in_outages);
  const double percent = percent_of(refused, all);
  line.judgement = percent <= percent_most ? Judgement::held : Judgement::broken;
  line.text =
      fmt::format("{} of {} transactions failed outside of outages ({:.2f}%); at most {:g}%",
                  grouped(refused), grouped(all), percent, percent_most);
  if (line.judgement == Judgement::broken) line.text += "; see the errors by class";
  return line;
}

}  // namespace

std::vector<Verdict> audit_answers(const Result& result) {
  std::vector<Verdict> lines;
  for (const TransactionResult& one : result.transactions) {
    if (!one.latency_limit_s) continue;
    lines.push_back(audit_percentile("latency." + one.name, "5.2.5.7", one.latency,
                                     one.pending.unanswered, *one.latency_limit_s,
                                     "; use fewer warehouses, or a faster database"));
  }
  lines.push_back(audit_deferred(result));
  lines.push_back(audit_skipped(result));
  lines.push_back(audit_errors(result));
  return lines;
}

}  // namespace drover::report
