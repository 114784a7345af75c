#include "search/steps.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace drover::search {
namespace {

constexpr int failures_that_break = 2;
constexpr double first_step_down = 0.05;  // below a confirmation that broke; doubles

// What the probes say of one load.
struct Verdict {
  int held = 0;
  int failed = 0;
  std::optional<bool> confirmed;  // the last confirmation
  int probes_by_client = 0;
  int confirmations_by_client = 0;

  bool breaks() const {
    if (confirmed) return !*confirmed;
    return held == 0 && failed >= failures_that_break;
  }
  bool holds() const { return confirmed.value_or(held > 0); }
  // Nothing is known yet, or it failed once, and gets another chance.
  bool open() const { return !breaks() && !holds(); }
  // The client's machine broke so many runs that another one would hardly tell.
  bool given_up() const {
    return (probes_by_client >= client_failures_most && open()) ||
           (confirmations_by_client >= client_failures_most && !confirmed);
  }
};

std::map<std::int64_t, Verdict> verdicts_of(std::span<const Probe> probes) {
  std::map<std::int64_t, Verdict> verdicts;
  for (const Probe& probe : probes) {
    Verdict& verdict = verdicts[probe.load];
    if (probe.by_client) {
      ++(probe.confirmation ? verdict.confirmations_by_client : verdict.probes_by_client);
    } else if (probe.confirmation) {
      verdict.confirmed = probe.held;
    } else {
      ++(probe.held ? verdict.held : verdict.failed);
    }
  }
  return verdicts;
}

std::int64_t gap_allowed(const Bounds& bounds, std::int64_t holds) {
  const double gap = std::floor(bounds.tolerance * static_cast<double>(holds));
  return std::max<std::int64_t>(static_cast<std::int64_t>(gap), 1);
}

int confirmations(std::span<const Probe> probes) {
  return static_cast<int>(std::ranges::count_if(
      probes, [](const Probe& probe) { return probe.confirmation && !probe.by_client; }));
}

int failed_confirmations(std::span<const Probe> probes) {
  return static_cast<int>(std::ranges::count_if(probes, [](const Probe& probe) {
    return probe.confirmation && !probe.held && !probe.by_client;
  }));
}

Step confirm(const Found& found) {
  return found.confirmed ? Step{} : Step{Step::Kind::confirm, *found.holds};
}

// When a confirmation broke: long runs below it.
Step next_confirmation(const Bounds& bounds, std::span<const Probe> probes, const Found& found) {
  if (confirmations(probes) >= confirmations_most) return {};
  // A record may say that a load broke, and held later.
  if (!found.breaks) return found.holds && !found.confirmed ? confirm(found) : Step{};
  const std::int64_t breaks = *found.breaks;
  if (found.holds) {
    const std::int64_t gap = breaks - *found.holds;
    if (gap <= gap_allowed(bounds, *found.holds)) return {};
    return {Step::Kind::confirm, *found.holds + gap / 2};
  }
  if (breaks <= bounds.low) return {};
  const double share = std::ldexp(first_step_down, failed_confirmations(probes) - 1);
  const auto down = static_cast<std::int64_t>(share * static_cast<double>(breaks));
  const std::int64_t load = breaks - std::max(down, gap_allowed(bounds, breaks));
  return {Step::Kind::confirm, std::max(load, bounds.low)};
}

}  // namespace

Found found_by(std::span<const Probe> probes) {
  Found found;
  const bool only_confirmed = failed_confirmations(probes) > 0;
  for (const auto& [load, verdict] : verdicts_of(probes)) {
    if (verdict.breaks()) {
      found.breaks = load;
      break;
    }
    if (only_confirmed ? verdict.confirmed.has_value() : verdict.holds()) {
      found.holds = load;
      found.confirmed = verdict.confirmed.value_or(false);
      found.not_judged.reset();  // what holds here holds below, too
    }
    if (verdict.given_up() && !found.not_judged) found.not_judged = load;
  }
  return found;
}

Step next_step(const Bounds& bounds, std::span<const Probe> probes) {
  if (probes.empty()) return {Step::Kind::probe, bounds.start};
  const Probe& last = probes.back();
  const Found found = found_by(probes);
  if (found.not_judged) {
    const bool confirms = found.holds && !found.confirmed && *found.holds < *found.not_judged;
    return confirms ? confirm(found) : Step{};
  }
  const Verdict verdict = verdicts_of(probes).at(last.load);
  const bool below = !found.breaks || last.load < *found.breaks;
  const bool again = below && !verdict.given_up();
  if (again && last.confirmation && last.by_client && !verdict.confirmed) {
    return {Step::Kind::confirm, last.load};
  }
  if (failed_confirmations(probes) > 0) return next_confirmation(bounds, probes, found);
  if (again && verdict.open()) return {Step::Kind::probe, last.load};
  if (!found.holds) {
    if (*found.breaks <= bounds.low) return {};
    return {Step::Kind::probe, std::max(bounds.low, *found.breaks / 2)};
  }
  if (!found.breaks) {
    if (*found.holds >= bounds.high) return confirm(found);
    return {Step::Kind::probe, std::min(bounds.high, *found.holds * 2)};
  }
  const std::int64_t gap = *found.breaks - *found.holds;
  if (gap <= gap_allowed(bounds, *found.holds)) return confirm(found);
  return {Step::Kind::probe, *found.holds + gap / 2};
}

}  // namespace drover::search
