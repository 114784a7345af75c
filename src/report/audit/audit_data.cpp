// Whether the run was the one that was planned, and whether its counts agree with themselves and
// with the data.
#include <fmt/format.h>

#include <algorithm>

#include "report/audit/audit_rules.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

constexpr const char* no_database = "there was no database";

Judged judge_run(const Result& result) {
  if (result.failure) return {Judgement::broken, "aborted: " + *result.failure};
  if (!result.interrupted) return {Judgement::held, "the run had its planned length"};
  return {Judgement::broken,
          fmt::format("interrupted after {:.1f} s of the measured interval of {:g} s",
                      result.summary.time_seconds, result.plan.duration_s)};
}

// What a transaction may take in nine cases of ten (clause 5.2.5.7), and a share of the interval.
constexpr double stall_s_most = 5;
constexpr double stalled_share_most = 0.01;

// Adds what there is to say of stalls in the interval.
void judge_stalls(const Result& result, double from, double until, Judged& judged) {
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
  if (longest_s >= stall_s_most || all_s > most_s) judged.judgement = Judgement::broken;
  judged.text += fmt::format(
      "; {} of {:.1f} s in total (at most {:.2g} s allowed), the longest {:.1f} s (below {:g} s "
      "allowed): {}s waited "
      "and the database answered nothing",
      text::counted(measured, "stall"), all_s, most_s, longest_s, stall_s_most,
      result.plan.kind().client);
}

Judged judge_availability(const Result& result) {
  if (result.plan.simulate_ms) return not_judged(no_database);
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
  Judged judged =
      measured == 0
          ? Judged{Judgement::held, "no outage in the measured interval"}
          : Judged{Judgement::broken,
                   fmt::format(
                       "{} in the measured interval, unavailable for {:.1f} s of {:.1f} s, {} lost",
                       text::counted(measured, "outage"), result.availability.unavailable_s,
                       result.summary.time_seconds, text::counted_grouped(lost, "transaction"))};
  judge_stalls(result, from, until, judged);
  if (const std::string away = warehouses_away_text(result); !away.empty()) {
    judged.judgement = Judgement::broken;
    judged.text += "; available for " + away;
  } else if (interruptions > 0) {
    judged.text +=
        fmt::format("; {} shorter than {:g} s",
                    text::counted_grouped(interruptions, "interruption"), shortest_outage_s);
  }
  return judged;
}

Judged judge_counts(const Result& result) {
  const std::vector<std::string> errors = count_errors(result);
  if (errors.empty()) return {Judgement::held, "all counts are consistent"};
  return {Judgement::invalid,
          fmt::format("counts are inconsistent ({}). This is a bug in Drover. Please report it",
                      fmt::join(errors, "; "))};
}

Judged judge_ambiguous(const Result& result) {
  const Ambiguous all = all_transactions(result).ambiguous;
  Judged judged{Judgement::held, "every commit was answered"};
  if (result.plan.simulate_ms) {
    judged = not_judged(no_database);
  } else if (all.count() > 0) {
    judged.text =
        fmt::format("{} without an answer: {} committed, {} not committed, {} unresolved",
                    text::counted_grouped(all.count(), "commit"), text::grouped(all.committed),
                    text::grouped(all.not_committed), text::grouped(all.unresolved));
  }
  if (all.unresolved > 0) judged.judgement = Judgement::broken;
  return judged;
}

// Unresolved commits may have happened: then there is more in the data, and never less.
Judged judge_ledger(const Result& result) {
  if (!result.ledger_in_data) {
    return not_judged(result.plan.simulate_ms ? no_database : "the data could not be read");
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
  std::string text = fmt::format(
      "New-Orders: {} committed, {} in the data; amount of Payments: {} committed, {} in the data",
      ours.new_orders, data.new_orders, cents_text(ours.payment_cents),
      cents_text(data.payment_cents));
  if (data.orders_delivered) {
    text += fmt::format("; orders delivered: {} committed, {} in the data", delivered,
                        *data.orders_delivered);
  }
  if (agrees(ours, data)) return {Judgement::held, text};
  if (result.lost_commits && result.lost_commits->count() > 0 && result.lost_commits->complete) {
    return {Judgement::invalid,
            fmt::format("{}; the database lost {} that it had acknowledged", text,
                        text::counted(result.lost_commits->count(), "commit"))};
  }
  const bool less = more_orders < 0 || more_cents < 0 || more_delivered < 0;
  if (!ours.exact && !less) {
    return not_judged(text + "; unresolved commits may explain the difference");
  }
  return {
      Judgement::invalid,
      text + (less ? "; commits were lost, or another program writes to these warehouses"
                   : "; another program writes to these warehouses. Stop it and repeat the run")};
}

Judged judge_account(const Account& account) {
  if (!account.in_data) return not_judged(account.name + ": the data could not be read");
  const std::string text = fmt::format("{}: {} committed, {} in the data", account.name,
                                       account.counted, *account.in_data);
  if (*account.agrees()) {
    const std::string in_doubt =
        account.unresolved == 0
            ? ""
            : fmt::format("; {}, {} of them in the data",
                          text::counted(account.unresolved, "unresolved commit"), *account.more());
    return {Judgement::held, text + in_doubt};
  }
  if (*account.more() < 0) {
    return {Judgement::invalid,
            text + "; commits were lost, or another program writes to this table"};
  }
  return {Judgement::invalid,
          text +
              "; writes were executed twice, or another program writes to this table. Stop it and "
              "repeat the run"};
}

// What weighs most of all accounts, and what there is to say of each.
Judged judge_accounts(const Result& result) {
  if (result.accounts.empty()) {
    return not_judged(result.plan.simulate_ms ? no_database
                                              : "the run's writes were not counted in the data");
  }
  Judged judged{Judgement::held, ""};
  for (const Account& account : result.accounts) {
    const Judged one = judge_account(account);
    if (one.judgement == Judgement::invalid || judged.judgement == Judgement::held) {
      judged.judgement = one.judgement;
    }
    judged.text += (judged.text.empty() ? "" : "; ") + one.text;
  }
  return judged;
}

Judged judge_verification(const Result& result) {
  if (!result.verification || result.verification->values + result.verification->not_found == 0) {
    return not_judged("no value was verified");
  }
  const Verification& verified = *result.verification;
  std::string text = text::counted_grouped(verified.values, "value") + " verified";
  if (verified.wrong == 0 && verified.not_found == 0)
    return {Judgement::held, text + ", all correct"};
  if (verified.wrong > 0)
    text += fmt::format(", {} wrong: {}", text::grouped(verified.wrong), verified.first_wrong);
  if (verified.not_found > 0) {
    text += fmt::format("; {} missing", text::counted_grouped(verified.not_found, "row"));
  }
  return {Judgement::invalid,
          text + "; the database lost data, or another program writes to this table"};
}

}  // namespace

const std::vector<Rule> data_rules = {{"run", "", judge_run, For::all},
                                      {"availability", "", judge_availability, For::all},
                                      {"counts", "", judge_counts, For::all},
                                      {"ambiguous", "", judge_ambiguous, For::all},
                                      {"ledger", "", judge_ledger},
                                      {"accounts", "", judge_accounts, For::others},
                                      {"verification", "", judge_verification, For::others}};

}  // namespace drover::report
