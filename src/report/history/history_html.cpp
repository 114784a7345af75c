#include "report/history/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/history/history.css.h"
#include "report/page/html_writer.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

// Nothing is loaded and nothing runs, whatever is in the text (html_writer.h); it is light or dark as the
// reader's system is, and prints.
constexpr const char* policy = "default-src 'none'; style-src 'unsafe-inline'";

constexpr double width = 960;
constexpr double height = 360;
constexpr double left = 70;
constexpr double right = 16;
constexpr double top = 24;
constexpr double bottom = 30;

// Where values and points stand.
class Frame {
 public:
  explicit Frame(const History& history) : count_(history.points.size()) {
    const auto ends = std::ranges::minmax(history.points, {}, &HistoryPoint::value);
    low_ = ends.min.value;
    high_ = ends.max.value;
    const double room = std::max({(high_ - low_) * 0.08, std::abs(high_) * 0.01, 1e-9});
    low_ = std::max(low_ - room, low_ >= 0 ? 0.0 : low_ - room);
    high_ += room;
  }

  double x(double point) const {
    return left + (point + 0.5) / static_cast<double>(count_) * (width - left - right);
  }
  double y(double value) const {
    return top + (high_ - value) / (high_ - low_) * (height - top - bottom);
  }
  // Four lines of the grid, and the ends.
  double grid_value(int line) const { return low_ + (high_ - low_) * line / 5; }

 private:
  std::size_t count_;
  double low_ = 0;
  double high_ = 0;
};

void draw_line(HtmlWriter& html, std::string classes, double x1, double y1, double x2, double y2) {
  html.leaf("line", {{"class", std::move(classes)},
                     {"x1", coordinate(x1)},
                     {"y1", coordinate(y1)},
                     {"x2", coordinate(x2)},
                     {"y2", coordinate(y2)}});
}

void draw_text(HtmlWriter& html, std::string classes, double x, double y, std::string anchor,
               std::string_view text) {
  html.line("text",
            {{"class", std::move(classes)},
             {"x", coordinate(x)},
             {"y", coordinate(y)},
             {"text-anchor", std::move(anchor)}},
            text);
}

void draw_grid(HtmlWriter& html, const Frame& frame, const History& history) {
  for (int line = 0; line <= 5; ++line) {
    const double value = frame.grid_value(line);
    draw_line(html, "grid", left, frame.y(value), width - right, frame.y(value));
    draw_text(html, "label", left - 8, frame.y(value) + 4, "end", Metric::number_text(value));
  }
  draw_text(html, "label", left, height - 8, "start",
            text::moment_text(history.points.front().start_ts));
  draw_text(html, "label", width - right, height - 8, "end",
            text::moment_text(history.points.back().start_ts));
}

void draw_levels(HtmlWriter& html, const Frame& frame, const History& history) {
  for (const HistoryLevel& level : history.levels()) {
    const double y = frame.y(level.median);
    draw_line(html, "level", frame.x(static_cast<double>(level.first)), y,
              frame.x(static_cast<double>(level.last)), y);
  }
}

void draw_changes(HtmlWriter& html, const Frame& frame, const History& history) {
  for (std::size_t i = 0; i < history.changes.size(); ++i) {
    const HistoryChange& change = history.changes[i];
    const double x = frame.x(static_cast<double>(change.first_after) - 0.5);
    const char* verdict = change.is_better ? "better" : "worse";
    draw_line(html, fmt::format("change {}", verdict), x, top, x, height - bottom);
    draw_text(html, verdict, x, top - 8, "middle", change_letter(i));
  }
}

void draw_points(HtmlWriter& html, const Frame& frame, const History& history) {
  const std::string unit(history.metric.unit());
  for (std::size_t i = 0; i < history.points.size(); ++i) {
    const HistoryPoint& point = history.points[i];
    const auto circle =
        html.open("circle.point", {{"cx", coordinate(frame.x(static_cast<double>(i)))},
                                   {"cy", coordinate(frame.y(point.value))},
                                   {"r", "4"}});
    html.line("title",
              fmt::format("{}: {} {}, {}, {}", point.name, Metric::number_text(point.value), unit,
                          text::moment_text(point.start_ts), point.tool));
  }
}

void write_chart(HtmlWriter& html, const History& history) {
  const Frame frame(history);
  // On a narrow screen it is moved rather than made too small to read.
  const auto wide = html.open("div.wide");
  const auto picture =
      html.open("svg", {{"viewBox", fmt::format("0 0 {:.0f} {:.0f}", width, height)},
                        {"role", "img"},
                        {"aria-labelledby", "chart-title"}});
  html.line("title", {{"id", "chart-title"}},
            fmt::format("{} of {} in order of time, {} of level. The scale does "
                        "not start at 0. The table below has every value.",
                        history.metric.name(), text::counted(history.points.size(), "result"),
                        text::counted(history.changes.size(), "change")));
  draw_grid(html, frame, history);
  draw_levels(html, frame, history);
  draw_changes(html, frame, history);
  draw_points(html, frame, history);
}

void write_changes(HtmlWriter& html, const History& history) {
  html.line("h2", "Changes");
  if (history.changes.empty()) {
    html.line("p", no_change_sentence(history));
    return;
  }
  const auto list = html.open("ul");
  for (std::size_t i = 0; i < history.changes.size(); ++i) {
    html.line("li", {{"class", history.changes[i].is_better ? "better" : "worse"}},
              change_sentence(history, i));
  }
}

void write_points(HtmlWriter& html, const History& history) {
  html.line("h2", "Results");
  const auto wide = html.open("div.wide");
  const auto table = html.open("table");
  {
    const auto head = html.open("thead");
    const auto row = html.open("tr");
    for (const char* title : {"measured from", "result", "drover", "server"})
      html.line("th", title);
    html.line("th.number", fmt::format("{} {}", history.metric.name(), history.metric.unit()));
  }
  const auto body = html.open("tbody");
  for (const HistoryPoint& point : history.points) {
    const auto row = html.open("tr");
    html.line("td.date", text::moment_text(point.start_ts));
    html.line("td.name", point.name);
    html.line("td.name", point.tool);
    html.line("td.name", point.server);
    html.line("td.number", Metric::number_text(point.value));
  }
}

void write_left_out(HtmlWriter& html, const History& history) {
  if (history.left_out.empty()) return;
  html.line("h2", "Left out");
  const auto list = html.open("ul.faint");
  for (const LeftOut& one : history.left_out) {
    html.line("li", fmt::format("{}: {}", one.name, one.reason));
  }
}

}  // namespace

std::string history_html(const History& history) {
  HtmlWriter html;
  const std::string title = fmt::format("{} over time", history.metric.name());
  {
    const auto document = html.open("html", {{"lang", "en"}});
    {
      const auto head = html.open("head");
      html.leaf("meta", {{"charset", "utf-8"}});
      html.leaf("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", policy}});
      html.leaf("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
      html.line("title", title);
      html.style_sheet(history_css);
    }
    const auto body = html.open("body");
    const auto main = html.open("main");
    html.line("h1", title);
    html.line("p.faint", history.metric.meaning());
    if (history.points.empty()) {
      html.line("p", "No result has this metric.");
    } else {
      write_chart(html, history);
      write_changes(html, history);
      write_points(html, history);
    }
    write_left_out(html, history);
  }
  return html.take();
}

}  // namespace drover::report
