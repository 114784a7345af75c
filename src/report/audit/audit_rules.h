// The rules of the audit, in groups: for audit.cpp only.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/document/result.h"

namespace drover::report {

// A judgement with its text: the figure, its bound, and what to do.
struct Judged {
  Judgement judgement = Judgement::not_judged;
  std::string text;
};

// Return a judgement with a formatted text.
template <class... Arguments>
Judged held(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return {Judgement::held, fmt::format(text, std::forward<Arguments>(arguments)...)};
}
template <class... Arguments>
Judged broken(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return {Judgement::broken, fmt::format(text, std::forward<Arguments>(arguments)...)};
}
template <class... Arguments>
Judged invalid(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return {Judgement::invalid, fmt::format(text, std::forward<Arguments>(arguments)...)};
}
template <class... Arguments>
Judged not_judged(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return {Judgement::not_judged, fmt::format(text, std::forward<Arguments>(arguments)...)};
}

// With fewer observations chance allows for nearly everything, and nothing is judged.
inline constexpr std::uint64_t few = 30;

// `counted` is the number of observations and what they are: "12 Payments".
inline Judged too_few(std::string_view counted, std::uint64_t needed = few) {
  return not_judged("only {}, at least {} needed", counted, needed);
}

// Judge a rule of the specification, and a rule about trust in the figures. `remedy` is added if
// the rule does not hold.
inline Judged compliant_if(bool holds, const std::string& text, std::string_view remedy = {}) {
  return holds ? held("{}", text) : broken("{}{}", text, remedy);
}
inline Judged valid_if(bool holds, const std::string& text, std::string_view remedy = {}) {
  return holds ? held("{}", text) : invalid("{}{}", text, remedy);
}

// The workloads whose results a rule judges. Only TPC-C has clauses.
enum class For : std::uint8_t { tpcc, ycsb_and_scripts, all };

struct Rule {
  const char* name;
  const char* clause;
  std::function<Judged(const Result&)> judge;
  For results = For::tpcc;
  bool is_of_several = false;  // only of results of several hosts

  bool applies_to(const Result& result) const {
    if (is_of_several && !result.is_of_several()) return false;
    return results == For::all || (results == For::tpcc) == result.kind().has_specification;
  }
};

// These rules require a measured interval.
extern const std::vector<Rule> load_rules;
extern const std::vector<Rule> answer_rules;
extern const std::vector<Rule> client_rules;

// These rules are about the whole run.
extern const std::vector<Rule> outcome_rules;

// Judges the limit of the 90th percentile. Requires: a limit.
Judged judge_latency(const TransactionResult& one);

// Returns true if a rule says that the client machine was too slow. Does not count
// `client.waiting`, which is about the number of connections.
bool is_client_too_slow(const Result& result);

// Returns the share in percent, 0 if `whole` is 0.
inline double percent_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace drover::report
