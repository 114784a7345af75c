#include "report/chart_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/html_figures.h"

namespace drover::report {

Curve time_curve(const Timeline& timeline, TimeFigure figure, std::string name, std::string classes,
                 bool with_envelope) {
  Curve curve{std::move(name), std::move(classes), {}, with_envelope && timeline.thinned};
  constexpr double longest_step_in_columns = 1.5;
  std::optional<double> last_start;
  for (const TimelineColumn& column : timeline.columns) {
    const std::optional<Envelope>& envelope = column.figure(figure);
    if (!envelope) continue;
    const bool follows =
        last_start && column.start_s - *last_start < longest_step_in_columns * timeline.column_s;
    if (!follows) curve.pieces.emplace_back();
    // A column may reach beyond the ends of the run.
    const double start = std::max(column.start_s, timeline.start_s);
    const double end = std::min(column.start_s + timeline.column_s, timeline.end_s);
    curve.pieces.back().push_back(
        {(start + end) / 2, envelope->low, envelope->mean, envelope->high});
    last_start = column.start_s;
  }
  return curve;
}

Curve spectrum_curve(const measure::HistogramSnapshot& histogram, std::string name,
                     std::string classes) {
  Curve curve{std::move(name), std::move(classes), {}, false};
  for (const SpectrumPoint& point : make_spectrum(histogram)) {
    if (curve.pieces.empty()) curve.pieces.emplace_back();
    curve.pieces.back().push_back({point.inverse, point.ms, point.ms, point.ms});
  }
  return curve;
}

Axis latency_axis(const std::vector<Timeline>& timelines, const std::vector<TimeFigure>& figures) {
  double highest = 0;
  std::optional<double> lowest;
  for (const Timeline& timeline : timelines) {
    for (const TimeFigure figure : figures) {
      highest = std::max(highest, timeline.highest(figure));
      const std::optional<double> low = timeline.lowest_above_zero(figure);
      if (low) lowest = lowest ? std::min(*lowest, *low) : *low;
    }
  }
  return logarithmic_axis(lowest.value_or(1), highest, Quantity::milliseconds);
}

std::vector<Tick> spectrum_ticks() {
  return {{1, "0%"},    {2, "50%", true},       {10, "90%"},
          {100, "99%"}, {1'000, "99.9%", true}, {10'000, "99.99%"}};
}

Scale spectrum_scale() {
  return Scale::logarithmic(1, spectrum_inverse_max);
}

std::string span_text(const TimeSpan& span) {
  return length_text(span.end_s - span.start_s) +
         (span.open_end ? ", not ended when the run did" : "");
}

std::vector<Band> single_bands(const Timeline& timeline) {
  std::vector<Band> bands;
  const std::size_t first_lane = 0;
  if (timeline.start_s < 0) {
    bands.push_back({timeline.start_s, std::min(0.0, timeline.end_s), "warm-up", "",
                     "Warm-up, not measured", first_lane});
  }
  const std::size_t checkpoint_lane = timeline.outages.empty() ? 0 : 1;
  for (const TimeSpan& span : timeline.checkpoints) {
    bands.push_back(
        {span.start_s, span.end_s, "checkpoint",
         "checkpoint " + length_text(span.end_s - span.start_s),
         fmt::format("Checkpoint of {}, from {}", span_text(span), time_label(span.start_s)),
         checkpoint_lane, true});
  }
  for (const TimeSpan& span : timeline.outages) {
    bands.push_back(
        {span.start_s, span.end_s, span.name,
         fmt::format("{} {}", span.name, length_text(span.end_s - span.start_s)),
         fmt::format("{} of {}, from {}", span.title(), span_text(span), time_label(span.start_s)),
         first_lane});
  }
  return bands;
}

}  // namespace drover::report
