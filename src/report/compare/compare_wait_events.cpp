#include "report/compare/compare_wait_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "text/utf8.h"

namespace drover::report {
namespace {

// The share that each event has of the time of all sessions; empty if nobody looked.
using Shares = std::map<std::string, double>;

Shares shares_of(std::span<const Result> runs) {
  Shares shares;
  double all = 0;
  for (const Result& run : runs) {
    if (!run.server_stats) continue;
    for (const WaitEvent& one : run.server_stats->wait_events) {
      shares[one.name] += one.sessions;
      all += one.sessions;
    }
  }
  for (auto& [name, share] : shares) share = all > 0 ? share / all : 0;
  return shares;
}

double share_in(const Shares& shares, const std::string& name) {
  const auto found = shares.find(name);
  return found == shares.end() ? 0 : found->second;
}

std::string part_text(const std::string& name, double base, double new_share) {
  return fmt::format("{} {:.0f}% to {:.0f}%", text::shown(name), base * 100, new_share * 100);
}

}  // namespace

std::string wait_events_note(std::span<const Result> base, std::span<const Result> new_runs) {
  constexpr std::size_t events_shown_most = 5;
  const Shares of_base = shares_of(base);
  const Shares of_new = shares_of(new_runs);
  if (of_base.empty() || of_new.empty()) return {};
  std::vector<std::pair<double, std::string>> sorted;
  Shares all = of_base;
  all.insert(of_new.begin(), of_new.end());
  for (const auto& [name, share] : all) {
    sorted.emplace_back(-std::max(share_in(of_base, name), share_in(of_new, name)), name);
  }
  std::ranges::sort(sorted);
  std::string text;
  std::pair<double, double> others{1, 1};
  for (std::size_t i = 0; i < std::min(sorted.size(), events_shown_most); ++i) {
    const std::string& name = sorted[i].second;
    const double before = share_in(of_base, name);
    const double now = share_in(of_new, name);
    text += (text.empty() ? "" : ", ") + part_text(name, before, now);
    others.first -= before;
    others.second -= now;
  }
  if (sorted.size() > events_shown_most) {
    text += ", " + part_text("others", std::max(others.first, 0.0), std::max(others.second, 0.0));
  }
  return fmt::format("Time in the server by wait event, base to new: {}.", text);
}

}  // namespace drover::report
