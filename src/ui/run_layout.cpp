#include "ui/run_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

#include "text/plain_text.h"
#include "text/utf8.h"
#include "ui/number_text.h"
#include "ui/run_events.h"

namespace drover::ui {
namespace {

constexpr int table_columns = 85;   // of the transactions, in a wide screen
constexpr int verdict_columns = 6;  // "  OVER"

bool has_ranks(const RunModel& model) {
  return model.snapshot && !model.snapshot->ranks.empty();
}

// Returns the number of lines for workers, or for the hosts that generate load.
int worker_rows(const RunModel& model, int most) {
  std::size_t workers = model.plan.threads;
  if (model.snapshot) workers = model.snapshot->workers.size();
  if (has_ranks(model)) workers = model.snapshot->ranks.size();
  return std::clamp(static_cast<int>(workers), 1, most);
}

// Returns the rows of the heading, each type, their sum if there is room, and each server host.
int transaction_rows(const RunModel& model, int rows) {
  const auto types = static_cast<int>(model.plan.workload.types.size());
  const auto hosts = static_cast<int>(model.plan.hosts.size());
  return 1 + types + (rows >= 30 && types > 1 ? 1 : 0) + hosts;
}

std::string share_text(double share) {
  return fmt::format("{:.0f}%", share * 100);
}

Progress progress_of(const RunModel& model) {
  const load::Plan& plan = model.plan;
  const std::string waited = clock_text(model.in_stage);
  if (model.stage == RunStage::asking) {
    if (model.database_away) {
      return {"waiting for the database", 1, {waited, "Ctrl-C ends the wait"}};
    }
    return {"reading the data", 1, {waited, "unknown commits, ledger"}};
  }
  if (model.stage == RunStage::opening) {
    Progress opening{"opening connections", 0, {waited}};
    if (plan.connections > 0)
      opening.texts.push_back(text::counted_grouped(plan.connections, "connection"));
    return opening;
  }
  RunProgress progress = run_progress(plan, model.snapshot ? *model.snapshot : load::Snapshot{});
  return {model.quitting        ? "ending"
          : progress.is_warming ? "warm-up"
                                : "measuring",
          progress.share,
          {std::move(progress.done), progress.left + " left"}};
}

std::string title_right(const RunModel& model) {
  std::string text;
  for (const load::Quantity& one : model.plan.workload.size) {
    text += text::counted_grouped(one.count, one.noun) + ", ";
  }
  text += text::counted_grouped(model.plan.terminal_count, model.plan.workload.terminal);
  if (!model.title.statements.empty()) text += ", " + model.title.statements;
  return text;
}

Phrase figure_phrase(const std::string& before, std::string figure, const char* after, int rank) {
  return {{{before, Style::normal}, {std::move(figure), Style::strong}, {after, Style::normal}},
          rank};
}

// Rates per second may be small numbers, and have decimals.
std::string headline_text(const load::Headline& headline, double value) {
  return headline.seconds > 1 ? count_text(value) : rate_text(value);
}

Phrases headline_phrases(const RunModel& model, const Throughput& figures) {
  const load::Headline& headline = model.plan.workload.headline;
  Phrases phrases = {
      figure_phrase(headline.name + " ", headline_text(headline, figures.headline_now), " now", 0)};
  if (figures.headline_measured) {
    phrases.push_back(
        figure_phrase("", headline_text(headline, *figures.headline_measured), " measured", 2));
  }
  return phrases;
}

// Returns the throughput, unless it is the headline, and the latency.
Phrases rate_phrases(const RunModel& model, const Throughput& figures) {
  Phrases phrases;
  if (!model.plan.workload.headline.is_all_a_second()) {
    phrases.push_back(figure_phrase("", rate_text(figures.per_second), " tx/s", 3));
  }
  phrases.push_back(figure_phrase("p90 ", latency_text(model.snapshot->second.p90_ms), " ms", 1));
  return phrases;
}

Phrases figures_phrases(const RunModel& model) {
  if (!model.snapshot) return {plain_phrase(title_right(model))};
  const Throughput figures = model.throughput();
  Phrases phrases = headline_phrases(model, figures);
  if (figures.efficiency) {
    phrases.push_back(
        figure_phrase("efficiency ", fmt::format("{:.1f}%", *figures.efficiency), "", 4));
  }
  std::ranges::move(rate_phrases(model, figures), std::back_inserter(phrases));
  return phrases;
}

double milliseconds(const measure::HistogramSnapshot& histogram, double percent) {
  return static_cast<double>(histogram.percentile_ns(percent)) / 1e6;
}

// Returns true if the 90th percentile is within its limit; none without a percentile or a limit.
std::optional<bool> holds(const model::Totals& one, std::optional<double> limit_s) {
  if (one.latency.empty() || !limit_s) return std::nullopt;
  return milliseconds(one.latency, 90) <= *limit_s * 1000;
}

std::string limit_text(double limit_s) {
  return fmt::format(" {:g} s", limit_s);
}

// The columns of the table of transactions for which there is room. Long names are cut.
struct TableColumns {
  int name = 11;
  bool retries = true;
  bool verdicts = false;  // "ok" or "OVER", if a type has a limit
  bool limits = false;    // the limits themselves

