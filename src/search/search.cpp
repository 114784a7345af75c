// The steps, the rules and the loop of a search.
#include "search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "report/model/chart.h"
#include "text/plain_text.h"

namespace drover::search {
namespace {

using report::Judgement;
using report::Result;

constexpr int failures_that_break = 2;
constexpr double first_step_down = 0.05;  // below a failed confirmation; doubles

// The outcomes of the probes of one load.
struct LoadVerdict {
  int held = 0;
  int failed = 0;
  std::optional<bool> confirmed;  // by the last confirmation
  int probes_by_client = 0;
  int confirmations_by_client = 0;

  bool breaks() const {
    return confirmed ? !*confirmed : held == 0 && failed >= failures_that_break;
  }
  bool holds() const { return confirmed.value_or(held > 0); }
  // True before the first probe, and after a single failed probe.
  bool open() const { return !breaks() && !holds(); }
  bool given_up() const {
    return (probes_by_client >= client_failures_most && open()) ||
           (confirmations_by_client >= client_failures_most && !confirmed);
  }
};

std::map<std::int64_t, LoadVerdict> verdicts_of(std::span<const Probe> probes) {
  std::map<std::int64_t, LoadVerdict> verdicts;
  for (const Probe& probe : probes) {
    LoadVerdict& verdict = verdicts[probe.load];
    if (probe.by_client)
      ++(probe.confirmation ? verdict.confirmations_by_client : verdict.probes_by_client);
    else if (probe.confirmation)
      verdict.confirmed = probe.held;
    else
      ++(probe.held ? verdict.held : verdict.failed);
  }
  return verdicts;
}

std::int64_t gap_allowed(const Bounds& bounds, std::int64_t holds) {
  return std::max<std::int64_t>(
      static_cast<std::int64_t>(bounds.tolerance * static_cast<double>(holds)), 1);
}

std::ptrdiff_t confirmations(std::span<const Probe> probes, bool failed_only) {
  return std::ranges::count_if(probes, [&](const Probe& probe) {
    return probe.confirmation && !probe.by_client && !(failed_only && probe.held);
  });
}

Step confirm(const Answer& answer) {
  return answer.confirmed ? Step{} : Step{Step::Kind::confirm, *answer.holds};
}

// Returns the next long run after a failed confirmation.
Step next_confirmation(const Bounds& bounds, std::span<const Probe> probes, const Answer& answer) {
  if (confirmations(probes, false) >= confirmations_most) return {};
  // In a record a load may have broken first and held later.
  if (!answer.breaks) return answer.holds ? confirm(answer) : Step{};
  const std::int64_t breaks = *answer.breaks;
  if (answer.holds) {
    const std::int64_t gap = breaks - *answer.holds;
    if (gap <= gap_allowed(bounds, *answer.holds)) return {};
    return {Step::Kind::confirm, *answer.holds + gap / 2};
  }
  if (breaks <= bounds.low) return {};
  const double share =
      std::ldexp(first_step_down, static_cast<int>(confirmations(probes, true)) - 1);
  const auto down = static_cast<std::int64_t>(share * static_cast<double>(breaks));
  const std::int64_t load = breaks - std::max(down, gap_allowed(bounds, breaks));
  return {Step::Kind::confirm, std::max(load, bounds.low)};
}

}  // namespace

Answer answer_of(std::span<const Probe> probes) {
  Answer answer;
  const bool only_confirmed = confirmations(probes, true) > 0;
  for (const auto& [load, verdict] : verdicts_of(probes)) {
    if (verdict.breaks()) {
      answer.breaks = load;
      break;
    }
    if (only_confirmed ? verdict.confirmed.has_value() : verdict.holds()) {
      answer.holds = load;
      answer.confirmed = verdict.confirmed.value_or(false);
      answer.not_judged.reset();  // the rules also hold at smaller loads
    }
    if (verdict.given_up() && !answer.not_judged) answer.not_judged = load;
  }
  return answer;
}

Step next_step(const Bounds& bounds, std::span<const Probe> probes) {
  if (probes.empty()) return {Step::Kind::probe, bounds.start};
  const Probe& last = probes.back();
  const Answer answer = answer_of(probes);
  if (answer.not_judged)
    return answer.holds && *answer.holds < *answer.not_judged ? confirm(answer) : Step{};
  const LoadVerdict verdict = verdicts_of(probes).at(last.load);
  const bool below = !answer.breaks || last.load < *answer.breaks;
  const bool again = below && !verdict.given_up();
  if (again && last.confirmation && last.by_client && !verdict.confirmed)
    return {Step::Kind::confirm, last.load};
  if (confirmations(probes, true) > 0) return next_confirmation(bounds, probes, answer);
  if (again && verdict.open()) return {Step::Kind::probe, last.load};
  if (!answer.holds) {
    if (*answer.breaks <= bounds.low) return {};
    return {Step::Kind::probe, std::max(bounds.low, *answer.breaks / 2)};
  }
  if (!answer.breaks) {
    if (*answer.holds >= bounds.high) return confirm(answer);
    return {Step::Kind::probe, std::min(bounds.high, *answer.holds * 2)};
  }
  const std::int64_t gap = *answer.breaks - *answer.holds;
  if (gap <= gap_allowed(bounds, *answer.holds)) return confirm(answer);
  return {Step::Kind::probe, *answer.holds + gap / 2};
}

namespace {

bool counts(const report::Verdict& verdict, const Result& result) {
  if (verdict.judgement == Judgement::invalid) return true;
  if (verdict.judgement != Judgement::broken) return false;
  if (verdict.name == "interval" || verdict.name == "steady_state") return false;
  return result.plan.pace == 1 || (verdict.name != "keying" && verdict.name != "think");
}

// Returns the sentence about a broken limit; empty if the limit holds.
std::string limit_sentence(const Result& result, const report::Limit& limit) {
  const std::optional<double> value = limit.metric.value(result);
  if (!value) return fmt::format("{} was not measured", limit.metric.name());
  if (!limit.is_beyond(*value)) return "";
  return fmt::format("{} is {} (--fail-if '{}')", limit.metric.name(), report::number_text(*value),
                     limit.text());
}

}  // namespace

bool blames_client_machine(const std::vector<std::string>& broken) {
  constexpr std::array rules_of_machine = {
      "client.load: ", "client.run_queue: ", "client.reaction: ", "client.timers: "};
  return std::ranges::any_of(broken, [&](const std::string& sentence) {
    return std::ranges::any_of(rules_of_machine,
                               [&](const char* rule) { return sentence.starts_with(rule); });
  });
}

std::vector<std::string> broken_rules(const Result& result, const Rules& rules) {
  std::vector<std::string> broken;
  if (result.failure) broken.push_back(fmt::format("the run was aborted: {}", *result.failure));
  for (const report::Verdict& verdict : result.audit)
    if (counts(verdict, result))
      broken.push_back(fmt::format("{}: {}", verdict.name, verdict.text));
  for (const report::Verdict& verdict : result.audit)
    if (result.plan.is_open_loop() && verdict.name == "rate" &&
        verdict.judgement == Judgement::not_judged)
      broken.push_back(fmt::format("rate: {}; measure for longer", verdict.text));
  const auto& [efficiency, error] =
      std::tie(result.summary.efficiency, result.summary.efficiency_sampling_error);
  if (rules.efficiency_least > 0 && result.efficiency_is_meaningful() &&
      efficiency + error < rules.efficiency_least) {
    broken.push_back(fmt::format("efficiency {:.1f}% +- {:.1f} is below {:g}%", efficiency, error,
                                 rules.efficiency_least));
  }
  const std::uint64_t failed = report::all_transactions(result).failed_count;
  if (!rules.failures_allowed && failed > 0)
    broken.push_back(fmt::format("{} failed", text::counted_grouped(failed, "transaction")));
  for (const report::Limit& limit : rules.limits)
    if (std::string sentence = limit_sentence(result, limit); !sentence.empty())
      broken.push_back(std::move(sentence));
  if (result.summary.time_seconds <= 0) broken.emplace_back("nothing was measured");
  return broken;
}

namespace {

std::string figures_of(const RecordedRun& run, bool has_tpmc) {
  const std::optional<double> ms = has_tpmc ? run.new_order_p90_ms : run.p90_ms;
  const std::string p90 = ms ? fmt::format("{:.1f} ms", *ms) : "-";
  if (!has_tpmc) return fmt::format("{:>9.1f} tx/s  p90 {}", run.throughput, p90);
  return fmt::format("{:>9.1f} tpmC{}  {:>7.1f} tx/s  NewOrder p90 {}", run.tpmc,
                     run.efficiency > 0 ? fmt::format("  {:>5.1f}%", run.efficiency) : "",
                     run.throughput, p90);
}

// Returns a line for a run, and one for each rule that it broke.
std::string text_of(const RecordedRun& run, const Record& record, std::string_view note) {
  const char* verdict = run.probe.held ? "holds" : run.probe.by_client ? "unsure" : "breaks";
  std::string line = fmt::format(
      "{:<8} {:>18}  {:<6} {}{}\n", run.probe.confirmation ? "confirm" : "probe",
      load_text(run.probe.load, record.unit), verdict, figures_of(run, record.has_tpmc()), note);
  for (const std::string& rule : run.broken) line += fmt::format("         {}\n", rule);
  return line;
}

}  // namespace

bool run_search(Record& record, const Rules& rules, const SearchActions& actions) {
  for (const RecordedRun& run : record.runs)
    actions.show(text_of(run, record, " (recorded earlier)"));
  for (;;) {
    const Step step = next_step(record.bounds, record.probes());
    if (step.kind == Step::Kind::done) return true;
    const std::optional<Result> result = actions.run(step);
    if (!result) return false;
    const bool confirmation = step.kind == Step::Kind::confirm;
    std::string file = fmt::format("run-{:02}-{}-{}.json", record.runs.size() + 1,
                                   confirmation ? "confirm" : "probe", step.load);
    actions.keep_result(file, *result);
    record.runs.push_back(recorded({.load = step.load, .confirmation = confirmation},
                                   std::move(file), *result, broken_rules(*result, rules)));
    actions.keep_record(record);
    const RecordedRun& run = record.runs.back();
    actions.show(text_of(run, record, ""));
    if (run.probe.by_client && next_step(record.bounds, record.probes()) == step)
      actions.show("         the client machine was overloaded: this run is repeated\n");
  }
}

}  // namespace drover::search
