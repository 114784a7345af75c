// Whether several hosts made the load as one: all of them, each to be trusted, and from the same instant.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/audit/audit_rules.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

// What a host adds or lacks at either end of the interval while the others are at it.
constexpr double starts_apart_most_ms = 10;

Judged judge_hosts(const Result& result) {
  if (result.incomplete) return {Judgement::invalid, "incomplete: " + *result.incomplete};
  constexpr std::size_t named_most = 3;
  constexpr std::string_view word = "INVALID: ";
  std::vector<std::string> invalid;
  std::size_t count = 0;
  for (const RankResult& one : result.ranks) {
    if (one.valid || ++count > named_most) continue;
    const std::string_view sentence = one.audit;
    invalid.push_back(
        fmt::format("{}: {}", rank_text(result.ranks, one),
                    sentence.starts_with(word) ? sentence.substr(word.size()) : sentence));
  }
  if (count == 0)
    return {Judgement::held, fmt::format("all {} were there, and valid by their own audits",
                                         text::counted_grouped(result.ranks.size(), "host"))};
  return {Judgement::invalid,
          fmt::format("{}{}", fmt::join(invalid, "; "),
                      count > named_most ? fmt::format("; and {} more", count - named_most) : "")};
}

Judged judge_start(const Result& result) {
  const std::optional<StartSpread> spread = start_spread(result.ranks);
  if (!spread) return not_judged("fewer than two hosts began");
  const double apart_ms = spread->apart_s * 1e3;
  std::string text = fmt::format("the hosts began within {} ms; at most {:g} ms",
                                 text::figure_text(apart_ms), starts_apart_most_ms);
  text += spread->uncertainty_s ? fmt::format(" (their clocks are known to {} ms)",
                                              text::figure_text(*spread->uncertainty_s * 1e3))
                                : " (by their own clocks, which nobody compared)";
  double latest_s = 0;
  for (const RankResult& one : result.ranks) latest_s = std::max(latest_s, one.start_late_s);
  if (latest_s > 0) text += fmt::format(", the last {} ms late", text::figure_text(latest_s * 1e3));
  return compliant_if(apart_ms <= starts_apart_most_ms, text,
                      ": the first and the last moments of the interval lack somebody's load; give "
                      "a longer --warmup, or a later --start-at");
}

}  // namespace

const std::vector<Rule> host_rules = {{"hosts", "", judge_hosts, For::all, true},
                                      {"start", "", judge_start, For::all, true}};

}  // namespace drover::report
