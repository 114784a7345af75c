// Charts as values: panels below each other that share one horizontal axis, with bands (an outage,
// the warm-up) across all of them and texts that appear under the pointer.
//
// Colours, widths and the labels that narrow screens leave out follow from the style classes named
// here and report.css. Positions are in the units of the axes.
//
// Plain values and pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/model/html_writer.h"

namespace drover::report {

class Scale {
 public:
  // Values outside of [low, high] are drawn at the nearer end. Ends that are not finite, or too
  // near to each other to divide by, are moved apart.
  static Scale linear(double low, double high);
  // Values that are not above 0 have no logarithm and count as 1e-9.
  static Scale logarithmic(double low, double high);

  // Returns 0 for the low end, 1 for the high end, and never a value outside of them.
  double position(double value) const;

  double low() const { return low_; }
  double high() const { return high_; }

 private:
  Scale(double low, double high, bool logarithmic)
      : low_(low), high_(high), logarithmic_(logarithmic) {}

  double low_;
  double high_;
  bool logarithmic_;
};

struct Tick {
  double value = 0;
  std::string label;
  bool minor = false;  // left out first where there is little room
};

enum class Quantity : std::uint8_t { number, milliseconds, share };

struct Axis {
  Scale scale;
  std::vector<Tick> ticks;
};

// Returns a linear axis from 0 to a round number not below `highest`, in at most `intervals_max`
// (2 or more) equal parts.
Axis axis_from_zero(double highest, Quantity quantity, std::size_t intervals_max = 5);

// Returns a logarithmic axis around the values, with ends and ticks at 1, 2 or 5 times a power of
// ten (only at the powers where the range is long). Values that are not above 0 are ignored.
Axis logarithmic_axis(double lowest, double highest, Quantity quantity);

// Returns ticks of clock-like steps (1, 2, 5, 10, 15, 30 s, …) in [low, high], with 0 among them if
// it is within.
std::vector<Tick> time_ticks(double low_s, double high_s, std::size_t count_max);

// Returns the smallest clock-like step that is not below `seconds_least`.
double round_step_s(double seconds_least);

// "950", "12,345", "1.2M": at most six characters up to 10^15.
std::string number_label(double value);
// "85 µs", "1.25 ms", "31.4 ms", "2.5 s", "15 min"
std::string milliseconds_label(double ms);
// "-0:10", "12:30", "1:02:30", "12 d"
std::string time_label(double seconds);
// "31.4", "12857": three digits that matter, without thousands separators.
std::string number_text(double value);

struct CurvePoint {
  double x = 0;
  double low = 0;
  double y = 0;
  double high = 0;
};

struct Curve {
  std::string name = {};
  std::string classes = {};                          // colour and dashes
  std::vector<std::vector<CurvePoint>> pieces = {};  // not connected with each other
  bool has_envelope = false;
};

// A limit: a line across the panel, or a short one around an x.
struct Mark {
  double y = 0;
  std::optional<double> x = {};
  std::string label = {};
};

struct Key {
  std::string name;
  std::string classes;
};

struct Panel {
  std::string title = {};  // short: with the keys it has to fit into 320 pixels
  std::vector<Key> keys = {};
  double height = 100;  // pixels
  Axis axis = {Scale::linear(0, 1), {}};
  std::vector<Curve> curves = {};
  std::vector<Mark> marks = {};
};

// A time span across all panels, with a label in a lane above them.
struct Band {
  double start = 0;
  double end = 0;
  std::string classes = {};
  std::string label = {};        // empty: not in a lane
  std::string description = {};  // shown under the pointer
  std::size_t lane = 0;
  bool block_in_lane = false;  // the block is drawn in the lane only
  bool edge_in_lane = false;   // the line at the start is drawn in the lane only
};

// Text that is shown while the pointer is between two positions: a line for each panel in place of
// its title, or, with Chart::read_outs_stacked, lines below each other in the first panel.
struct ReadOut {
  double start = 0;
  double end = 0;
  std::vector<std::string> lines;
};

struct Chart {
  std::string id;           // unique in the document; an HTML id
  std::string title;        // a few words
  std::string description;  // sentences that replace the picture for screen readers
  Scale x;
  std::vector<Tick> x_ticks;
  std::string x_title;
  std::vector<Panel> panels = {};
  std::vector<Band> bands = {};
  std::size_t lanes = 0;
  std::vector<ReadOut> read_outs = {};
  bool read_outs_stacked = false;
  std::vector<std::string> stacked_classes = {};  // the colours of the stacked lines
};

// Writes the <svg> element. The picture has no fixed width: positions along the horizontal axis are
// shares of it, while lines and letters keep their size. The caller writes the elements with the
// ids `ID-title` and `ID-text`, which name and describe it.
void draw_chart(HtmlWriter& html, const Chart& chart);

// Returns the first panel drawn with characters, `columns` wide: 'o' for points that stand alone,
// '-' for lines, ':' for bands, whose labels stand in the line below. The vertical axis fits the
// values.
std::string chart_in_characters(const Chart& chart, std::size_t columns);

}  // namespace drover::report
