// Whether several hosts made the load as one: all of them, each to be trusted, and from the same instant.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "report/audit/audit_rules.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

// What a host adds or lacks at either end of the interval while the others are at it.
constexpr double starts_apart_most_ms = 10;

Judged judge_hosts(const Result& result) {
  if (result.incomplete) return {Judgement::invalid, "incomplete: " + *result.incomplete};
  // A host compares its delays with its own transactions, the rules client.* with those of all hosts.
  // Only one of the two slightly different figures is shown.
  constexpr std::string_view overloaded = "client overloaded";
  const bool has_client_figures = is_client_too_slow(result);
  constexpr std::size_t named_most = 3;
  constexpr std::string_view word = "INVALID: ";
  std::vector<std::string> invalid;
  std::size_t count = 0;
  std::size_t without_audit = 0;
  for (const RankResult& one : result.ranks) {
    if (one.audit.empty()) ++without_audit;
    if (one.valid || ++count > named_most) continue;
    std::string_view sentence = one.audit;
    if (sentence.starts_with(word)) sentence.remove_prefix(word.size());
    const bool is_short = has_client_figures && sentence.starts_with(overloaded);
    invalid.push_back(
        fmt::format("{}: {}", rank_text(result.ranks, one),
                    is_short ? "client overloaded. See the rules client.*" : sentence));
  }
  if (count > 0) {
    return {
        Judgement::invalid,
        fmt::format("{}{}", fmt::join(invalid, "; "),
                    count > named_most ? fmt::format("; and {} more", count - named_most) : "")};
  }
  const std::string hosts = text::counted_grouped(result.ranks.size(), "host");
  if (without_audit > 0) {
    return not_judged(fmt::format("all {} took part; {} without an audit", hosts, without_audit));
  }
  return {Judgement::held,
          fmt::format("all {} took part, and the audit of each one is valid", hosts)};
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
    text += fmt::format(", the last one {} ms after its scheduled start", ms(latest_s));
  return text;
}

// The difference of two clocks is only known with an uncertainty, and a host may have begun late.
// The rule holds or is broken only if the result is the same for all values within these bounds.
Judged judge_start(const Result& result) {
  const std::optional<StartSpread> spread = start_spread(result.ranks);
  if (!spread) return not_judged("fewer than two hosts started");
  const std::string text = start_text(result, *spread);
  if (spread->least_s * 1e3 > starts_apart_most_ms) {
    return {
        Judgement::broken,
        text +
            "; at both ends of the measured interval some hosts generated no load. Use a longer "
            "--warmup or a later --start-at"};
  }
  if (!std::isfinite(spread->most_s)) {
    return not_judged(text + "; start the hosts with --hosts, which compares the clocks");
  }
  if (spread->most_s * 1e3 > starts_apart_most_ms) {
    return not_judged(
        fmt::format("{}; with the clock uncertainty and the late starts, up to {} ms are possible. "
                    "Use a faster "
                    "network to the hosts, or hosts with less load",
                    text, text::figure_text(spread->most_s * 1e3)));
  }
  const auto missing = std::ranges::count_if(
      result.ranks, [](const RankResult& one) { return !start_of(one).has_value(); });
  if (missing > 0)
    return not_judged(
        fmt::format("{}; {} did not start", text,
                    text::counted_grouped(static_cast<std::uint64_t>(missing), "host")));
  return {Judgement::held, text};
}

}  // namespace

const std::vector<Rule> host_rules = {{"hosts", "", judge_hosts, For::all, true},
                                      {"start", "", judge_start, For::all, true}};

}  // namespace drover::report
