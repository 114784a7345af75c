// Rules about the outcome: the length of the run, its hosts, the answers of the database, and
// whether the counts agree with each other and with the data.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "report/audit/audit_rules.h"
#include "report/document/specification.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

constexpr char no_database[] = "there was no database";

Judged judge_run(const Result& result) {
  if (result.failure) return broken("aborted: {}", *result.failure);
  if (!result.interrupted) return held("the run had its planned length");
  return broken("interrupted after {:.1f} s of the measured interval of {:g} s",
                result.summary.time_seconds, result.plan.duration_s);
}

// The limit of the 90th percentile (clause 5.2.5.7), and a share of the interval.
constexpr double stall_s_most = 5;
constexpr double stalled_share_most = 0.01;

// Adds the stalls of the interval to the verdict.
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
      "; {}, in which {}s waited and the database did not answer: {:.1f} s in total (allowed: at "
      "most {:.2g} s), the longest {:.1f} s (allowed: below {:g} s)",
      text::counted(measured, "stall"), result.plan.kind().client, all_s, most_s, longest_s,
      stall_s_most);
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
          ? held("no outage in the measured interval")
          : broken("{} in the measured interval, unavailable for {:.1f} s of {:.1f} s, {} lost",
                   text::counted(measured, "outage"), result.availability.unavailable_s,
                   result.summary.time_seconds, text::counted_grouped(lost, "transaction"));
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
  if (errors.empty()) return held("all counts are consistent");
  return invalid("counts are inconsistent ({}). This is a bug in Drover. Please report it",
                 fmt::join(errors, "; "));
}

Judged judge_ambiguous(const Result& result) {
  if (result.plan.simulate_ms) return not_judged(no_database);
  const auto all = all_transactions(result).ambiguous;
  if (all.count() == 0) return held("every commit was answered");
  return compliant_if(
      all.unresolved == 0,
      fmt::format("{} without an answer: {} committed, {} not committed, {} unresolved",
                  text::counted_grouped(all.count(), "commit"), text::grouped(all.committed),
                  text::grouped(all.not_committed), text::grouped(all.unresolved)));
}

// Unresolved commits may add rows to the data, but never remove any.
Judged judge_ledger(const Result& result) {
  if (!result.ledger_in_data)
    return not_judged("{}", result.plan.simulate_ms ? no_database : "the data could not be read");
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
  if (agrees(ours, data)) return held("{}", text);
  if (result.lost_commits && result.lost_commits->count() > 0 && result.lost_commits->complete) {
    return invalid("{}; the database lost {} that it had acknowledged", text,
                   text::counted(result.lost_commits->count(), "commit"));
  }
  const bool less = more_orders < 0 || more_cents < 0 || more_delivered < 0;
  if (!ours.exact && !less)
    return not_judged("{}; unresolved commits may explain the difference", text);
  return invalid("{}; {}", text,
                 less ? "commits were lost, or another program writes to these warehouses"
                      : "another program writes to these warehouses. Stop it and repeat the run");
}

Judged judge_account(const Account& account) {
  if (!account.in_data) return not_judged("{}: the data could not be read", account.name);
  const std::string text = fmt::format("{}: {} committed, {} in the data", account.name,
                                       account.counted, *account.in_data);
  if (*account.agrees() && account.unresolved == 0) return held("{}", text);
  if (*account.agrees()) {
    return held("{}; the data contain {} of {}", text, *account.more(),
                text::counted(account.unresolved, "unresolved commit"));
  }
  return invalid("{}; {}", text,
                 *account.more() < 0
                     ? "commits were lost, or another program writes to this table"
                     : "writes were executed twice, or another program writes to this table. Stop "
                       "it and repeat the run");
}

// Returns the worst judgement of all accounts, with the texts of all.
Judged judge_accounts(const Result& result) {
  if (result.accounts.empty()) {
    return not_judged("{}", result.plan.simulate_ms
                                ? no_database
                                : "the run's writes were not counted in the data");
  }
  Judged judged{Judgement::held, ""};
  for (const Account& account : result.accounts) {
    const Judged one = judge_account(account);
    if (one.judgement == Judgement::invalid || judged.judgement == Judgement::held)
      judged.judgement = one.judgement;
    judged.text += (judged.text.empty() ? "" : "; ") + one.text;
  }
  return judged;
}

