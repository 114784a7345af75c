#include "report/model/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "text/plain_text.h"

namespace drover::report {
namespace {

constexpr double path_width = 1000;  // of the stretched pictures in which lines are drawn
constexpr double lane_height = 18;
constexpr double title_height = 24;
constexpr double gap_below_panel = 14;
constexpr double axis_height = 40;

// The greatest width of a letter, and the widths of a chart on the narrowest and on ordinary pages.
constexpr double letter_width = 7.5;
constexpr double narrow_width = 300;
constexpr double wide_width = 720;

class Drawing {
 public:
  Drawing(HtmlWriter& html, const Chart& chart) : html_(html), chart_(chart) {
    double top = static_cast<double>(chart.lanes) * lane_height;
    if (chart.lanes > 0) top += 4;
    for (const Panel& panel : chart.panels) {
      tops_.push_back(top + title_height);
      top += title_height + panel.height + gap_below_panel;
    }
    bottom_ = top - gap_below_panel;
  }

  void draw() {
    const auto svg = html_.open("svg.chart", {{"width", "100%"},
                                              {"height", coordinate(bottom_ + axis_height)},
                                              {"role", "img"},
                                              {"aria-labelledby", chart_.id + "-title"},
                                              {"aria-describedby", chart_.id + "-text"}});
    for (const Band& band : chart_.bands) draw_band(band);
    draw_x_axis();
    for (std::size_t i = 0; i < chart_.panels.size(); ++i) draw_panel(i);
    draw_lanes();
    for (const ReadOut& read_out : chart_.read_outs) draw_read_out(read_out);
    // Read-outs are drawn before the titles, which they hide.
    for (std::size_t i = 0; i < chart_.panels.size(); ++i) draw_title(i);
  }

 private:
  double position(double x) const { return chart_.x.position(x); }

  void draw_line(Literal classes, double x1, double y1, double x2, double y2) {
    html_.leaf("line", {{"class", std::string(classes.text())},
                        {"x1", percentage(x1)},
                        {"y1", coordinate(y1)},
                        {"x2", percentage(x2)},
                        {"y2", coordinate(y2)}});
  }

  void draw_text(const char* classes, std::string x, double y, const char* anchor,
                 const std::string& text) {
    html_.line(
        "text",
        {{"class", classes}, {"x", std::move(x)}, {"y", coordinate(y)}, {"text-anchor", anchor}},
        text);
  }

  // A rectangle from one x to another, as shares of the width.
  void draw_rectangle(double from, double to, double top, double bottom) {
    html_.leaf("rect", {{"x", percentage(from)},
                        {"y", coordinate(top)},
                        {"width", percentage(to - from)},
                        {"height", coordinate(bottom - top)}});
  }

  void draw_band(const Band& band) {
    const double start = position(band.start);
    const double end = position(band.end);
    const double top = static_cast<double>(band.lane) * lane_height;
    const double lane_bottom = top + lane_height - 3;
    const double bottom = band.block_in_lane ? lane_bottom : bottom_;
    const auto group = html_.open("g", {{"class", band.classes}});
    html_.line("title", band.description);
    draw_rectangle(start, end, top, bottom);
    // This line makes a second visible in the chart of a day.
    draw_line("edge", start, top, start, band.edge_in_lane ? lane_bottom : bottom_);
  }

  void draw_x_axis() {
    for (const Tick& tick : chart_.x_ticks) {
      const double x = position(tick.value);
      for (std::size_t i = 0; i < tops_.size(); ++i)
        draw_line("grid", x, tops_[i], x, tops_[i] + chart_.panels[i].height);
      // At the ends, labels stay within the picture; short ones may extend to the left of it.
      constexpr std::size_t short_label_most = 8;
      const bool is_left_end = x < 0.03 && tick.label.size() > short_label_most;
      draw_text(tick.minor ? "tick wide" : "tick", percentage(x), bottom_ + 16,
                x > 0.97      ? "end"
                : is_left_end ? "start"
                              : "middle",
                tick.label);
    }
    draw_text("x-title", "50%", bottom_ + 34, "middle", chart_.x_title);
  }

