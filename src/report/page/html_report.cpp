#include "report/page/report.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>
#include <vector>

#include "report/model/chart.h"
#include "report/page/html_figures.h"
#include "report/page/html_parts.h"
#include "report/page/html_table.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

constexpr const char* policy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'";

std::string page_title(const std::vector<NamedResult>& results, const Introduction* introduction) {
  if (introduction != nullptr) return introduction->title + " – Drover";
  if (results.size() == 1) return title_of(results[0].result) + " – Drover";
  return fmt::format("{} results compared – Drover", results.size());
}

void write_head(HtmlWriter& html, const std::string& title, const Introduction* introduction) {
  const auto head = html.open("head");
  html.leaf("meta", {{"charset", "utf-8"}});
  html.leaf("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", policy}});
  html.leaf("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  html.leaf("meta", {{"name", "referrer"}, {"content", "no-referrer"}});
  // Without it a browser may look for one.
  html.leaf("link", {{"rel", "icon"}, {"href", "data:,"}});
  html.line("title", title);
  html.style_sheet(report_style());
  if (introduction != nullptr) html.style_sheet(introduction->style);
}

using Link = std::pair<const char*, const char*>;  // where to, and the words

void write_navigation(HtmlWriter& html, const std::vector<Link>& links) {
  const auto navigation = html.open("nav", {{"aria-label", "Parts of the report"}});
  for (const auto& [to, text] : links) html.line("a", {{"href", to}}, text);
}

struct Tile {
  std::string name;
  std::string figure;
  std::string extra;
  std::string style;  // of the extra
  bool is_first = false;
};

void write_tiles(HtmlWriter& html, const std::vector<Tile>& tiles) {
  const auto list = html.open("ul.tiles");
  for (const Tile& tile : tiles) {
    const auto item = html.open("li");
    html.line("span.name", tile.name);
    html.line("span", {{"class", tile.is_first ? "figure first" : "figure"}}, tile.figure);
    html.line("span", {{"class", "extra " + tile.style}}, tile.extra);
  }
}

Tile efficiency_tile(const Result& result) {
  if (!result.efficiency_is_meaningful()) {
    return {"Efficiency", "n/a", "defined only with keying and think times", ""};
  }
  if (result.summary.new_orders == 0) return {"Efficiency", "–", "no New-Order was committed", ""};
  std::string extra =
      fmt::format("± {:.1f}% (95% confidence interval)", result.summary.efficiency_sampling_error);
  if (result.plan.pace != 1)
    extra += fmt::format("; keying and think times divided by {:g}", result.plan.pace);
  return {"Efficiency", fmt::format("{:.1f}%", result.summary.efficiency), extra, ""};
}

Tile rate_tile(const Result& result) {
  const std::uint64_t backlog = result.backlog.value_or(0);
  return {"Scheduled rate", rate_text(result.plan.rate) + "/s",
          "backlog of " + text::counted_grouped(backlog, "transaction") + " at the end", ""};
}

std::vector<Tile> headline_tiles(const Result& result) {
  const Summary& summary = result.summary;
  const TransactionResult total = all_transactions(result);
  const double seconds = summary.time_seconds;
  const double all = static_cast<double>(result.all_count());
  const double failed_share = all > 0 ? static_cast<double>(total.failed_count) / all : 0;
  const Availability& availability = result.availability;
  std::vector<Tile> tiles;
  if (result.is_tpcc()) {
    tiles.push_back({"tpmC", rate_text(summary.tpmc),
                     text::counted_grouped(summary.new_orders, "New-Order") + " committed", "",
                     true});
    tiles.push_back(efficiency_tile(result));
  }
  tiles.push_back(
      {"Transactions",
       seconds > 0 ? rate_text(static_cast<double>(total.ok_count) / seconds) + "/s" : "n/a",
       text::grouped(total.ok_count) + " committed", "", !result.is_tpcc()});
  if (result.plan.is_open_loop()) tiles.push_back(rate_tile(result));
  tiles.push_back({"Failed", text::grouped(total.failed_count),
                   fmt::format("{} of all; {}", share_text(failed_share),
                               text::counted_grouped(total.retry_count, "retry")),
                   total.failed_count > 0 ? "bad" : ""});
  tiles.push_back({"Outages", text::length_text(availability.unavailable_s),
                   text::counted(availability.outages.size(), "outage") + " in the whole run",
                   availability.outages.empty() ? "" : "bad"});
  if (const std::string away = warehouses_away_text(result); !away.empty()) {
    tiles.push_back({"Warehouses away", text::grouped(result.warehouse_availability->away.size()),
                     "available for " + away, "bad"});
  }
  if (!availability.stalls.empty()) {
    tiles.push_back({"Stalls", text::length_text(availability.stalled_s),
                     text::counted(availability.stalls.size(), "stall") + " in the whole run",
                     "bad"});
  }
  return tiles;
}

