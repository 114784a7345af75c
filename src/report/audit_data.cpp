// Whether the run was the one that was planned, and whether its counts agree with themselves and
// with the data.
#include <fmt/format.h>

#include <algorithm>

#include "report/plain_text.h"

#include "report/audit_lines.h"

namespace drover::report {

namespace {

Verdict audit_run(const Result& result) {
  Verdict line{"run", "", Judgement::held, "as long as planned"};
  if (result.failure) {
    line.judgement = Judgement::broken;
    line.text = "given up: " + *result.failure;
  } else if (result.interrupted) {
    line.judgement = Judgement::broken;
    line.text = fmt::format("interrupted after {:.1f} s of {:g} s of measuring",
                            result.summary.time_seconds, result.plan.duration_s);
  }
  return line;
}

// What a transaction may take in nine cases of ten (clause 5.2.5.7), and a share of the interval.
constexpr double stall_s_most = 5;
constexpr double stalled_share_most = 0.01;

// Adds what there is to say of stalls in the interval.
void audit_stalls(const Result& result, double from, double until, Verdict& line) {
  std::size_t measured = 0;
  double longest_s = 0;
  for (const Stall& stall : result.availability.stalls) {
    const double part_s =
        std::min(stall.end_s.value_or(until), until) - std::max(stall.start_s, from);
    if (part_s <= 0) continue;
    ++measured;
    longest_s = std::max(longest_s, part_s);
  }
  if (measured == 0) return;
  const double most_s = stalled_share_most * result.summary.time_seconds;
  const double all_s = result.availability.stalled_s;
  if (longest_s >= stall_s_most || all_s > most_s) line.judgement = Judgement::broken;
  line.text += fmt::format(
      "; {} {}, {:.1f} s in all (at most {:.2g} s allowed), the longest {:.1f} s (below {:g} s "
      "allowed): terminals waited, and nobody had an answer",
      measured, measured == 1 ? "stall" : "stalls", all_s, most_s, longest_s, stall_s_most);
}

Verdict audit_availability(const Result& result) {
  Verdict line{"availability", "", Judgement::not_judged, "there was no database"};
  if (result.plan.simulate_ms) return line;
  const double from = result.plan.warmup_s;
  const double until = from + result.summary.time_seconds;
  std::size_t measured = 0;
  std::uint64_t lost = 0;
  for (const Outage& outage : result.availability.outages) {
    if (outage.start_s >= until || outage.end_s.value_or(until) <= from) continue;
    ++measured;
    lost += outage.transactions_lost;
  }
  const std::uint64_t interruptions = result.availability.interruptions;
  if (measured == 0) {
    line.judgement = Judgement::held;
    line.text = "no outage in the measurement interval";
  } else {
    line.judgement = Judgement::broken;
    line.text = fmt::format("{} {} in the measurement interval, {:.1f} s of {:.1f} s, {} {} lost",
                            measured, measured == 1 ? "outage" : "outages",
                            result.availability.unavailable_s, result.summary.time_seconds,
                            grouped(lost), lost == 1 ? "transaction" : "transactions");
  }
  audit_stalls(result, from, until, line);
  if (interruptions > 0) {
    line.text +=
        fmt::format("; {} {} shorter than {:g} s", grouped(interruptions),
                    interruptions == 1 ? "interruption" : "interruptions", shortest_outage_s);
  }
  return line;
}

Verdict audit_counts(const Result& result) {
  const std::vector<std::string> errors = count_errors(result);
  if (errors.empty()) return {"counts", "", Judgement::held, "every count adds up"};
  return {"counts", "", Judgement::invalid,
          fmt::format("counts do not add up: {}; this is a bug of Drover's: please report it",
                      fmt::join(errors, "; "))};
}

Verdict audit_ambiguous(const Result& result) {
  Ambiguous all;
  for (const TransactionResult& one : result.transactions) {
    all.committed += one.ambiguous.committed;
    all.not_committed += one.ambiguous.not_committed;
    all.unresolved += one.ambiguous.unresolved;
  }
  Verdict line{"ambiguous", "", Judgement::held, "every commit was answered"};
  if (result.plan.simulate_ms) {
    line = {"ambiguous", "", Judgement::not_judged, "there was no database"};
  } else if (all.count() > 0) {
    line.text =
        fmt::format("of {} without an answer {} happened, {} did not, {} unknown",
                    grouped(all.count()) + " " + plural(all.count(), "commit"),
                    grouped(all.committed), grouped(all.not_committed), grouped(all.unresolved));
  }
  if (all.unresolved > 0) line.judgement = Judgement::broken;
  return line;
}

// Unresolved commits may have happened: then there is more in the data, and never less.
Verdict audit_ledger(const Result& result) {
  Verdict line{"ledger", "", Judgement::not_judged, ""};
  if (!result.ledger_in_data) {
    line.text = result.plan.simulate_ms ? "there was no database" : "the data could not be asked";
    return line;
  }
  const Ledger& ours = result.ledger;
  const LedgerInData& data = *result.ledger_in_data;
  const auto more_orders = data.new_orders - static_cast<std::int64_t>(ours.new_orders);
  const auto more_cents = data.payment_cents - ours.payment_cents;
  const auto delivered = static_cast<std::int64_t>(ours.orders_delivered);
  const auto more_delivered = data.orders_delivered.value_or(delivered) - delivered;
  const auto cents_text = [](std::int64_t cents) {
    return fmt::format("{}{}.{:02}", cents < 0 ? "-" : "", std::abs(cents) / 100,
                       std::abs(cents) % 100);
  };
  line.text = fmt::format(
      "{} New-Orders and Payments of {} committed since the start, {} and {} in "
      "the data",
      ours.new_orders, cents_text(ours.payment_cents), data.new_orders,
      cents_text(data.payment_cents));
  if (data.orders_delivered) {
    line.text +=
        fmt::format("; {} orders delivered, {} in the data", delivered, *data.orders_delivered);
  }
  const bool less = more_orders < 0 || more_cents < 0 || more_delivered < 0;
  if (agrees(ours, data)) {
    line.judgement = Judgement::held;
  } else if (!ours.exact && !less) {
    line.text += ": commits whose outcome is unknown may explain it";
  } else {
    line.judgement = Judgement::invalid;
    line.text += less ? ": commits were lost, or something else writes to these warehouses"
                      : ": something else writes to these warehouses; let the run be alone there";
  }
  return line;
}

}  // namespace

std::vector<Verdict> audit_data(const Result& result) {
  return {audit_run(result), audit_availability(result), audit_counts(result),
          audit_ambiguous(result), audit_ledger(result)};
}

}  // namespace drover::report