  TableColumns(const std::vector<load::TransactionType>& types,
               const std::vector<std::string>& hosts, int columns) {
    int longest = name;
    for (const std::string& host : hosts) longest = std::max(longest, cells_of(host));
    int limit_columns = 0;
    for (const load::TransactionType& type : types) {
      longest = std::max(longest, cells_of(type.name));
      if (!type.latency_limit_s) continue;
      verdicts = true;
      limit_columns = std::max(limit_columns, cells_of(limit_text(*type.latency_limit_s)));
    }
    const auto room = [&](bool with_limits) {  // for names
      return columns - 1 - cells_of(figures({})) - (verdicts ? verdict_columns : 0) -
             (with_limits ? limit_columns : 0);
    };
    limits = verdicts && room(true) >= name;
    // Names that tell the rows apart are more important than retries.
    retries = room(limits) >= longest;
    name = std::clamp(room(limits), name, longest);
  }

  // Formats the cells between the name and the verdict.
  std::string figures(const std::array<std::string, 7>& cells) const {
    std::string text = fmt::format(" {:>8} {:>10} {:>8} {:>8} {:>8}", cells[0], cells[1], cells[2],
                                   cells[3], cells[4]);
    if (retries) text += fmt::format(" {:>7}", cells[5]);
    return text + fmt::format(" {:>6}", cells[6]);
  }
};

// A row of the table: a transaction type, the sum of several types, or a server host.
struct TransactionRow {
  std::string name;
  std::optional<double> limit_s = {};
  double per_second = 0;
  model::Totals counts = {};
  std::optional<bool> held = {};  // the latency limit, or all limits of a sum
  bool counts_retries = true;

