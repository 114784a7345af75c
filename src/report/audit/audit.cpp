#include "report/audit/audit.h"

#include <utility>

#include "report/audit/audit_rules.h"

namespace drover::report {

std::vector<Verdict> audit(const Result& result) {
  const bool is_measured = result.summary.time_seconds > 0;
  std::vector<Verdict> verdicts;
  const auto add = [&](std::string name, const char* clause, Judged judged) {
    verdicts.push_back({std::move(name), result.kind().has_specification ? clause : "",
                        judged.judgement, std::move(judged.text)});
  };
  const auto add_rules = [&](const std::vector<Rule>& rules, bool can_be_judged) {
    for (const Rule& rule : rules) {
      if (!rule.applies_to(result)) continue;
      add(rule.name, rule.clause,
          can_be_judged ? rule.judge(result) : not_judged("{}", nothing_measured));
    }
  };
  add_rules(load_rules, is_measured);
  for (const TransactionResult& one : result.transactions) {
    if (!one.latency_limit_s) continue;
    add("latency." + one.name, "5.2.5.7",
        is_measured ? judge_latency(one) : not_judged("{}", nothing_measured));
  }
  add_rules(answer_rules, is_measured);
  add_rules(client_rules, is_measured);
  add_rules(outcome_rules, true);
  return verdicts;
}

}  // namespace drover::report
