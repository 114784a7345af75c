#include "report/page/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "report/compare/metric.h"
#include "report/page/run_parts.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

// "TPC-C, 10 warehouses, PostgreSQL 15.8"
std::string title_of(const Result& result) {
  const settings::RunSettings& plan = result.plan;
  const std::string_view known = plan.kind().title;
  std::string title = known.empty() ? shortened(plan.benchmark, 60) : std::string(known);
  title += ", " + (plan.kind().has_warehouses ? text::counted_grouped(plan.warehouses, "warehouse")
                                              : text::counted_grouped(plan.clients, "client"));
  if (plan.is_open_loop())
    title += fmt::format(", {} tx/s scheduled", text::figure_text(plan.rate));
  if (result.environment.server) {
    // The title contains only the number of a version such as "15.8 (Debian 15.8-1)".
    Server server = *result.environment.server;
    server.version.resize(std::min(server.version.size(), server.version.find(' ')));
    title += ", " + shortened(server.name(), 60);
  } else if (plan.simulate_ms) {
    title += ", simulated";
  }
  return title;
}

// The audit's verdict in a sentence, with an icon and a class of the style sheet.
struct VerdictBadge {
  std::string icon;
  std::string style;
  std::string sentence;
};

VerdictBadge badge_of(const Result& result) {
  const AuditSummary summary = summarise(result.audit);
  const std::string sentence = capitalised(summary.sentence);
  if (!summary.valid) return {"✗", "bad", sentence};
  if (std::ranges::all_of(result.audit, [](const Verdict& verdict) {
        return verdict.judgement == Judgement::not_judged;
      }))
    return {"–", "none", sentence};
  if (!summary.compliant) return {"!", "warn", sentence};
  return {"✓", "good", sentence};
}

// Returns the name and the value of the first figure: tpmC, or the throughput without TPC-C.
std::pair<std::string, std::string> headline_figure(const Result& result) {
  if (result.kind().has_tpmc) return {"tpmC", rate_text(result.summary.tpmc)};
  return {"tx/s", rate_text(result.throughput())};
}

Tile efficiency_tile(const Result& result) {
  if (!result.efficiency_is_meaningful())
    return {"Efficiency", "n/a", "defined only with keying and think times", ""};
  if (result.summary.new_orders == 0) return {"Efficiency", "–", "no New-Order was committed", ""};
  std::string extra =
      fmt::format("± {:.1f}% (95% confidence interval)", result.summary.efficiency_sampling_error);
  if (result.plan.pace != 1)
    extra += fmt::format("; keying and think times divided by {:g}", result.plan.pace);
  return {"Efficiency", fmt::format("{:.1f}%", result.summary.efficiency), extra, ""};
}

std::vector<Tile> headline_tiles(const Result& result) {
  const Summary& summary = result.summary;
  const TransactionResult total = all_transactions(result);
  const double seconds = summary.time_seconds;
  const double all = static_cast<double>(result.all_count());
  const double failed_share = all > 0 ? static_cast<double>(total.failed_count) / all : 0;
  const Availability& availability = result.availability;
  std::vector<Tile> tiles;
  const auto add = [&tiles](std::string name, std::string figure, std::string extra,
                            bool is_bad = false) {
    tiles.push_back(
        {std::move(name), std::move(figure), std::move(extra), is_bad ? "bad" : "", tiles.empty()});
  };
  if (result.kind().has_tpmc) {
    add("tpmC", rate_text(summary.tpmc),
        text::counted_grouped(summary.new_orders, "New-Order") + " committed");
    tiles.push_back(efficiency_tile(result));
  }
  add("Transactions",
      seconds > 0 ? rate_text(static_cast<double>(total.ok_count) / seconds) + "/s" : "n/a",
      text::grouped(total.ok_count) + " committed");
  if (result.plan.is_open_loop()) {
    const std::uint64_t backlog = result.backlog.value_or(0);
    add("Scheduled rate", rate_text(result.plan.rate) + "/s",
        "backlog of " + text::counted_grouped(backlog, "transaction") + " at the end");
  }
  add("Failed", text::grouped(total.failed_count),
      fmt::format("{} of all; {}", share_text(failed_share),
                  text::counted_grouped(total.retry_count, "retry")),
      total.failed_count > 0);
  add("Outages", text::length_text(availability.unavailable_s),
      text::counted(availability.outages.size(), "outage") + " in the whole run",
      !availability.outages.empty());
  if (const std::string away = warehouses_away_text(result); !away.empty()) {
    add("Warehouses away", text::grouped(result.warehouse_availability->away.size()),
        "available for " + away, true);
  }
  if (!availability.stalls.empty()) {
    add("Stalls", text::length_text(availability.stalled_s),
        text::counted(availability.stalls.size(), "stall") + " in the whole run", true);
  }
  return tiles;
}