  void draw_panel(std::size_t index) {
    const Panel& panel = chart_.panels[index];
    const double top = tops_[index];
    const auto height_of = [&](double y) {
      return panel.height * (1 - panel.axis.scale.position(y));
    };
    const auto group = html_.open("g.panel");
    for (const Tick& tick : panel.axis.ticks) {
      const double y = top + height_of(tick.value);
      tick.value == 0 ? draw_line("axis", 0, y, 1, y) : draw_line("grid", 0, y, 1, y);
      // Only as many labels as have room, seen from the bottom.
      if (tick.minor && panel.height < 16.0 * static_cast<double>(panel.axis.ticks.size()))
        continue;
      draw_text("tick", "-8", y + 4, "end", tick.label);
    }
    {
      const auto picture = html_.open(
          "svg.curves",
          {{"y", coordinate(top)},
           {"width", "100%"},
           {"height", coordinate(panel.height)},
           {"viewBox", fmt::format("0 0 {} {}", coordinate(path_width), coordinate(panel.height))},
           {"preserveAspectRatio", "none"}});
      for (const Curve& curve : panel.curves) draw_curve(curve, height_of);
    }
    for (const Mark& mark : panel.marks) draw_mark(mark, top + height_of(mark.y));
  }

  template <typename HeightOf>
  void draw_curve(const Curve& curve, const HeightOf& height_of) {
    const auto group = html_.open("g", {{"class", "curve " + curve.classes}});
    html_.line("title", curve.name);
    std::string line;
    std::string envelope;
    const auto x_of = [this](double x) { return coordinate(position(x) * path_width); };
    for (const std::vector<CurvePoint>& piece : curve.pieces) {
      char command = 'M';
      for (const CurvePoint& point : piece) {
        line += command + x_of(point.x) + ' ' + coordinate(height_of(point.y));
        command = 'L';
      }
      // The round ends of a line of no length make a dot of a single point.
      if (piece.size() == 1) line += "h0";
      if (!curve.has_envelope || piece.size() < 2) continue;
      command = 'M';
      for (const CurvePoint& point : piece) {
        envelope += command + x_of(point.x) + ' ' + coordinate(height_of(point.high));
        command = 'L';
      }
      for (auto point = piece.rbegin(); point != piece.rend(); ++point)
        envelope += 'L' + x_of(point->x) + ' ' + coordinate(height_of(point->low));
      envelope += 'Z';
    }
    if (!envelope.empty()) html_.leaf("path.envelope", {{"d", envelope}});
    if (!line.empty()) html_.leaf("path.line", {{"d", line}});
  }

  void draw_mark(const Mark& mark, double y) {
    const double half = mark.x ? 0.04 : 0.5;
    const double middle = mark.x ? position(*mark.x) : 0.5;
    draw_line("limit", std::max(0.0, middle - half), y, std::min(1.0, middle + half), y);
    const bool at_right = middle > 0.7 || !mark.x;
    draw_text("limit-label", percentage(at_right ? std::min(1.0, middle + half) : middle - half),
              y - 5, at_right ? "end" : "start", mark.label);
  }

  // Leaves out labels that would overlap, first on narrow pages.
  void draw_lanes() {
    std::vector<Room> rooms(chart_.lanes);
    for (const Band& band : chart_.bands) {
      if (band.label.empty() || band.lane >= rooms.size()) continue;
      Room& room = rooms[band.lane];
      const double letters = static_cast<double>(band.label.size()) * letter_width + 12;
      // The label follows a block that is too short for it.
      const double length = position(band.end) - position(band.start);
      const bool behind = band.block_in_lane && length * narrow_width < letters;
      const double start = position(behind ? band.end : band.start);
      const auto fits = [&](double width, double free_from, bool& at_end) {
        at_end = start + letters / width > 1;
        const double from = at_end ? start - letters / width : start;
        return from >= free_from && from >= 0;
      };
      bool at_end = false;
      bool at_end_if_narrow = false;
      const bool wide = fits(wide_width, room.wide, at_end);
      const bool narrow =
          fits(narrow_width, room.narrow, at_end_if_narrow) && (at_end == at_end_if_narrow);
      if (!wide) continue;
      room.wide = at_end ? start : start + letters / wide_width;
      if (narrow) room.narrow = at_end ? start : start + letters / narrow_width;
      html_.line("text",
                 {{"class", "label " + band.classes + (narrow ? "" : " wide")},
                  {"x", percentage(start)},
                  {"dx", at_end ? "-5" : "5"},
                  {"y", coordinate(static_cast<double>(band.lane) * lane_height + 13)},
                  {"text-anchor", at_end ? "end" : "start"}},
                 band.label);
    }
  }

