// Draws charts as SVG: panels below each other that share one horizontal axis, with bands (an
// outage, the warm-up) across all of them and read-outs that appear under the pointer.
//
// Nothing runs in it. Read-outs are text that the style sheet shows while the pointer is over their
// column. The picture has no fixed width: positions along the horizontal axis are shares of it, and
// lines keep their width and letters their size however wide the page is. Heights are pixels.
//
// How things look (colours, widths, which labels go where there is little room) is up to the
// classes named here and report.css.
//
// Plain values and pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/page/chart_scale.h"
#include "report/page/html_writer.h"

namespace drover::report {

// Positions are in the units of the axes.
struct CurvePoint {
  double x = 0;
  double low = 0;
  double y = 0;
  double high = 0;
};

struct Curve {
  std::string name = {};
  std::string classes = {};                          // of ours: its colour, its dashes
  std::vector<std::vector<CurvePoint>> pieces = {};  // between them, nothing is known
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
  double height = 100;
  Axis axis = {Scale::linear(0, 1), {}};
  std::vector<Curve> curves = {};
  std::vector<Mark> marks = {};
};

// A stretch across all panels, with a label in a lane of its own above them.
struct Band {
  double start = 0;
  double end = 0;
  std::string classes = {};
  std::string label = {};        // empty: no place in a lane
  std::string description = {};  // for the pointer
  std::size_t lane = 0;
  bool block_in_lane = false;  // not across the panels
  bool edge_in_lane = false;   // nor the line at its start
};

// What is shown while the pointer is between two positions: a line for each panel in place of its
// title, or, of Chart::read_outs_stacked, lines below each other in the first panel.
struct ReadOut {
  double start = 0;
  double end = 0;
  std::vector<std::string> lines;
};

struct Chart {
  std::string id;           // of ours, unique in the document
  std::string title;        // what it is, in a few words
  std::string description;  // what it shows, in sentences: stands in for the picture
  Scale x;
  std::vector<Tick> x_ticks;
  std::string x_title;
  std::vector<Panel> panels = {};
  std::vector<Band> bands = {};
  std::size_t lanes = 0;
  std::vector<ReadOut> read_outs = {};
  bool read_outs_stacked = false;
  std::vector<std::string> stacked_classes = {};  // the colours of these lines
};

// The <svg> element. Its name and description are elements of the document with the ids
// `ID-title` and `ID-text`: the caller writes them.
void draw_chart(HtmlWriter& html, const Chart& chart);

}  // namespace drover::report