  void add(const TransactionRow& row) {
    per_second += row.per_second;
    counts.ok_count += row.counts.ok_count;
    counts.retry_count += row.counts.retry_count;
    counts.failed_count += row.counts.failed_count;
    counts.latency.merge(row.counts.latency);
    if (row.held) held = held.value_or(true) && *row.held;
  }
};

// Adds the server hosts for which there is room. Their latencies are service times.
void add_hosts(const RunModel& model, std::size_t most, std::vector<TransactionRow>& rows) {
  for (std::size_t i = 0; i < model.plan.hosts.size() && rows.size() < most; ++i) {
    TransactionRow row{.name = model.plan.hosts[i]};
    row.counts_retries = false;
    if (model.snapshot && i < model.snapshot->hosts.size()) {
      const load::HostNow& now = model.snapshot->hosts[i];
      row.per_second = now.per_second;
      row.counts.ok_count = now.phase.ok_count;
      row.counts.failed_count = now.phase.failed_count;
      row.counts.latency = now.phase.service;
    }
    rows.push_back(std::move(row));
  }
}

// Returns a row for each type, then for the sum of all types if there is room. If there is no room
// for all types, the last row is the sum of the types that are left out.
std::vector<TransactionRow> transaction_rows_of(const RunModel& model, std::size_t most) {
  const std::vector<load::TransactionType>& types = model.plan.workload.types;
  const std::vector<double> rates = recent_rates(model.history, types.size());
  const std::size_t alone =
      types.size() <= most ? types.size() : std::max<std::size_t>(most, 1) - 1;
  std::vector<TransactionRow> rows;
  TransactionRow rest{.name = fmt::format("{} others", types.size() - alone)};
  TransactionRow all{.name = "all"};
  for (std::size_t i = 0; i < types.size(); ++i) {
    TransactionRow row{.name = types[i].name, .limit_s = types[i].latency_limit_s};
    if (model.snapshot) {
      row.per_second = rates[i];
      row.counts = model.snapshot->phase()[i];
      row.held = holds(row.counts, row.limit_s);
    }
    all.add(row);
    if (i >= alone) {
      rest.add(row);
    } else {
      rows.push_back(std::move(row));
    }
  }
  all.held.reset();  // the sum has no limit
  if (alone < types.size()) {
    rows.push_back(std::move(rest));
  } else if (model.snapshot && types.size() > 1 && types.size() + model.plan.hosts.size() < most) {
    rows.push_back(std::move(all));
  }
  add_hosts(model, most, rows);
  return rows;
}

void draw_verdict(Canvas& canvas, Area area, const TransactionRow& one, const TableColumns& table) {
  const std::string verdict = !one.held ? "-" : *one.held ? "ok" : "OVER";
  const Style style = !one.held ? Style::normal : *one.held ? Style::good : Style::warning;
  const bool limit = table.limits && one.limit_s;
  canvas.put(area.row, area.column, "  " + verdict + (limit ? limit_text(*one.limit_s) : ""), style,
             area.columns);
}

void draw_figures(Canvas& canvas, Area area, const TransactionRow& one, const TableColumns& table) {
  const model::Totals& counts = one.counts;
  const auto latency = [&](double percent) {
    return counts.ok_count > 0 ? milliseconds_text(milliseconds(counts.latency, percent)) : "-";
  };
  const int end =
      canvas.put(area.row, area.column,
                 table.figures({rate_text(one.per_second), count_text(counts.ok_count), latency(50),
                                latency(90), latency(99),
                                one.counts_retries ? count_text(counts.retry_count) : "-",
                                count_text(counts.failed_count)}),
                 Style::normal, area.columns - (table.verdicts ? verdict_columns : 0));
  if (!table.verdicts) return;
  draw_verdict(canvas, {area.row, end, 1, area.column + area.columns - end}, one, table);
}

void draw_transactions(const RunModel& model, Canvas& canvas, Area area) {
  const TableColumns table(model.plan.workload.types, model.plan.hosts, area.columns);
  Area figures{area.row, area.column + 1 + table.name, 1, area.columns - 1 - table.name};
  const auto put_name = [&](int row, const std::string& name, Style style) {
    canvas.put(row, area.column + 1, name, style, table.name);
  };
  canvas.put(area.row, area.column, " ", Style::heading);
  put_name(area.row, fmt::format("{:<{}}", "transaction", table.name), Style::heading);
  const char* verdict = table.limits ? "  limit" : table.verdicts ? " limit" : "";
  canvas.put(
      area.row, figures.column,
      table.figures({"ok/s", "ok", "p50 ms", "p90 ms", "p99 ms", "retries", "failed"}) + verdict,
      Style::heading, figures.columns);
  const auto most = static_cast<std::size_t>(std::max(area.rows - 1, 0));
  for (const TransactionRow& one : transaction_rows_of(model, most)) {
    put_name(++figures.row, one.name, Style::normal);
    if (model.snapshot) draw_figures(canvas, figures, one, table);
  }
}

std::string outages_text(const RunModel& model, int room) {
  const load::AvailabilityRecord& record = model.snapshot->availability;
  if (record.outages.empty()) return "   no outages";
  const load::Outage& last = record.outages.back();
  const coro::Instant end = last.end.value_or(model.taken_at);
  const std::string count =
      "   " + text::counted_grouped(record.outages.size() + record.outages_dropped, "outage");
  const std::string ago = clock_text(model.taken_at - end) + " ago";
  for (const std::string& text :
       {fmt::format("{}, the last of {:.1f} s ended {}", count, seconds_of(end - last.start), ago),
        fmt::format("{}, the last ended {}", count, ago)}) {
    if (cells_of(text) <= room) return text;
  }
  return count;
}

StyledLine connections_line(const RunModel& model, int columns) {
  if (model.plan.connections == 0)
    return {{" no database: transactions are simulated", Style::normal}};
  const load::Snapshot& now = *model.snapshot;
  const load::AvailabilityRecord& record = now.availability;
  StyledLine line = {
      {" connections ", Style::normal},
      {fmt::format("{} of {} open", now.connections_open, model.plan.connections),
       now.connections_open < model.plan.connections ? Style::warning : Style::normal}};
  if (const std::string trouble = trouble_text(now.second); !trouble.empty()) {
    line.push_back({"   " + trouble, Style::warning});
    if (now.second.away > coro::Duration::zero() && !record.outages.empty()) {
      line.push_back({"  " + record.outages.back().first_error, Style::normal});
    }
    return line;
  }
  if (const std::uint64_t stalls = record.stalls.size() + record.stalls_dropped; stalls > 0) {
    line.push_back({"   " + text::counted_grouped(stalls, "stall"), Style::normal});
  }
  line.push_back({outages_text(model, columns - cells_of(line)), Style::normal});
  return line;
}

Phrase waiting_phrase(const load::Sample& second, const char* end = "") {
  return plain_phrase(fmt::format("{} in flight, {} waiting{}", count_text(second.in_flight),
                                  count_text(second.waiting), end),
                      1);
}

// Returns "backlog 1,234", or an empty text in a closed loop, which has no backlog.
std::string backlog_text(const load::Sample& second) {
  return second.backlog ? "backlog " + count_text(*second.backlog) : "";
}

// Returns the workers with their indices, the busiest first.
std::vector<std::pair<std::size_t, const load::WorkerSnapshot*>> busiest_workers(
    const load::Snapshot& snapshot) {
  std::vector<std::pair<std::size_t, const load::WorkerSnapshot*>> workers;
  for (const load::WorkerSnapshot& worker : snapshot.workers) {
    workers.emplace_back(workers.size(), &worker);
  }
  std::ranges::sort(workers, {},
                    [](const auto& one) { return std::pair(-one.second->load, one.first); });
  return workers;
}

Style load_style(double load) {
  return load > RunEvents::load_most ? Style::warning : Style::normal;
}

// Returns at most `room` hosts, lost hosts first, then the busiest, and a line for the rest.
std::vector<StyledLine> rank_lines(const load::Snapshot& now, std::size_t room, int columns) {
  const std::size_t all = now.ranks.size();
  const std::vector<const load::RankNow*> shown = ranks_to_show(now, all > room ? room - 1 : room);
  constexpr std::size_t name_most = 20;
  int width = 9;
  for (const load::RankNow* one : shown)
    width = std::max(width, cells_of(text::shown(one->name, name_most)));
  const auto named = [width](const std::string& name) {
    const std::string text = text::shown(name, name_most);
    return " " + text + std::string(static_cast<std::size_t>(width - cells_of(text)), ' ');
  };
  std::vector<StyledLine> lines;
  lines.push_back({{named("host") + fmt::format(" {:>8} {:>6} {:>11} {:>9} {:>8}", "ok/s", "load",
                                                "lag p99", "in flight", "conns"),
                    Style::heading}});
  for (const load::RankNow* one : shown) {
    lines.push_back(
        {{named(one->name) + fmt::format(" {:>8}", rate_text(one->per_second)), Style::normal},
         {one->is_lost ? fmt::format(" {:>6}", "LOST")
                       : fmt::format(" {:>6}", share_text(one->worker_load)),
          one->is_lost ? Style::warning : load_style(one->worker_load)},
         {fmt::format(" {:>8} ms {:>9} {:>8}", milliseconds_text(one->timer_lag_p99_ms),
                      count_text(one->in_flight), count_text(one->connections_open)),
          Style::normal}});
  }
  if (all > shown.size()) {
    lines.push_back(fitted({plain_phrase(fmt::format(" and {} more; all:", all - shown.size())),
                            waiting_phrase(now.second)},
                           columns, 1));
  }
  return lines;
}

// Returns at most `room` workers, the busiest first, and a line for the rest.
std::vector<StyledLine> worker_lines(const load::Snapshot& now, std::size_t room, int columns,
                                     const std::string& highest_lag) {
  const auto workers = busiest_workers(now);
  std::vector<StyledLine> lines = {{{fmt::format(" {:<9}{:>6} {:>10} {:>9} {:>14}", "worker",
                                                 "load", "in flight", "waiting", "timer lag p99"),
                                     Style::heading}}};
  const std::size_t shown = workers.size() > room ? room - 1 : workers.size();
  for (const auto& [index, worker] : workers | std::views::take(shown)) {
    lines.push_back({{fmt::format(" {:<9}", index + 1), Style::normal},
                     {fmt::format("{:>6}", share_text(worker->load)), load_style(worker->load)},
                     {fmt::format(" {:>10} {:>9} {:>11} ms", count_text(worker->in_flight),
                                  count_text(worker->waiting),
                                  milliseconds_text(milliseconds(worker->timer_lag, 99))),
                      Style::normal}});
  }
  if (workers.size() > shown) {
    const std::string rest = fmt::format(" and {} less busy; all:", workers.size() - shown);
    lines.push_back(fitted({plain_phrase(rest), waiting_phrase(now.second, ","),
                            plain_phrase(fmt::format("lag {} ms", highest_lag), 2)},
                           columns, 1));
  }
  return lines;
}

// Returns the lines about workers or hosts, connections and the process.
std::vector<StyledLine> client_lines(const RunModel& model, int rows, int columns) {
  if (!model.snapshot) return {};
  const load::Snapshot& now = *model.snapshot;
  const load::Sample& second = now.second;
  double lag_ms = 0;
  for (const auto& worker : now.workers)
    lag_ms = std::max(lag_ms, milliseconds(worker.timer_lag, 99));
  const std::string lag = milliseconds_text(lag_ms);
  std::vector<StyledLine> lines;
  if (rows <= 3) {  // one line for all workers
    const std::string all = text::counted_grouped(now.workers.size(), "worker");
    lines.push_back(fitted({{{{" " + all + ", the busiest at ", Style::normal},
                              {share_text(second.client_load), load_style(second.client_load)}}},
                            waiting_phrase(second),
                            plain_phrase(fmt::format("timer lag p99 {} ms", lag), 2)},
                           columns, 3));
  } else {
    const auto room = static_cast<std::size_t>(rows - 3);
    lines =
        has_ranks(model) ? rank_lines(now, room, columns) : worker_lines(now, room, columns, lag);
  }
  lines.push_back(connections_line(model, columns));
  lines.push_back(
      {{fmt::format(" {} {:.2f} cores, {}", now.ranks.empty() ? "this process" : "all hosts",
                    model.cores, bytes_text(static_cast<double>(now.process.rss_bytes))),
        Style::normal}});
  if (second.backlog) lines.back().push_back({"   " + backlog_text(second), Style::normal});
  return lines;
}

// Returns "b LOST", "2 hosts LOST", or an empty text.
std::string lost_text(const load::Snapshot& snapshot) {
  const auto lost = std::ranges::count_if(snapshot.ranks, &load::RankNow::is_lost);
  if (lost > 1) return fmt::format("{} hosts LOST", lost);
  const auto first = std::ranges::find_if(snapshot.ranks, &load::RankNow::is_lost);
  return first == snapshot.ranks.end() ? "" : first->name + " LOST";
}

std::vector<Phrases> small_lines(const RunModel& model) {
  std::vector<Phrases> lines;
  if (!model.snapshot) return lines;
  const load::Sample& second = model.snapshot->second;
  const auto warn = [&lines](std::string text) {
    lines.push_back({{{{std::move(text), Style::warning}}}});
  };
  const auto warn_since = [&](const char* what, coro::Duration since) {
    if (since <= coro::Duration::zero()) return;
    warn(what);
    lines.back().push_back(plain_phrase(fmt::format("for {:.1f} s", seconds_of(since)), 1));
  };
  warn_since("OUTAGE", second.away);
  warn_since("STALL", second.silent);
  if (std::string lost = lost_text(*model.snapshot); !lost.empty()) warn(std::move(lost));
  const Throughput figures = model.throughput();
  lines.push_back(headline_phrases(model, figures));
  lines.push_back(rate_phrases(model, figures));
  const std::vector<load::TransactionType>& types = model.plan.workload.types;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::optional<double> limit_s = types[i].latency_limit_s;
    if (holds(model.snapshot->phase()[i], limit_s) != false) continue;
    warn(fmt::format("{}: p90 OVER {:g} s", types[i].name, *limit_s));
  }
  lines.push_back({plain_phrase(count_text(second.in_flight) + " in flight"),
                   plain_phrase(count_text(second.waiting) + " waiting", 1)});
  if (second.backlog) lines.back().push_back(plain_phrase(backlog_text(second), 2));
  return lines;
}

}  // namespace

