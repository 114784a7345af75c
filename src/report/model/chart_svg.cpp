#include "report/model/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace drover::report {
namespace {

constexpr double path_width = 1000;  // of the stretched pictures in which lines are drawn
constexpr double lane_height = 18;
constexpr double title_height = 24;
constexpr double gap_below_panel = 14;
constexpr double axis_height = 40;

// How wide letters are at most, and what the narrowest and an ordinary page leave for a chart.
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
    // Behind the read-outs, so that these can hide them.
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
    // A second is too narrow to be seen in the chart of a day, but for this line.
    draw_line("edge", start, top, start, band.edge_in_lane ? lane_bottom : bottom_);
  }

  void draw_x_axis() {
    for (const Tick& tick : chart_.x_ticks) {
      const double x = position(tick.value);
      for (std::size_t i = 0; i < tops_.size(); ++i) {
        draw_line("grid", x, tops_[i], x, tops_[i] + chart_.panels[i].height);
      }
      // At the ends, labels stay within the picture.
      draw_text(tick.minor ? "tick wide" : "tick", percentage(x), bottom_ + 16,
                x > 0.97 ? "end" : "middle", tick.label);
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
      // A point alone is a line of no length, which its round ends make a dot.
      if (piece.size() == 1) line += "h0";
      if (!curve.has_envelope || piece.size() < 2) continue;
      command = 'M';
      for (const CurvePoint& point : piece) {
        envelope += command + x_of(point.x) + ' ' + coordinate(height_of(point.high));
        command = 'L';
      }
      for (auto point = piece.rbegin(); point != piece.rend(); ++point) {
        envelope += 'L' + x_of(point->x) + ' ' + coordinate(height_of(point->low));
      }
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

  // A label is left out where it would lie over another one, first on narrow pages.
  void draw_lanes() {
    std::vector<Room> rooms(chart_.lanes);
    for (const Band& band : chart_.bands) {
      if (band.label.empty() || band.lane >= rooms.size()) continue;
      Room& room = rooms[band.lane];
      const double letters = static_cast<double>(band.label.size()) * letter_width + 12;
      // Behind a block that is too short for it.
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
    for (std::size_t i = 0; i < std::min(tops_.size(), read_out.lines.size()); ++i) {
      html_.line("text", {{"y", coordinate(tops_[i] - 8)}}, read_out.lines[i]);
    }
  }

  // In the upper left corner, where curves that only rise are not.
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

  // Up to where a lane is taken, as a share of its width.
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

}  // namespace drover::report
