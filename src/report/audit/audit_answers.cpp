// Whether the database answered in time, and did what it was asked for.
#include <fmt/format.h>

#include <algorithm>

#include "report/audit/audit_rules.h"
#include "report/document/specification.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

// Where there are fewer transactions, the 90th percentile is the largest latency.
constexpr std::uint64_t few_answers = 10;

Judged judge_percentile(const measure::HistogramSnapshot& latency,
                        const measure::HistogramSnapshot& unanswered, double limit_s,
                        const char* remedy) {
  if (latency.count() < few_answers) {
    return too_few(text::counted(latency.count(), "transaction"), few_answers);
  }
  const double p90_s = static_cast<double>(latency.percentile_ns(90)) * 1e-9;
  const bool at_least = is_lower_bound(latency, unanswered, 90);
  const std::string without_answer =
      unanswered.empty()
          ? ""
          : fmt::format(", {} of them without an answer", text::grouped(unanswered.count()));
  const std::string text =
      fmt::format("90th percentile {}{} s of {}{}; limit {:g} s", at_least ? "at least " : "",
                  text::figure_text(p90_s), text::counted_grouped(latency.count(), "transaction"),
                  without_answer, limit_s);
  if (at_least && p90_s <= limit_s) return not_judged(text);
  return compliant_if(p90_s <= limit_s, text, remedy);
}

Judged judge_deferred(const Result& result) {
  if (!result.deferred_delivery) return not_judged("Deliveries were not deferred");
  const DeferredDelivery& deferred = *result.deferred_delivery;
  Judged judged = judge_percentile(deferred.latency, deferred.unanswered, deferred.latency_limit_s,
                                   "; the queue of deferred Deliveries grows");
  // Those that never ended would be the latest of all.
  const std::uint64_t lost = deferred.failed + deferred.unfinished;
  if (lost == 0) return judged;
  judged.text += fmt::format("; {} failed and {} unfinished at the end of {} queued",
                             text::grouped(deferred.failed), text::grouped(deferred.unfinished),
                             text::grouped(deferred.queued));
  if (deferred.queued >= few_answers && lost * 10 > deferred.queued)
    judged.judgement = Judgement::broken;
  return judged;
}

Judged judge_skipped(const Result& result) {
  const std::uint64_t districts = result.inputs.deliveries * 10;
  if (districts == 0) return not_judged("no Delivery");
  const std::uint64_t skipped = result.delivery_skipped_districts;
  const double percent = percent_of(skipped, districts);
  return compliant_if(
      skipped <= 1 || percent <= skipped_districts_most * 100,
      fmt::format(
          "{} of {} districts had no order to deliver ({:.2f}%); limit: one district or {:g}%",
          text::grouped(skipped), text::grouped(districts), percent, skipped_districts_most * 100),
      "; import the data again");
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
Judged judge_errors(const Result& result) {
  constexpr double percent_most = 1;
  const std::uint64_t all = result.all_count();
  if (all == 0) return not_judged("no transaction");
  std::uint64_t failed = 0;
  std::uint64_t without_session = 0;
  for (const TransactionResult& one : result.transactions) {
    failed += one.failed_count;
    without_session += lost_sessions(one);
  }
  if (failed == all) {
    return {Judgement::invalid,
            fmt::format("no transaction succeeded: all {} failed; see the errors by class",
                        text::grouped(all))};
  }
  std::uint64_t in_outages = 0;
  for (const Outage& outage : result.availability.outages) in_outages += outage.transactions_lost;
  const std::uint64_t refused = failed - std::min(without_session, in_outages);
  const double percent = percent_of(refused, all);
  return compliant_if(
      percent <= percent_most,
      fmt::format("{} of {} transactions failed outside of outages ({:.2f}%); limit {:g}%",
                  text::grouped(refused), text::grouped(all), percent, percent_most),
      "; see the errors by class");
}

}  // namespace

const std::vector<Rule> answer_rules = {{"deferred_delivery", "5.2.5.7", judge_deferred},
                                        {"delivery.skipped", "2.7.4.2", judge_skipped},
                                        {"errors", "", judge_errors, For::all}};

Judged judge_latency(const TransactionResult& one) {
  return judge_percentile(one.latency, one.pending.unanswered, *one.latency_limit_s,
                          "; use fewer warehouses or a faster database");
}

}  // namespace drover::report