Judged judge_verification(const Result& result) {
  if (!result.verification || result.verification->values + result.verification->not_found == 0)
    return not_judged("no value was verified");
  const Verification& verified = *result.verification;
  const std::string values = text::counted_grouped(verified.values, "value");
  if (verified.wrong == 0 && verified.not_found == 0)
    return held("{} verified, all correct", values);
  return invalid(
      "{} verified{}{}; the database lost data, or another program writes to this table", values,
      verified.wrong == 0
          ? ""
          : fmt::format(", {} wrong: {}", text::grouped(verified.wrong), verified.first_wrong),
      verified.not_found == 0
          ? ""
          : fmt::format("; {} missing", text::counted_grouped(verified.not_found, "row")));
}

// Among fewer transactions, the 90th percentile is the largest latency.
constexpr std::uint64_t few_answers = 10;

Judged judge_percentile(const measure::HistogramSnapshot& latency,
                        const measure::HistogramSnapshot& unanswered, double limit_s,
                        const char* remedy) {
  if (latency.count() < few_answers)
    return too_few(text::counted(latency.count(), "transaction"), few_answers);
  const double p90_s = static_cast<double>(latency.percentile_ns(90)) * 1e-9;
  const bool at_least = is_lower_bound(latency, unanswered, 90);
  const std::string without_answer =
      unanswered.empty()
          ? ""
          : fmt::format(", of which {} had no answer", text::grouped(unanswered.count()));
  const std::string text =
      fmt::format("90th percentile {}{} s of {}{}; limit {:g} s", at_least ? "at least " : "",
                  text::figure_text(p90_s), text::counted_grouped(latency.count(), "transaction"),
                  without_answer, limit_s);
  if (at_least && p90_s <= limit_s) return not_judged("{}", text);
  return compliant_if(p90_s <= limit_s, text, remedy);
}