Tile latency_tile(const std::string& name, const TransactionResult& one) {
  // Names of scripts may be as long as a path.
  constexpr std::size_t name_most = 40;
  const std::string shown = shortened(name, name_most);
  if (one.latency.empty()) return {shown, "n/a", "no transaction was committed", ""};
  const std::uint64_t p90_ns = one.latency.percentile_ns(90);
  const bool is_bound = is_lower_bound(one.latency, one.pending.unanswered, 90);
  const std::string figure = (is_bound ? "≥ " : "") + latency_text(p90_ns);
  if (!one.latency_limit_s) return {shown, figure, "no limit", ""};
  const std::string limit = milliseconds_label(*one.latency_limit_s * 1000);
  const std::optional<bool> holds = one.holds_latency_limit();
  if (!holds) return {shown, figure, "too many transactions without an answer", "bad"};
  if (!*holds) return {shown, figure, fmt::format("✗ over the limit of {}", limit), "bad"};
  const double used = static_cast<double>(p90_ns) * 1e-9 / *one.latency_limit_s;
  const std::string share = used < 0.01 ? "under 1%" : share_text(used);
  return {shown, figure, fmt::format("✓ {} of the {}", share, limit), "good"};
}

Tiles latency_tiles(const Result& result) {
  Tiles tiles{.title = result.kind().has_specification
                           ? "90th percentile of the latency, and its limit"
                           : "90th percentile of the latency",
              .tiles = {}};
  for (const TransactionResult& one : result.transactions)
    tiles.tiles.push_back(latency_tile(one.name, one));
  if (result.deferred_delivery) {
    tiles.tiles.push_back(
        latency_tile("Deferred Delivery", deferred_row(*result.deferred_delivery)));
  }
  return tiles;
}

// Returns the verdict on a result, warnings, and the most important figures.
Blocks verdict_blocks(const Result& result) {
  const VerdictBadge badge = badge_of(result);
  Blocks blocks = {Paragraph{only_page(badge.sentence), "badge " + badge.style, badge.icon}};
  const auto warn = [&blocks](std::string text) {
    blocks.emplace_back(Paragraph{only_page(std::move(text)), "warn"});
  };
  if (result.failure)
    blocks.emplace_back(Paragraph{only_page("Aborted: " + *result.failure), "badge bad", "✗"});
  if (result.incomplete && result.audit.empty()) warn("Incomplete: " + *result.incomplete + ".");
  if (result.interrupted) warn("The run was interrupted: the figures cover the time until then.");
  if (result.has_lower_bounds()) {
    const Pending pending = all_transactions(result).pending;
    warn(fmt::format(
        "At the end of the run {} late transactions had no answer, the latest after "
        "{}. Figures with ≥ are lower bounds.",
        text::grouped(pending.unanswered.count()), latency_text(pending.unanswered.max_ns())));
  }
  if (const std::string off = settings_without_durability(result); !off.empty()) {
    warn("Not durable: the server ran with " + off +
         ". A crash may lose or corrupt committed data.");
  }
  blocks.emplace_back(Tiles{"", headline_tiles(result)});
  if (Tiles latencies = latency_tiles(result); !latencies.tiles.empty())
    blocks.emplace_back(std::move(latencies));
  return blocks;
}

Blocks run_sections(const Result& result, const std::string& id) {
  Blocks sections = {time_section(result, id), latency_section(result, id)};
  append(sections, detail_sections(result, id));
  return sections;
}

std::string subtitle_of(const Result& result) {
  const std::string& host = result.environment.client.hostname;
  const std::string measured =
      fmt::format("Measured for {} from {}", text::length_text(result.summary.time_seconds),
                  text::moment_text(result.summary.measure_start_ts));
  if (result.is_of_several()) return fmt::format("{}, on {} hosts", measured, result.ranks.size());
  return fmt::format("{}{}{}", measured, host.empty() ? "" : ", client ", shortened(host, 100));
}

