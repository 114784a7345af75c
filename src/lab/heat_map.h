// A map of one figure over two factors: a table whose cells are shaded by their value, so that it
// can be read by eyes, by a screen reader and on paper alike. Pure; any thread.
#pragma once

#include "lab/experiment.h"
#include "report/html_writer.h"

namespace drover::lab {

// A ratio around 1 is shaded away from 1 in two hues, everything else from its lowest value to its
// highest in one. The figure's unit says which: a ratio's is "x".
inline constexpr report::Literal heat_map_style = R"css(
.map td { text-align: center; min-width: 4.5em; }
.map .h1 { background: rgba(10, 95, 180, .08); } .map .h2 { background: rgba(10, 95, 180, .2); }
.map .h3 { background: rgba(10, 95, 180, .34); } .map .h4 { background: rgba(10, 95, 180, .5); }
.map .l1 { background: rgba(204, 85, 0, .08); } .map .l2 { background: rgba(204, 85, 0, .2); }
.map .l3 { background: rgba(204, 85, 0, .34); } .map .l4 { background: rgba(204, 85, 0, .5); }
)css";

void draw_heat_map(report::HtmlWriter& html, const Experiment& experiment, const Picture& picture);

}  // namespace drover::lab