  void draw_read_out(const ReadOut& read_out) {
    const double start = position(read_out.start);
    const double end = position(read_out.end);
    const double top = tops_.empty() ? 0 : tops_.front();
    const auto group =
        html_.open("g", {{"class", chart_.read_outs_stacked ? "read-out over" : "read-out"}});
    draw_rectangle(start, end, top, bottom_);
    if (chart_.read_outs_stacked) return draw_stacked(read_out, top);
    for (std::size_t i = 0; i < std::min(tops_.size(), read_out.lines.size()); ++i)
      html_.line("text", {{"y", coordinate(tops_[i] - 8)}}, read_out.lines[i]);
  }

  // The lines stand in the upper left corner, which rising curves leave free.
  void draw_stacked(const ReadOut& read_out, double top) {
    constexpr double line_height = 16;
    std::size_t letters = 0;
    for (const std::string& line : read_out.lines) letters = std::max(letters, line.size());
    html_.leaf(
        "rect.back",
        {{"x", "4"},
         {"y", coordinate(top + 2)},
         {"width", coordinate(static_cast<double>(letters) * letter_width + 12)},
         {"height", coordinate(static_cast<double>(read_out.lines.size()) * line_height + 8)}});
    for (std::size_t i = 0; i < read_out.lines.size(); ++i) {
      const std::string classes =
          i < chart_.stacked_classes.size() ? chart_.stacked_classes[i] : std::string();
      html_.line("text",
                 {{"class", "stacked " + classes},
                  {"x", "10"},
                  {"y", coordinate(top + line_height * static_cast<double>(i + 1))}},
                 read_out.lines[i]);
    }
  }

  void draw_title(std::size_t index) {
    const Panel& panel = chart_.panels[index];
    const auto text = html_.open("text.panel-title", {{"y", coordinate(tops_[index] - 8)}});
    html_.line("tspan.name", panel.title);
    for (const Key& key : panel.keys) {
      html_.line("tspan", {{"class", "key " + key.classes}, {"dx", "9"}}, "■");
      html_.line("tspan", {{"dx", "3"}}, key.name);
    }
  }

  // The end of the last label in a lane, as a share of the width, by page width.
  struct Room {
    double wide = 0;
    double narrow = 0;
  };

  HtmlWriter& html_;
  const Chart& chart_;
  std::vector<double> tops_;  // of the panels, below their titles
  double bottom_ = 0;
};

}  // namespace

void draw_chart(HtmlWriter& html, const Chart& chart) {
  Drawing(html, chart).draw();
}

namespace {

constexpr double smallest_of_logarithm = 1e-9;
constexpr double day_s = 86'400;
constexpr double tolerance = 1e-9;

double positive(double value) {
  return std::isfinite(value) ? std::max(value, smallest_of_logarithm) : smallest_of_logarithm;
}

std::string label_of(double value, Quantity quantity) {
  if (quantity == Quantity::milliseconds) return milliseconds_label(value);
  return quantity == Quantity::share ? fmt::format("{:g}%", value * 100) : number_label(value);
}

// Returns the next 1, 2 or 5 times a power of ten.
double round_up(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (value <= factor * power * (1 + tolerance)) return factor * power;
  return 10 * power;
}

double round_down(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value) + tolerance));
  for (const double factor : {5.0, 2.0})
    if (value >= factor * power * (1 - tolerance)) return factor * power;
  return power;
}

// Returns three significant digits, without zeros at the end.
std::string three_digits(double value) {
  if (value >= 100) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

}  // namespace

Scale Scale::linear(double low, double high) {
  if (!std::isfinite(low)) low = 0;
  if (!std::isfinite(high)) high = low;
  const double least = std::max(1e-9, std::abs(low) * 1e-9);
  return {low, std::max(high, low + least), false};
}

Scale Scale::logarithmic(double low, double high) {
  low = positive(low);
  return {low, std::max(positive(high), low * 1.001), true};
}

double Scale::position(double value) const {
  if (!std::isfinite(value)) return 0;
  const double share = logarithmic_ ? std::log(positive(value) / low_) / std::log(high_ / low_)
                                    : (value - low_) / (high_ - low_);
  return std::clamp(share, 0.0, 1.0);
}

Axis axis_from_zero(double highest, Quantity quantity, std::size_t intervals_max) {
  if (!std::isfinite(highest) || highest <= 0) highest = quantity == Quantity::share ? 0.01 : 1;
  double step = round_up(highest / static_cast<double>(intervals_max));
  // Counts have no halves.
  if (quantity == Quantity::number) step = std::max(step, 1.0);
  const double intervals = std::max(1.0, std::ceil(highest / step * (1 - tolerance)));
  Axis axis{Scale::linear(0, intervals * step), {}};
  for (double i = 0; i <= intervals; ++i)
    axis.ticks.push_back({i * step, label_of(i * step, quantity)});
  return axis;
}