std::vector<Link> links_of(const Result& result) {
  std::vector<Link> links = {{"#result-1-time", "Over time"},
                             {"#result-1-latency", "Latency"},
                             {"#result-1-transactions", "Transactions"},
                             {"#result-1-availability", "Availability"}};
  if (result.is_of_several()) links.push_back({"#result-1-load-hosts", "Hosts"});
  if (!result.hosts.empty()) links.push_back({"#result-1-hosts", "Server hosts"});
  if (result.server_stats) links.push_back({"#result-1-server", "Server"});
  links.insert(links.end(), {{"#result-1-audit", "Audit"},
                             {"#result-1-client", "Load generator"},
                             {"#result-1-plan", "Settings and environment"}});
  return links;
}

Paragraph lead(std::string text) {
  return {only_page(std::move(text)), "lead"};
}

Page single_page(const NamedResult& one, const Introduction* introduction) {
  const std::string title = introduction != nullptr ? introduction->title : title_of(one.result);
  Page page{.title = title + " – Drover",
            .header = {Heading{1, only_page(title)}},
            .links = links_of(one.result)};
  if (introduction != nullptr) page.header.emplace_back(lead(title_of(one.result)));
  page.header.emplace_back(lead(subtitle_of(one.result)));
  if (introduction == nullptr) {
    append(page.header, verdict_blocks(one.result));
  } else {
    page.content = introduction->blocks;
    page.content.emplace_back(
        Section{"Result " + shortened(one.name, 200), verdict_blocks(one.result)});
  }
  append(page.content, run_sections(one.result, "result-1"));
  return page;
}

// Returns the name as code: it may contain the name of a script.
std::string markdown_metric(const Metric& metric) {
  const std::string clean = markdown_name(metric.name());
  return clean.starts_with('`') ? clean : "`" + clean + "`";
}

std::string numbered(const std::vector<NamedResult>& results, std::size_t i,
                     std::size_t characters_max = 60) {
  return fmt::format("{} {}", i + 1, shortened(results[i].name, characters_max));
}

// Returns a row for each result: verdict, headline and a link to its section.
Section results_section(const std::vector<NamedResult>& results) {
  const std::string first_name = headline_figure(results[0].result).first;
  Table table{.caption = only_page("Compared results, in the order of the command line"),
              .columns = page_columns("Result", {"Audit", first_name, "Efficiency", "Measured",
                                                 "Load", "Measured from"})};
  table.columns[1].is_number = table.columns[5].is_number = false;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Result& result = results[i].result;
    const VerdictBadge badge = badge_of(result);
    const auto [name, figure] = headline_figure(result);
    table.add({numbered(results, i), badge.icon + " " + shortened(badge.sentence, 160),
               name == first_name ? figure : figure + " " + name,
               result.efficiency_is_meaningful() && result.summary.new_orders > 0
                   ? fmt::format("{:.1f}%", result.summary.efficiency)
                   : "n/a",
               text::length_text(result.summary.time_seconds),
               title_of(result) + fmt::format(", {}{}",
                                              text::counted(result.plan.connections, "connection"),
                                              result.kind().has_warehouses && result.plan.no_delays
                                                  ? ", no keying and think times"
                                                  : ""),
               text::moment_text(result.summary.measure_start_ts)});
    std::vector<Cell>& cells = table.rows.back().cells;
    cells[0].link = fmt::format("#result-{}", i + 1);
    cells[1].style = "text " + badge.style;
    cells[5].style = "text";
  }
  return {"Results", {std::move(table)}, "results"};
}