Judged judge_deferred(const Result& result) {
  if (!result.deferred_delivery) return not_judged("Deliveries were not deferred");
  const DeferredDelivery& deferred = *result.deferred_delivery;
  Judged judged = judge_percentile(deferred.latency, deferred.unanswered, deferred.latency_limit_s,
                                   "; the queue of deferred Deliveries grows");
  // Unfinished Deliveries would have the longest latencies.
  const std::uint64_t lost = deferred.failed + deferred.unfinished;
  if (lost == 0) return judged;
  judged.text +=
      fmt::format("; {0} of {2} queued Deliveries failed, and {1} were unfinished at the end",
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

// Returns the failed transactions that lost their connection or never had one.
std::uint64_t lost_sessions(const TransactionResult& one) {
  std::uint64_t lost = 0;
  for (const char* name : {"connection_lost", "ambiguous_commit", "unavailable"}) {
    const auto found = one.errors_by_class.find(name);
    if (found != one.errors_by_class.end()) lost += found->second;
  }
  return std::min(lost, one.failed_count);
}

// Transactions that failed in outages belong to the rule "availability". The others were refused.
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
    return invalid("no transaction succeeded: all {} failed; see the errors by class",
                   text::grouped(all));
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

// Load of one host that is added or missing at the ends of the interval.
constexpr double starts_apart_most_ms = 10;

Judged judge_hosts(const Result& result) {
  if (result.incomplete) return invalid("incomplete: {}", *result.incomplete);
  // A host compares its delays with its own transactions, the rules client.* with those of all
  // hosts. Only one of the two slightly different figures is shown.
  constexpr std::string_view overloaded = "client overloaded";
  const bool has_client_figures = is_client_too_slow(result);
  constexpr std::size_t named_most = 3;
  constexpr std::string_view word = "INVALID: ";
  std::vector<std::string> sentences;
  std::size_t count = 0;
  std::size_t without_audit = 0;
  for (const RankResult& one : result.ranks) {
    if (one.audit.empty()) ++without_audit;
    if (one.valid || ++count > named_most) continue;
    std::string_view sentence = one.audit;
    if (sentence.starts_with(word)) sentence.remove_prefix(word.size());
    const bool is_short = has_client_figures && sentence.starts_with(overloaded);
    sentences.push_back(
        fmt::format("{}: {}", rank_text(result.ranks, one),
                    is_short ? "client overloaded. See the rules client.*" : sentence));
  }
  if (count > named_most) sentences.push_back(fmt::format("and {} more", count - named_most));
  if (count > 0) return invalid("{}", fmt::join(sentences, "; "));
  const std::string hosts = text::counted_grouped(result.ranks.size(), "host");
  if (without_audit > 0)
    return not_judged("all {} took part; hosts without an audit: {}", hosts, without_audit);
  return held("all {} took part, and the audit of each one is valid", hosts);
}

std::string start_text(const Result& result, const StartSpread& spread) {
  const auto ms = [](double seconds) { return text::figure_text(seconds * 1e3); };
  std::string text = fmt::format("the hosts started within {} ms; limit {:g} ms",
                                 ms(spread.apart_s), starts_apart_most_ms);
  text += std::isfinite(spread.uncertainty_s)
              ? fmt::format(" (clock uncertainty {} ms)", ms(spread.uncertainty_s))
              : " (by their own clocks, which were not compared)";
  double latest_s = 0;
  for (const RankResult& one : result.ranks) latest_s = std::max(latest_s, one.start_late_s);
  if (latest_s > 0)
    text += fmt::format(", the last host {} ms after its scheduled start", ms(latest_s));
  return text;
}

// The difference of two clocks is only known with an uncertainty, and a host may have begun late.
// The rule holds or is broken only if the result is the same for all values within these bounds.
Judged judge_start(const Result& result) {
  const std::optional<StartSpread> spread = start_spread(result.ranks);
  if (!spread) return not_judged("fewer than two hosts started");
  const std::string text = start_text(result, *spread);
  if (spread->least_s * 1e3 > starts_apart_most_ms) {
    return broken(
        "{}; at both ends of the measured interval some hosts generated no load. Use a longer "
        "--warmup or a later --start-at",
        text);
  }
  if (!std::isfinite(spread->most_s))
    return not_judged("{}; start the hosts with --hosts, which compares the clocks", text);
  if (spread->most_s * 1e3 > starts_apart_most_ms) {
    return not_judged(
        "{}; with the clock uncertainty and the late starts, up to {} ms between the starts are "
        "possible. Use a faster network to the hosts, or hosts with less load",
        text, text::figure_text(spread->most_s * 1e3));
  }
  const auto missing = std::ranges::count_if(
      result.ranks, [](const RankResult& one) { return !start_of(one).has_value(); });
  if (missing > 0) {
    return not_judged("{}; {} did not start", text,
                      text::counted_grouped(static_cast<std::uint64_t>(missing), "host"));
  }
  return held("{}", text);
}

}  // namespace

Judged judge_latency(const TransactionResult& one) {
  return judge_percentile(one.latency, one.pending.unanswered, *one.latency_limit_s,
                          "; use fewer warehouses or a faster database");
}

const std::vector<Rule> answer_rules = {{"deferred_delivery", "5.2.5.7", judge_deferred},
                                        {"delivery.skipped", "2.7.4.2", judge_skipped},
                                        {"errors", "", judge_errors, For::all}};

const std::vector<Rule> outcome_rules = {
    {"hosts", "", judge_hosts, For::all, true},
    {"start", "", judge_start, For::all, true},
    {"run", "", judge_run, For::all},
    {"availability", "", judge_availability, For::all},
    {"counts", "", judge_counts, For::all},
    {"ambiguous", "", judge_ambiguous, For::all},
    {"ledger", "", judge_ledger},
    {"accounts", "", judge_accounts, For::ycsb_and_scripts},
    {"verification", "", judge_verification, For::ycsb_and_scripts}};

}  // namespace drover::report
