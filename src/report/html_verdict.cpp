#include "report/html_verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/audit.h"
#include "report/chart_scale.h"
#include "report/html_figures.h"
#include "report/plain_text.h"

namespace drover::report {

namespace {

struct Tile {
  std::string name;
  std::string figure;
  std::string extra;
  std::string style;  // of the extra
  bool is_first = false;
};

void write_tiles(HtmlWriter& html, const std::vector<Tile>& tiles) {
  const auto list = html.open("ul", {{"class", "tiles"}});
  for (const Tile& tile : tiles) {
    const auto item = html.open("li");
    html.line("span", {{"class", "name"}}, tile.name);
    html.line("span", {{"class", tile.is_first ? "figure first" : "figure"}}, tile.figure);
    html.line("span", {{"class", "extra " + tile.style}}, tile.extra);
  }
}

Tile efficiency_tile(const Result& result) {
  if (!result.efficiency_is_meaningful()) {
    return {"Efficiency", "n/a", "the run had no delays", ""};
  }
  if (result.summary.new_orders == 0) return {"Efficiency", "–", "no New-Order", ""};
  std::string extra =
      fmt::format("± {:.1f} by sampling, 95%", result.summary.efficiency_sampling_error);
  if (result.plan.pace != 1) extra += fmt::format("; at {:g} times the pace", result.plan.pace);
  return {"Efficiency", fmt::format("{:.1f}%", result.summary.efficiency), extra, ""};
}

std::vector<Tile> headline_tiles(const Result& result) {
  const Summary& summary = result.summary;
  std::uint64_t ok = 0;
  std::uint64_t failed = 0;
  std::uint64_t retries = 0;
  for (const TransactionResult& one : result.transactions) {
    ok += one.ok_count;
    failed += one.failed_count;
    retries += one.retry_count;
  }
  const double seconds = summary.time_seconds;
  const double all = static_cast<double>(result.all_count());
  const double failed_share = all > 0 ? static_cast<double>(failed) / all : 0;
  const Availability& availability = result.availability;
  std::vector<Tile> tiles;
  tiles.push_back({"tpmC", rate_text(summary.tpmc),
                   count_label(summary.new_orders) + " " + plural(summary.new_orders, "New-Order") +
                       " committed",
                   "", true});
  tiles.push_back(efficiency_tile(result));
  tiles.push_back({"Transactions",
                   seconds > 0 ? rate_text(static_cast<double>(ok) / seconds) + "/s" : "n/a",
                   count_label(ok) + " committed", ""});
  tiles.push_back({"Failed", count_label(failed),
                   fmt::format("{} of all; {} {}", share_text(failed_share), count_label(retries),
                               plural(retries, "retry")),
                   failed > 0 ? "bad" : ""});
  tiles.push_back({"Database away", length_text(availability.unavailable_s),
                   counted(availability.outages.size(), "outage") + " in the whole run",
                   availability.outages.empty() ? "" : "bad"});
  if (!availability.stalls.empty()) {
    tiles.push_back({"Nobody answered", length_text(availability.stalled_s),
                     fmt::format("{} {} in the whole run", availability.stalls.size(),
                                 availability.stalls.size() == 1 ? "stall" : "stalls"),
                     "bad"});
  }
  return tiles;
}

Tile latency_tile(const std::string& name, const TransactionResult& one) {
  const measure::HistogramSnapshot& latency = one.latency;
  const std::optional<double>& limit_s = one.latency_limit_s;
  const std::optional<bool> holds = one.holds_latency_limit();
  if (latency.empty()) return {name, "n/a", "none was committed", ""};
  Tile tile{name, latency_text(latency.percentile_ns(90)), "no limit", ""};
  if (is_lower_bound(latency, one.pending.unanswered, 90)) tile.figure = "≥ " + tile.figure;
  if (!limit_s) return tile;
  const double used = static_cast<double>(latency.percentile_ns(90)) * 1e-9 / *limit_s;
  const std::string limit = milliseconds_label(*limit_s * 1000);
  if (!holds) {
    tile.extra = "too many without an answer";
    tile.style = "bad";
  } else if (*holds) {
    const std::string share = used < 0.01 ? "under 1%" : share_text(used);
    tile.extra = fmt::format("✓ {} of the {}", share, limit);
    tile.style = "good";
  } else {
    tile.extra = fmt::format("✗ over the limit of {}", limit);
    tile.style = "bad";
  }
  return tile;
}

void write_latency_tiles(HtmlWriter& html, const Result& result) {
  std::vector<Tile> tiles;
  for (const TransactionResult& one : result.transactions) {
    tiles.push_back(latency_tile(one.name, one));
  }
  if (result.deferred_delivery) {
    TransactionResult row;
    row.latency = result.deferred_delivery->latency;
    row.latency_limit_s = result.deferred_delivery->latency_limit_s;
    row.pending.unanswered = result.deferred_delivery->unanswered;
    tiles.push_back(latency_tile("Deferred Delivery", row));
  }
  if (tiles.empty()) return;
  html.line("p", {{"class", "tiles-title"}}, "90th percentile of the latency, against its limit");
  write_tiles(html, tiles);
}

std::string capital_first(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// Settings with which a committed transaction may be lost in a crash.
std::string settings_without_durability(const Result& result) {
  std::string off;
  if (!result.environment.server) return off;
  for (const char* setting : {"fsync", "synchronous_commit", "full_page_writes"}) {
    const auto found = result.environment.server->settings.find(setting);
    if (found == result.environment.server->settings.end() || found->second != "off") continue;
    off += fmt::format("{}{} = off", off.empty() ? "" : ", ", setting);
  }
  return off;
}

}  // namespace

VerdictBadge badge_of(const Result& result) {
  const AuditSummary summary = summarise(result.audit);
  const bool judged = std::ranges::any_of(
      result.audit, [](const Verdict& line) { return line.judgement != Judgement::not_judged; });
  const std::string sentence = capital_first(summary.sentence);
  if (!summary.valid) return {"✗", "bad", sentence};
  if (!judged) return {"–", "none", sentence};
  if (!summary.compliant) return {"!", "warn", sentence};
  return {"✓", "good", sentence};
}

void write_verdict(HtmlWriter& html, const Result& result) {
  const VerdictBadge badge = badge_of(result);
  {
    const auto element = html.open("p", {{"class", "badge " + badge.style}});
    html.line("span", {{"class", "icon"}, {"aria-hidden", "true"}}, badge.icon);
    html.line("span", badge.sentence);
  }
  if (result.failure) {
    const auto element = html.open("p", {{"class", "badge bad"}});
    html.line("span", {{"class", "icon"}, {"aria-hidden", "true"}}, "✗");
    html.line("span", "Given up: " + *result.failure);
  }
  if (result.interrupted) {
    html.line("p", {{"class", "warn"}},
              "The run was interrupted: the figures are those of the time that it had.");
  }
  if (result.has_lower_bounds()) {
    const Pending pending = result.all_pending();
    html.line(
        "p", {{"class", "warn"}},
        fmt::format("{} late transactions had no answer when the run ended, the longest after "
                    "{}: figures with ≥ are lower bounds.",
                    count_label(pending.unanswered.count()),
                    latency_text(pending.unanswered.max_ns())));
  }
  if (const std::string off = settings_without_durability(result); !off.empty()) {
    html.line("p", {{"class", "warn"}},
              "Not durable: the server ran with " + off +
                  ". A crash may lose or damage what was committed.");
  }
  write_tiles(html, headline_tiles(result));
  write_latency_tiles(html, result);
}

}  // namespace drover::report