// Returns the figures of result 1 and of the results from `first` to before `last`. In Markdown the
// changes stand behind the values, on pages below them.
Table differences_table(const std::vector<NamedResult>& results, const std::vector<MetricRow>& rows,
                        std::size_t first, std::size_t last) {
  Table table{.caption = only_page(
                  last - first == 1
                      ? fmt::format("Result {}, compared with result 1", last)
                      : fmt::format("Results {} to {}, compared with result 1", first + 1, last)),
              .columns = {{"Figure", false}, {Wording("", "1", numbered(results, 0, 24))}}};
  for (std::size_t i = first; i < last; ++i)
    table.columns.push_back({Wording("", fmt::format("{}", i + 1), numbered(results, i, 24))});
  const auto cell_of = [](const MetricCell& metric) {
    const std::string value = value_text(metric);
    const std::string change = change_text(metric);
    if (change.empty()) return Cell(value);
    Cell cell(Wording("", fmt::format("{} ({})", value, change), value));
    cell.parts = {{"span.change", change}};
    return cell;
  };
  for (const MetricRow& row : rows) {
    const std::string unit(row.metric.unit());
    std::vector<Cell> cells = {
        Wording("", markdown_metric(row.metric) + (unit.empty() ? "" : " " + unit),
                row.metric.name() + (unit.empty() ? "" : ", " + unit)),
        cell_of(row.cells[0])};
    for (std::size_t i = first; i < last; ++i) cells.push_back(cell_of(row.cells[i]));
    table.add(std::move(cells));
  }
  return table;
}

std::vector<MetricRow> difference_rows(const std::vector<NamedResult>& results) {
  return make_metric_table(results, default_metrics(results[0].result));
}

Section differences_section(const std::vector<NamedResult>& results) {
  constexpr std::size_t results_a_table = 5;  // that fit on a page of paper beside result 1
  Section section{"Differences",
                  {Paragraph{only_page("Percentages are changes from result 1. A difference "
                                       "between two runs may be chance: drover compare tests "
                                       "whether it is significant."),
                             "about"}},
                  "differences"};
  const std::vector<MetricRow> rows = difference_rows(results);
  // All tables have about the same number of results.
  const std::size_t further = results.size() - 1;
  const std::size_t tables = (further + results_a_table - 1) / results_a_table;
  const std::size_t each = (further + tables - 1) / tables;
  for (std::size_t first = 1; first < results.size(); first += each) {
    section.blocks.emplace_back(
        differences_table(results, rows, first, std::min(first + each, results.size())));
  }
  return section;
}

Page page_of_several(const std::vector<NamedResult>& results) {
  const std::string title = fmt::format("{} results compared", results.size());
  Page page{
      .title = title + " – Drover",
      .header = {Heading{1, only_page(title)}, lead("The first: " + title_of(results[0].result))},
      .links = {{"#results", "Results"},
                {"#differences", "Differences"},
                {"#charts", "Charts"},
                {"#result-1", "Each result"}},
      .content = {results_section(results), differences_section(results),
                  overlay_section(results)}};
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Result& result = results[i].result;
    const std::string id = fmt::format("result-{}", i + 1);
    Blocks blocks = {lead(subtitle_of(result))};
    append(blocks, verdict_blocks(result));
    append(blocks, run_sections(result, id));
    const auto [name, figure] = headline_figure(result);
    page.content.emplace_back(Section{
        "",
        {Details{.summary = only_page(fmt::format("{} {}, {}", name, figure, title_of(result))),
                 .blocks = std::move(blocks),
                 .heading = numbered(results, i, 200),
                 .style = "result"}},
        id});
  }
  return page;
}

Blocks footer_of(const std::vector<NamedResult>& results) {
  const Tool& tool = results[0].result.tool;
  Blocks footer = {
      Paragraph{only_page(fmt::format("Measured by {} {} ({}).", shortened(tool.name, 60),
                                      shortened(tool.version, 60), shortened(tool.commit, 60)))}};
  for (const NamedResult& one : results) {
    if (disclaimer_of(one.result).empty()) continue;
    footer.emplace_back(Paragraph{only_page(std::string(disclaimer_of(one.result)))});
    break;
  }
  return footer;
}

std::string verdict_line(const Result& result) {
  const VerdictBadge badge = badge_of(result);
  return fmt::format("{} {}", badge.icon, markdown_name(badge.sentence));
}

