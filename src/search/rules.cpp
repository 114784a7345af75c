#include "search/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "report/model/chart.h"
#include "text/plain_text.h"

namespace drover::search {
namespace {

using report::Judgement;
using report::Result;

bool counts(const report::Verdict& line, const Result& result) {
  if (line.judgement == Judgement::invalid) return true;
  if (line.judgement != Judgement::broken) return false;
  constexpr std::array<std::string_view, 2> of_length = {"interval", "steady_state"};
  constexpr std::array<std::string_view, 2> of_pace = {"keying", "think"};
  if (std::ranges::find(of_length, line.name) != of_length.end()) return false;
  return result.plan.pace == 1 || std::ranges::find(of_pace, line.name) == of_pace.end();
}

void check_efficiency(const Result& result, const Rules& rules, std::vector<std::string>& broken) {
  if (rules.efficiency_least <= 0 || !result.efficiency_is_meaningful()) return;
  const report::Summary& summary = result.summary;
  if (summary.efficiency + summary.efficiency_sampling_error >= rules.efficiency_least) return;
  broken.push_back(fmt::format("efficiency {:.1f}% +- {:.1f} is below {:g}%", summary.efficiency,
                               summary.efficiency_sampling_error, rules.efficiency_least));
}

void check_failures(const Result& result, const Rules& rules, std::vector<std::string>& broken) {
  const std::uint64_t failed = report::all_transactions(result).failed_count;
  if (rules.failures_allowed || failed == 0) return;
  broken.push_back(fmt::format("{} failed", text::counted_grouped(failed, "transaction")));
}

void check_rate(const Result& result, std::vector<std::string>& broken) {
  if (!result.plan.is_open_loop()) return;
  for (const report::Verdict& line : result.audit) {
    if (line.name != "rate" || line.judgement != Judgement::not_judged) continue;
    broken.push_back(fmt::format("rate: {}; measure for longer", line.text));
  }
}

void check_limit(const Result& result, const report::Limit& limit,
                 std::vector<std::string>& broken) {
  const auto value = limit.metric.value(result);
  const std::string name = limit.metric.name();
  if (!value) {
    broken.push_back(fmt::format("{} was not measured", name));
  } else if (limit.is_beyond(*value)) {
    broken.push_back(
        fmt::format("{} is {} (--fail-if '{}')", name, report::number_text(*value), limit.text()));
  }
}

}  // namespace

bool blames_client_machine(const std::vector<std::string>& broken) {
  constexpr std::array<std::string_view, 4> of_machine = {
      "client.load: ", "client.run_queue: ", "client.reaction: ", "client.timers: "};
  return std::ranges::any_of(broken, [&](const std::string& sentence) {
    return std::ranges::any_of(of_machine,
                               [&](std::string_view name) { return sentence.starts_with(name); });
  });
}

std::vector<std::string> broken_rules(const Result& result, const Rules& rules) {
  std::vector<std::string> broken;
  if (result.failure) broken.push_back(fmt::format("the run was aborted: {}", *result.failure));
  for (const report::Verdict& line : result.audit) {
    if (counts(line, result)) broken.push_back(fmt::format("{}: {}", line.name, line.text));
  }
  check_rate(result, broken);
  check_efficiency(result, rules, broken);
  check_failures(result, rules, broken);
  for (const report::Limit& limit : rules.limits) check_limit(result, limit, broken);
  if (result.summary.time_seconds <= 0) broken.emplace_back("nothing was measured");
  return broken;
}

}  // namespace drover::search
