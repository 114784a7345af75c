// Curves, ticks and bands of the charts of a report, made of timelines and spectra.
//
// Pure functions; any thread.
#pragma once

#include <string>
#include <vector>

#include "report/chart_spectrum.h"
#include "report/chart_timeline.h"
#include "report/svg_chart.h"

namespace drover::report {

// In pieces: where a column is missing or has no such figure, the curve is interrupted.
Curve time_curve(const Timeline& timeline, TimeFigure figure, std::string name, std::string classes,
                 bool with_envelope);

Curve spectrum_curve(const measure::HistogramSnapshot& histogram, std::string name,
                     std::string classes);

// Latencies of all timelines and figures, on one logarithmic axis.
Axis latency_axis(const std::vector<Timeline>& timelines, const std::vector<TimeFigure>& figures);

// 0%, 50%, 90% … of an axis of 1 / (1 - p).
std::vector<Tick> spectrum_ticks();
Scale spectrum_scale();

// Outages in the first lane, checkpoints in the next, and the warm-up without a lane.
std::vector<Band> single_bands(const Timeline& timeline);

// "4.3 s", "4.3 s, not ended when the run did"
std::string span_text(const TimeSpan& span);

}  // namespace drover::report