std::vector<KeyHelp> run_keys() {
  return screen_keys({"q", "end the run now, with its result so far", "end the run"},
                     {"t", "switch the charts: throughput, p90 latency", "charts"},
                     {"Ctrl-C", "same as q; a second Ctrl-C ends it without a result", ""});
}

int draw_run(const RunModel& model, Canvas& canvas) {
  const int rows = canvas.rows();
  const bool wide = canvas.columns() >= wide_columns_least;
  const load::Headline& headline = model.plan.workload.headline;
  const auto draw_headline = [&](Canvas& to, Area area) {
    draw_history(to, area, model.history, " " + headline.name, Style::throughput,
                 [&](const auto& seconds) { return headline_point(headline, seconds); });
  };
  const auto draw_latency = [&](Canvas& to, Area area) {
    draw_history(to, area, model.history, " p90 of all transactions, ms", Style::latency,
                 p90_point);
  };
  const int most_workers = rows >= 40 ? 8 : wide ? 2 : 3;
  const int client_rows = 3 + worker_rows(model, most_workers);
  const int types = transaction_rows(model, rows);
  return draw_dashboard(
      model,
      {.title =
           fmt::format("Drover: {} on {}", model.plan.workload.benchmark, model.title.database),
       .title_right = title_right(model),
       .progress = progress_of(model),
       .figures = figures_phrases(model),
       .charts = {draw_headline, draw_latency},
       .table = [&](Canvas& to, Area area) { draw_transactions(model, to, area); },
       .table_rows = wide ? std::max(types, 2 + client_rows) : types,
       .table_columns_least = table_columns,
       .side =
           [&](Canvas& to, Area area) {
             draw_lines(to, area, client_lines(model, area.rows, area.columns));
           },
       .side_rows = rows >= 30 || has_ranks(model) ? client_rows : 3,
       .small = small_lines(model),
       .keys = run_keys()},
      canvas);
}

}  // namespace drover::ui
