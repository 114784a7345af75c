#include "report/audit/audit.h"

#include <utility>

#include "report/audit/audit_rules.h"

namespace drover::report {

std::vector<Verdict> audit(const Result& result) {
  const bool is_measured = result.summary.time_seconds > 0;
  std::vector<Verdict> lines;
  const auto add = [&lines](std::string name, const char* clause, Judged judged) {
    lines.push_back({std::move(name), clause, judged.judgement, std::move(judged.text)});
  };
  const auto clause = [&result](const Rule& rule) { return result.is_tpcc() ? rule.clause : ""; };
  const auto add_measured = [&](const std::vector<Rule>& rules) {
    for (const Rule& rule : rules) {
      if (!rule.applies_to(result)) continue;
      add(rule.name, clause(rule),
          is_measured ? rule.judge(result) : not_judged(std::string(nothing_measured)));
    }
  };
  add_measured(load_rules);
  add_measured(workload_rules);
  add_measured(input_rules);
  for (const TransactionResult& one : result.transactions) {
    if (!one.latency_limit_s) continue;
    add("latency." + one.name, result.is_tpcc() ? "5.2.5.7" : "",
        is_measured ? judge_latency(one) : not_judged(std::string(nothing_measured)));
  }
  add_measured(answer_rules);
  add_measured(client_rules);
  for (const std::vector<Rule>* rules : {&host_rules, &data_rules}) {
    for (const Rule& rule : *rules) {
      if (rule.applies_to(result)) add(rule.name, clause(rule), rule.judge(result));
    }
  }
  return lines;
}

}  // namespace drover::report