Tile latency_tile(const std::string& name, const TransactionResult& one) {
  const measure::HistogramSnapshot& latency = one.latency;
  const std::optional<double>& limit_s = one.latency_limit_s;
  const std::optional<bool> holds = one.holds_latency_limit();
  // Names of scripts may be as long as a path.
  constexpr std::size_t name_most = 40;
  const std::string shown = shortened(name, name_most);
  if (latency.empty()) return {shown, "n/a", "no transaction was committed", ""};
  Tile tile{shown, latency_text(latency.percentile_ns(90)), "no limit", ""};
  if (is_lower_bound(latency, one.pending.unanswered, 90)) tile.figure = "≥ " + tile.figure;
  if (!limit_s) return tile;
  const double used = static_cast<double>(latency.percentile_ns(90)) * 1e-9 / *limit_s;
  const std::string limit = milliseconds_label(*limit_s * 1000);
  if (!holds) {
    tile.extra = "too many transactions without an answer";
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
    tiles.push_back(latency_tile("Deferred Delivery", deferred_row(*result.deferred_delivery)));
  }
  if (tiles.empty()) return;
  html.line("p.tiles-title", result.is_tpcc() ? "90th percentile of the latency, and its limit"
                                              : "90th percentile of the latency");
  write_tiles(html, tiles);
}

// The head of a result's part: whether it can be trusted, and the figures that matter most.
void write_verdict(HtmlWriter& html, const Result& result) {
  const VerdictBadge badge = badge_of(result);
  {
    const auto element = html.open("p", {{"class", "badge " + badge.style}});
    html.line("span.icon", {{"aria-hidden", "true"}}, badge.icon);
    html.line("span", badge.sentence);
  }
  if (result.failure) {
    const auto element = html.open("p.badge bad");
    html.line("span.icon", {{"aria-hidden", "true"}}, "✗");
    html.line("span", "Aborted: " + *result.failure);
  }
  if (result.incomplete && result.audit.empty())
    html.line("p.warn", "Incomplete: " + *result.incomplete + ".");
  if (result.interrupted) {
    html.line("p.warn", "The run was interrupted: the figures cover the time until then.");
  }
  if (result.has_lower_bounds()) {
    const Pending pending = all_transactions(result).pending;
    html.line(
        "p.warn",
        fmt::format(
            "At the end of the run {} late transactions had no answer, the latest after {}. "
            "Figures with ≥ are lower bounds.",
            text::grouped(pending.unanswered.count()), latency_text(pending.unanswered.max_ns())));
  }
  if (const std::string off = settings_without_durability(result); !off.empty()) {
    html.line("p.warn", "Not durable: the server ran with " + off +
                            ". A crash may lose or corrupt committed data.");
  }
  write_tiles(html, headline_tiles(result));
  write_latency_tiles(html, result);
}

// What a result has on its own, below its verdict.
void write_parts(HtmlWriter& html, const Result& result, const std::string& id, int level) {
  write_time_chart(html, result, id, level);
  write_spectrum_chart(html, result, id, level);
  const auto section = [&](const char* heading, const auto& write) {
    const auto element = html.open("section");
    write_heading(html, level, heading);
    write(html, result);
  };
  const auto anchored = [&](const char* name, const char* heading, const auto& write) {
    const auto element = html.open("div", {{"id", id + "-" + name}});
    section(heading, write);
  };
  anchored("transactions", "Transactions", write_transactions);
  if (has_errors(result)) section("Errors", write_errors);
  anchored("availability", "Availability", write_availability);
  if (result.is_of_several())
    anchored("load-hosts", "Hosts that generated the load", write_load_hosts);
  if (!result.hosts.empty()) anchored("hosts", "Server hosts", write_hosts);
  if (result.server_stats) anchored("server", "Server activity", write_server_stats);
  anchored("audit", "Audit", write_audit);
  anchored("client", "The load generator", write_client);
  section("Ledger", result.is_tpcc() ? write_ledger : write_accounts);
  anchored("plan", "Settings of the run", write_plan);
  section("Environment", write_environment);
}