Axis logarithmic_axis(double lowest, double highest, Quantity quantity) {
  if (!std::isfinite(highest) || highest <= 0) highest = 1;
  if (!std::isfinite(lowest) || lowest <= 0 || lowest > highest) lowest = highest;
  double low = round_down(positive(lowest));
  double high = round_up(positive(highest));
  if (high / low < 4) {
    low = round_down(low * 0.999);
    high = round_up(high * 1.001);
  }
  Axis axis{Scale::logarithmic(low, high), {}};
  const double decades = std::log10(high / low);
  // A hostile document has eighteen decades.
  const double decades_each = std::max(1.0, std::ceil(decades / 6));
  double decade = std::floor(std::log10(low) + tolerance);
  for (; decade <= std::log10(high) + tolerance; decade += decades_each) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10.0, decade);
      const bool power = factor == 1.0;
      const bool within = value >= low * (1 - tolerance) && value <= high * (1 + tolerance);
      // A long range shows the powers of ten, and the ends unless they are next to a power.
      const bool low_end = value <= low * (1 + tolerance) && factor < 5;
      const bool high_end = value >= high * (1 - tolerance) && factor > 2;
      if (within && (power || decades <= 2.2 || (decades < 5.5 && (low_end || high_end))))
        axis.ticks.push_back({value, label_of(value, quantity), !power && decades <= 2.2});
    }
  }
  return axis;
}

double round_step_s(double seconds_least) {
  static constexpr std::array<double, 24> steps = {
      0.1, 0.2, 0.5, 1,    2,    5,    10,   15,    20,    30,    60,    120,
      300, 600, 900, 1200, 1800, 3600, 7200, 10800, 21600, 43200, day_s, 2 * day_s};
  for (const double step : steps)
    if (step >= seconds_least * (1 - tolerance)) return step;
  return round_up(seconds_least / day_s) * day_s;
}

std::vector<Tick> time_ticks(double low_s, double high_s, std::size_t count_max) {
  std::vector<Tick> ticks;
  if (!std::isfinite(low_s) || !std::isfinite(high_s) || high_s < low_s || count_max < 2)
    return ticks;
  const double step =
      std::max(1.0, round_step_s((high_s - low_s) / static_cast<double>(count_max - 1)));
  const double last = std::floor(high_s / step + tolerance);
  for (double i = std::ceil(low_s / step - tolerance); i <= last; ++i)
    ticks.push_back({i * step, time_label(i * step), std::fmod(std::abs(i), 2) != 0});
  return ticks;
}

std::string number_label(double value) {
  if (!std::isfinite(value)) return "?";
  if (value < 0) return "-" + number_label(-value);
  if (value < 99.95) return fmt::format("{:.3g}", value);
  if (value < 99'999.5) return text::grouped(static_cast<std::uint64_t>(std::llround(value)));
  for (const auto& [factor, suffix] : {std::pair(1e3, "k"), {1e6, "M"}, {1e9, "G"}, {1e12, "T"}})
    if (value < factor * 999.5) return three_digits(value / factor) + suffix;
  return fmt::format("{:.2g}", value);
}

std::string milliseconds_label(double ms) {
  if (!std::isfinite(ms)) return "?";
  if (ms <= 0) return "0 ms";
  if (ms < 0.0009995) return fmt::format("{} ns", three_digits(ms * 1e6));
  if (ms < 0.09995) return fmt::format("{} µs", three_digits(ms * 1e3));
  if (ms < 999.5) return fmt::format("{} ms", three_digits(ms));
  const double seconds = ms / 1000;
  if (seconds < 119.5) return fmt::format("{} s", three_digits(seconds));
  if (seconds < 7'170) return fmt::format("{} min", three_digits(seconds / 60));
  return fmt::format("{} h", number_label(seconds / 3'600));
}

std::string number_text(double value) {
  const double size = std::abs(value);
  if (size >= 999.95 || (size == std::floor(size) && size < 1e15))
    return fmt::format("{:.0f}", value);
  if (size >= 99.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

std::string time_label(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  if (seconds < 0) return "-" + time_label(-seconds);
  constexpr double shown_in_days_s = 10 * day_s;
  if (seconds >= shown_in_days_s) return number_label(seconds / day_s) + " d";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3'600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3'600, whole / 60 % 60, whole % 60);
}

}  // namespace drover::report