std::string headline(const Result& result) {
  const Summary& summary = result.summary;
  const auto [name, figure] = headline_figure(result);
  std::string text = result.kind().has_tpmc
                         ? fmt::format("**{} {}**", name, figure)
                         : fmt::format("**{} {}**, {} committed", figure, name,
                                       text::grouped(all_transactions(result).ok_count));
  if (!result.kind().has_tpmc) {
    if (result.backlog)
      text += fmt::format(", backlog of {} at the end",
                          text::counted_grouped(*result.backlog, "transaction"));
  } else if (!result.efficiency_is_meaningful()) {
    text += ", no keying and think times";
  } else if (summary.new_orders == 0) {
    text += ", no New-Order was committed";
  } else {
    text += fmt::format(", efficiency {:.1f}% ± {:.1f}", summary.efficiency,
                        summary.efficiency_sampling_error);
  }
  return text + fmt::format(", measured for {} from {}, {}{}{}",
                            text::length_text(summary.time_seconds),
                            text::moment_text(summary.measure_start_ts),
                            text::counted_grouped(result.plan.connections, "connection"),
                            result.interrupted ? ", **interrupted**" : "",
                            result.incomplete ? ", **incomplete**" : "");
}

Items problems_of(const Result& result) {
  constexpr std::size_t problems_max = 20;
  Items problems;
  const auto add = [&problems](std::string text) {
    problems.items.emplace_back(only_markdown(std::move(text)));
  };
  if (result.failure) add(fmt::format("**aborted**: {}", markdown_name(*result.failure)));
  std::size_t shown = 0;
  for (const Verdict& line : result.audit) {
    const bool invalid = line.judgement == Judgement::invalid;
    if (!invalid && line.judgement != Judgement::broken) continue;
    if (++shown > problems_max) continue;
    add(fmt::format("**{}**: {}: {}", invalid ? "invalid" : "broken", markdown_name(line.name),
                    markdown_name(line.text)));
  }
  if (shown > problems_max) add(fmt::format("and {} more broken rules", shown - problems_max));
  return problems;
}

Blocks short_report(const Result& result) {
  constexpr std::size_t events_shown_most = 6;
  Blocks blocks = {Heading{3, only_markdown(markdown_name(title_of(result)))},
                   Paragraph{only_markdown(verdict_line(result))},
                   Paragraph{only_markdown(headline(result))}, transactions_table(result)};
  if (result.plan.is_open_loop()) blocks.emplace_back(service_times_table(result));
  if (result.is_of_several()) blocks.emplace_back(load_hosts_table(result));
  if (!result.hosts.empty()) blocks.emplace_back(server_hosts_table(result));
  if (result.server_stats && !result.server_stats->wait_events.empty())
    blocks.emplace_back(wait_events_table(result, events_shown_most));
  blocks.emplace_back(problems_of(result));
  return blocks;
}

Blocks short_report_of_several(const std::vector<NamedResult>& results) {
  Items list{.items = {}, .is_numbered = true};
  for (const NamedResult& one : results) {
    list.items.emplace_back(only_markdown(fmt::format(
        "{}: {}; {}", markdown_name(one.name), verdict_line(one.result), headline(one.result))));
  }
  Blocks blocks = {
      Heading{3, only_markdown(fmt::format("{} results compared", results.size()))},
      std::move(list), differences_table(results, difference_rows(results), 1, results.size()),
      Paragraph{only_markdown("Percentages are changes from result 1. `drover compare` tests "
                              "whether they are significant.")}};
  for (std::size_t i = 0; i < results.size(); ++i) {
    blocks.emplace_back(Details{.summary = only_markdown(fmt::format("Result {}", i + 1)),
                                .blocks = short_report(results[i].result)});
  }
  return blocks;
}

}  // namespace

std::string html_report(const std::vector<NamedResult>& results, const Introduction* introduction) {
  assert(!results.empty() && results.size() <= (introduction != nullptr ? 1 : report_results_max));
  Page page =
      results.size() == 1 ? single_page(results[0], introduction) : page_of_several(results);
  page.footer = footer_of(results);
  return render_page(page);
}

std::string markdown_report(const std::vector<NamedResult>& results) {
  Blocks blocks =
      results.size() == 1 ? short_report(results[0].result) : short_report_of_several(results);
  const auto has_disclaimer = [](const NamedResult& one) {
    return !disclaimer_of(one.result).empty();
  };
  if (std::ranges::any_of(results, has_disclaimer)) {
    blocks.emplace_back(Paragraph{
        only_markdown("Not an official TPC result; it must not be compared with published ones.")});
  }
  return render_markdown(blocks);
}

}  // namespace drover::report