std::string subtitle_of(const Result& result) {
  const std::string& host = result.environment.client.hostname;
  const std::string measured =
      fmt::format("Measured for {} from {}", text::length_text(result.summary.time_seconds),
                  text::moment_text(result.summary.measure_start_ts));
  if (result.is_of_several()) return fmt::format("{}, on {} hosts", measured, result.ranks.size());
  return fmt::format("{}{}{}", measured, host.empty() ? "" : ", client ", shortened(host, 100));
}

void write_single(HtmlWriter& html, const NamedResult& one, const Introduction* introduction) {
  {
    const auto header = html.open("header");
    html.line("h1", introduction != nullptr ? introduction->title : title_of(one.result));
    if (introduction != nullptr) html.line("p.lead", title_of(one.result));
    html.line("p.lead", subtitle_of(one.result));
    if (introduction == nullptr) write_verdict(html, one.result);
    std::vector<Link> links = {{"#result-1-time", "Over time"},
                               {"#result-1-latency", "Latency"},
                               {"#result-1-transactions", "Transactions"},
                               {"#result-1-availability", "Availability"}};
    if (one.result.is_of_several()) links.emplace_back("#result-1-load-hosts", "Hosts");
    if (!one.result.hosts.empty()) links.emplace_back("#result-1-hosts", "Server hosts");
    if (one.result.server_stats) links.emplace_back("#result-1-server", "Server");
    links.insert(links.end(), {{"#result-1-audit", "Audit"},
                               {"#result-1-client", "Load generator"},
                               {"#result-1-plan", "Settings and environment"}});
    write_navigation(html, links);
  }
  const auto main = html.open("main", {{"id", "content"}, {"tabindex", "-1"}});
  if (introduction != nullptr) {
    introduction->write(html);
    const auto section = html.open("section");
    html.line("h2", "Result " + shortened(one.name, 200));
    write_verdict(html, one.result);
  }
  write_parts(html, one.result, "result-1", 2);
}

void write_several(HtmlWriter& html, const std::vector<NamedResult>& results) {
  {
    const auto header = html.open("header");
    html.line("h1", fmt::format("{} results compared", results.size()));
    html.line("p.lead", "The first: " + title_of(results[0].result));
    write_navigation(html, {{"#results", "Results"},
                            {"#differences", "Differences"},
                            {"#charts", "Charts"},
                            {"#result-1", "Each result"}});
  }
  const auto main = html.open("main", {{"id", "content"}, {"tabindex", "-1"}});
  write_results_table(html, results);
  write_differences(html, results);
  write_overlays(html, results);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string id = fmt::format("result-{}", i + 1);
    const auto section = html.open("section", {{"id", id}});
    const auto details = html.open("details.result");
    {
      const auto summary = html.open("summary");
      html.line("h2", fmt::format("{} {}", i + 1, shortened(results[i].name, 200)));
      const auto [name, figure] = headline_figure(results[i].result);
      html.line("span.lead", fmt::format(" {} {}, {}", name, figure, title_of(results[i].result)));
    }
    html.line("p.lead", subtitle_of(results[i].result));
    write_verdict(html, results[i].result);
    write_parts(html, results[i].result, id, 3);
  }
}

void write_footer(HtmlWriter& html, const std::vector<NamedResult>& results) {
  const auto footer = html.open("footer");
  const Tool& tool = results[0].result.tool;
  html.line("p", fmt::format("Measured by {} {} ({}).", shortened(tool.name, 60),
                             shortened(tool.version, 60), shortened(tool.commit, 60)));
  for (const NamedResult& one : results) {
    if (disclaimer_of(one.result).empty()) continue;
    return html.line("p", std::string(disclaimer_of(one.result)));
  }
}

}  // namespace

std::string html_report(const std::vector<NamedResult>& results, const Introduction* introduction) {
  assert(!results.empty() && results.size() <= (introduction != nullptr ? 1 : report_results_max));
  HtmlWriter html;
  {
    const auto root = html.open("html", {{"lang", "en"}});
    write_head(html, page_title(results, introduction), introduction);
    const auto body = html.open("body");
    html.line("a.skip", {{"href", "#content"}}, "Skip to the content");
    if (results.size() == 1) {
      write_single(html, results[0], introduction);
    } else {
      write_several(html, results);
    }
    write_footer(html, results);
  }
  return html.take();
}

}  // namespace drover::report
